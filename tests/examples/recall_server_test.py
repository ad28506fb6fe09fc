#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""recall_server_test.py --program RECALL_SERVER raw|client [--examples FOLDER] [--folder FOLDER]: the example `recall_server` as an agent meets it.

`raw` speaks the protocol itself, and has journals and stores written by the examples in `--examples`. `client` uses the package `mcp`; where
it is missing it is installed into `--folder`, and where that fails the part is skipped with status 77.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from checks import arguments, in_folder, run_all
from packages import need_packages

chosen = arguments(parts=["raw", "clients"], examples=None, folder="mcp_client")
chosen.examples = os.path.abspath(chosen.examples or os.path.dirname(chosen.program))
if chosen.part == "clients":
    need_packages("recall_server_test", ["mcp==2.3.0"], chosen.folder)
    import recall_client_checks as checks
else:
    import recall_checks as checks

def call(check, folder):
    os.chdir(folder)
    check(chosen)


sys.exit(run_all(f"recall_server_test {chosen.part}", checks.ALL, lambda check: in_folder(call, check)))
