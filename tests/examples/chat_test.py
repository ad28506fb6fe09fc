#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""chat_test.py --program CHAT scripted|endpoint: converses with the example `chat` and checks what it does.

`scripted` uses its own model, `endpoint` a server on this machine; where the example was built without
libcurl, `endpoint` says so and ends with status 77.
"""

import argparse
import sys
import time
import traceback

import endpoint_checks
import scripted_checks
from talk import Chat, Failed, scratch


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--program", required=True)
    options.add_argument("part", choices=["scripted", "endpoint"])
    chosen = options.parse_args()
    chat = Chat(chosen.program)
    if chosen.part == "endpoint" and not endpoint_checks.built_with_curl(chat):
        print("chat_test: skipped: the example was built without libcurl, so there is no endpoint to test")
        return 77
    failures = 0
    checks = scripted_checks if chosen.part == "scripted" else endpoint_checks
    for check in checks.ALL:
        with scratch() as folder:
            began = time.monotonic()
            try:
                check(chat, folder)
                print(f"ok    {check.__name__} ({time.monotonic() - began:.1f} s)")
            except Failed as problem:
                failures += 1
                print(f"FAIL  {check.__name__}: {problem}")
            except Exception:
                failures += 1
                print(f"FAIL  {check.__name__}: {traceback.format_exc()}")
    print(f"chat_test {chosen.part}: {len(checks.ALL)} checks, {failures} failed")
    return 1 if failures else 0


sys.exit(main())
