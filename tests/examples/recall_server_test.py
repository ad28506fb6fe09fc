#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""recall_server_test.py --program RECALL_SERVER raw|client [--examples FOLDER] [--folder FOLDER]: the example `recall_server` as an agent meets it.

`raw` speaks the protocol itself, and has journals and stores written by the examples in `--examples`. `client` uses the package `mcp`; where
it is missing it is installed into `--folder`, and where that fails the part is skipped with status 77.
"""

import argparse
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from checks import run_all
from packages import find_packages

PINNED = ["mcp==2.3.0"]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--program", required=True)
    options.add_argument("--examples")
    options.add_argument("--folder", default="mcp_client")
    options.add_argument("part", choices=["raw", "clients"])
    chosen = options.parse_args()
    chosen.program = os.path.abspath(chosen.program)
    chosen.examples = os.path.abspath(chosen.examples or os.path.dirname(chosen.program))
    if chosen.part == "clients":
        problem = find_packages(PINNED, os.path.abspath(chosen.folder))
        if problem:
            print(f"recall_server_test: skipped: the package mcp cannot be had: {problem}")
            return 77
        import recall_client_checks as checks
    else:
        import recall_checks as checks

    def call(check):
        with tempfile.TemporaryDirectory(prefix="condense-recall-") as folder:
            os.chdir(folder)
            try:
                check(chosen)
            finally:
                os.chdir("/")

    return run_all(f"recall_server_test {chosen.part}", checks.ALL, call)


sys.exit(main())
