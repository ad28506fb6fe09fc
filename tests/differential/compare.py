#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""compare.py BASE NOW EXPECTED: two programs of print.cpp must print the same for each case.

EXPECTED names what may differ, a line each: a pattern of names of cases, and the reason. One that fits no difference
of all cases fails, too. Every ninth case is tried where CONDENSE_EFFORT is below 50, else all. The first differences are shown."""

import difflib
import fnmatch
import os
import subprocess
import sys

SHOWN = 3  # cases, and of each
LINES = 12


def cases_of(program, step):
    printed = subprocess.run([program, str(step)], check=True, capture_output=True, text=True).stdout
    return dict(line.split(" ") for line in printed.splitlines())


def expected_in(text):
    return [line.split(None, 1)[0] for line in text.splitlines() if line and not line.startswith("#")]


def judged(base, now, patterns, whole=True):
    """Cases that differ and may not, and patterns that fit none, where all cases are there."""
    differ = [name for name in base if now.get(name) != base[name]] + [name for name in now if name not in base]
    unexpected = [name for name in differ if not any(fnmatch.fnmatchcase(name, each) for each in patterns)]
    idle = [each for each in patterns if whole and not fnmatch.filter(differ, each)]
    return unexpected, idle


def selftest():
    base, now = {"a.1": "x", "a.2": "y", "b.1": "z"}, {"a.1": "x", "a.2": "Y", "c.1": "z"}
    assert judged(base, now, []) == (["a.2", "b.1", "c.1"], [])
    assert judged(base, now, ["a.*", "d.*"]) == (["b.1", "c.1"], ["d.*"]) and judged(base, now, ["d.*"], False)[1] == []
    assert judged(base, base, []) == ([], []) and expected_in("# no\n\na.* why\n") == ["a.*"]


def main(base, now, expected):
    selftest()
    step = 9 if float(os.environ.get("CONDENSE_EFFORT", "3")) < 50 else 1
    before = cases_of(base, step)
    unexpected, idle = judged(before, cases_of(now, step), expected_in(open(expected, encoding="utf-8").read()), step == 1)
    for name in unexpected[:SHOWN]:
        texts = [subprocess.run([each, "1", name], capture_output=True, text=True).stdout.splitlines() for each in (base, now)]
        for line in list(difflib.unified_diff(*texts, "base", "now", lineterm="", n=1))[:LINES]:
            print(line[:400])
    for each in idle:
        print(f"nothing differs by {each}")
    print(f"{len(before)} cases, {len(unexpected)} differ without a reason: {' '.join(unexpected[:20])}")
    return 1 if unexpected or idle or len(before) < 100 else 0


sys.exit(main(*sys.argv[1:]))
