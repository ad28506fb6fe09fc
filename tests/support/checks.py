# SPDX-License-Identifier: BSL-1.0
"""What scripts that try a program share: a check is a function that raises Failed."""

import os
import time
import traceback


class Failed(Exception):
    pass


def effort():
    """How much of its work a check does, in percent of what it can: effort.hpp says the same of programs."""
    return float(os.environ.get("CONDENSE_EFFORT") or "3")


def expect(holds, what, seen=""):
    if not holds:
        raise Failed(what + (f"\n--- seen:\n{str(seen)[-3000:]}" if seen != "" else ""))


def run_all(title, checks, call):
    """Has each check called by `call(check)`, says how it went, and gives the exit status."""
    failures = 0
    for check in checks:
        began = time.monotonic()
        try:
            call(check)
            print(f"ok    {check.__name__} ({time.monotonic() - began:.1f} s)")
        except Failed as problem:
            failures += 1
            print(f"FAIL  {check.__name__}: {problem}")
        except Exception:
            failures += 1
            print(f"FAIL  {check.__name__}: {traceback.format_exc()}")
    print(f"{title}: {len(checks)} checks, {failures} failed")
    return 1 if failures else 0
