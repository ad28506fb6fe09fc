#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""chat_test.py --program CHAT scripted|endpoint: converses with the example `chat` and checks what it does.

`scripted` uses its own model, `endpoint` a server on this machine; where the example was built without
libcurl, `endpoint` says so and ends with status 77.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

import endpoint_checks
import scripted_checks
from talk import Chat

from checks import arguments, in_folder, run_all

chosen = arguments(parts=["scripted", "endpoint"])
chat = Chat(chosen.program)
if chosen.part == "endpoint" and not endpoint_checks.built_with_curl(chat):
    print("chat_test: skipped: the example was built without libcurl, so there is no endpoint to test")
    sys.exit(77)
checks = scripted_checks if chosen.part == "scripted" else endpoint_checks

def converse(check):
    in_folder(lambda root: check(chat, root, scripted_checks.folder_in(root)))


sys.exit(run_all(f"chat_test {chosen.part}", checks.ALL, converse))
