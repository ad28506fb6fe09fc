#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""chat_test.py --program CHAT scripted|endpoint: converses with the example `chat` and checks what it does.

`scripted` uses its own model, `endpoint` a server on this machine; where the example was built without
libcurl, `endpoint` says so and ends with status 77.
"""

import argparse
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

import endpoint_checks
import scripted_checks
from talk import Chat, scratch

from checks import run_all


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--program", required=True)
    options.add_argument("part", choices=["scripted", "endpoint"])
    chosen = options.parse_args()
    chat = Chat(chosen.program)
    if chosen.part == "endpoint" and not endpoint_checks.built_with_curl(chat):
        print("chat_test: skipped: the example was built without libcurl, so there is no endpoint to test")
        return 77
    checks = scripted_checks if chosen.part == "scripted" else endpoint_checks

    def converse(check):
        with scratch() as folder:
            check(chat, folder)

    return run_all(f"chat_test {chosen.part}", checks.ALL, converse)


sys.exit(main())
