# SPDX-License-Identifier: BSL-1.0
"""The command line of checkers that run a program on recorded conversations."""

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from checks import effort


def files_of(inputs):
    """Files that are named, and the *.json files of folders that are."""
    found = []
    for name in map(Path, inputs):
        found += sorted(name.rglob("*.json")) if name.is_dir() else [name]
    if not found or not all(each.is_file() for each in found):
        sys.exit(f"no such input: {[str(each) for each in found if not each.is_file()] or inputs}")
    return found


def run(description, check, selftest, windows, needed, **more):
    """Has check(options, path, counts) look at each file and yield what is wrong. `counts` says what was done, of which
    what is needed has to be above 0; `more` are further options with their help."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--program", help="the program to check")
    mode.add_argument("--selftest", action="store_true", help="check the checker")
    parser.add_argument("--windows", default=windows, help=f"token windows, by comma (default {windows})")
    parser.add_argument("--effort", action="store_true", help="every fourth conversation where CONDENSE_EFFORT is below 50, else all")
    parser.add_argument("inputs", nargs="*", help="files, or folders searched for *.json")
    for name, wanted in more.items():
        parser.add_argument(f"--{name}", help=wanted)
    options = parser.parse_args()
    if options.selftest:
        return selftest()
    options.windows = list(map(int, options.windows.split(",")))
    counts = Counter()
    for path in files_of(options.inputs)[::4 if options.effort and effort() < 50 else 1]:
        counts["conversations"] += 1
        for problem in check(options, path, counts):
            counts["findings"] += 1
            print(f"    {path.name}: {problem}", flush=True)
    print(", ".join(f"{counts[what]} {what}" for what in ("conversations", *needed, "findings")))
    return 1 if counts["findings"] or not all(counts[what] for what in needed) else 0
