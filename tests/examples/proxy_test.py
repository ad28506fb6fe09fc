#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""proxy_test.py --program PROXY raw|clients [--folder FOLDER]: conversations of 80 turns through the example `proxy`.

`raw` speaks HTTP itself, `clients` uses the packages `openai` and `anthropic`; where they are missing they are installed into
FOLDER, and where that fails the part is skipped with status 77.
"""

import argparse
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from checks import run_all
from packages import find_packages

PINNED = ["openai==3.57.0", "anthropic==2.13.0"]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--program", required=True)
    options.add_argument("--folder", default="proxy_clients")
    options.add_argument("part", choices=["raw", "clients"])
    chosen = options.parse_args()
    if chosen.part == "clients":
        problem = find_packages(PINNED, os.path.abspath(chosen.folder))
        if problem:
            print(f"proxy_test: skipped: the packages openai and anthropic cannot be had: {problem}")
            return 77
        import proxy_client_checks as checks
    else:
        import proxy_checks as checks
    return run_all(f"proxy_test {chosen.part}", checks.ALL, lambda check: check(chosen.program))


sys.exit(main())
