#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""proxy_test.py --program PROXY raw|clients [--folder FOLDER]: conversations of 80 turns through the example `proxy`.

`raw` speaks HTTP itself, `clients` uses the packages `openai` and `anthropic`; where they are missing they are installed into
FOLDER, and where that fails the part is skipped with status 77.
"""

import argparse
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from checks import run_all

PINNED = ["openai==3.57.0", "anthropic==2.13.0"]


def find_clients(folder):
    """Has the packages at hand; why not, or nothing. May go on as another process, in the environment made for them."""
    try:
        import anthropic
        import openai
        return "" if anthropic and openai else ""
    except ImportError as problem:
        if sys.prefix != sys.base_prefix:
            return str(problem)
    python = os.path.join(folder, "bin", "python")
    try:
        if not os.path.exists(python):
            subprocess.run([sys.executable, "-m", "venv", folder], check=True, capture_output=True, timeout=120)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--retries", "1", *PINNED], check=True, capture_output=True, timeout=300)
    except (OSError, subprocess.SubprocessError) as problem:
        return str(problem)
    sys.stdout.flush()
    os.execv(python, [python, *sys.argv])


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--program", required=True)
    options.add_argument("--folder", default="proxy_clients")
    options.add_argument("part", choices=["raw", "clients"])
    chosen = options.parse_args()
    if chosen.part == "clients":
        problem = find_clients(os.path.abspath(chosen.folder))
        if problem:
            print(f"proxy_test: skipped: the packages openai and anthropic cannot be had: {problem}")
            return 77
        import proxy_client_checks as checks
    else:
        import proxy_checks as checks
    return run_all(f"proxy_test {chosen.part}", checks.ALL, lambda check: check(chosen.program))


sys.exit(main())
