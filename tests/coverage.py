#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""coverage.py BUILD [--least PERCENT]   what the tests of a build with clang's coverage have run of include/.

A line counts once, run or not, however often its template is instantiated; of a template that nothing instantiates no
line counts, and none of a table of data; nor does a comment within a function, or a brace. Prints the share of lines and
of branches, by folder and whole; what was not run is listed in BUILD/uncovered.txt, lines with the reason that
tests/uncovered.txt gives. Ends with 1 where the share of lines is below PERCENT, 98 unless given.
"""

import argparse
import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
INCLUDE = ROOT / "include" / "condense"


def programs(build):
    """Those that were built with coverage."""
    for path in sorted(build.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.stat().st_mode & 0o100 and "CMakeFiles" not in path.parts:
            content = path.read_bytes()
            if content.startswith(b"\x7fELF") and b"__llvm_covmap" in content:
                yield path


def lcov(build):
    """The lines of an lcov export of each program. Together, a function that the first of them does not call would count
    as never run, whatever the others do."""
    profile = build / "merged.profdata"
    raw = sorted((build / "raw").glob("*.profraw"))
    if not raw:
        raise SystemExit(f"coverage.py: no program of {build} has been run")
    subprocess.run(["llvm-profdata-19", "merge", "-sparse", "-o", profile, *raw], check=True)
    for path in programs(build):
        command = ["llvm-cov-19", "export", "-format=lcov", f"-instr-profile={profile}", path, f"-sources={INCLUDE}"]
        yield from subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def read(lines):
    """By header: by line, whether it was run; by branch, whether it was taken."""
    hits = collections.defaultdict(dict)
    branches = collections.defaultdict(dict)
    header = None
    for line in lines:
        kind, _, rest = line.partition(":")
        if kind == "SF":
            header = pathlib.Path(rest).resolve()
        elif kind == "DA":
            number, count = rest.split(",")[:2]
            hits[header][int(number)] = hits[header].get(int(number), False) or int(count) > 0
        elif kind == "BRDA":
            number, block, branch, count = rest.split(",")
            place = int(number), block, branch
            branches[header][place] = branches[header].get(place, False) or count not in ("-", "0")
    return hits, branches


def share(values):
    values = list(values)
    return f"{sum(values):6} of {len(values):6}  {100 * sum(values) / max(1, len(values)):6.2f} %"


def ranges(numbers):
    """Sorted numbers as pairs of first and last."""
    groups = []
    for number in numbers:
        if groups and number == groups[-1][1] + 1:
            groups[-1][1] = number
        else:
            groups.append([number, number])
    return groups


def reasons():
    """From (header, beginning of a line) to why no test runs it."""
    found = {}
    reason = None
    for line in (ROOT / "tests" / "uncovered.txt").read_text(encoding="utf-8").splitlines():
        header, colon, text = line.partition(": ")
        if colon and header.endswith(".hpp"):
            found[header, text] = reason
        else:
            reason = line
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--least", type=float, default=98)
    given = parser.parse_args()
    hits, branches = read(lcov(given.build))
    for header, lines in hits.items():
        text = header.read_text(encoding="utf-8").splitlines() if header.is_relative_to(INCLUDE) else []
        for number in [each for each in lines if each <= len(text) and re.match(r"\s*(//|#|}*$)", text[each - 1])]:
            del lines[number]
    headers = [path for path in sorted(INCLUDE.rglob("*.hpp")) if path in hits]
    folders = sorted({path.parent for path in headers})
    print(f"{'':12} {'lines':>27} {'branches':>27}")
    for name, own in [*((f.relative_to(INCLUDE), [h for h in headers if f == h.parent]) for f in folders), ("all", headers)]:
        print(f"{str(name):12} {share(run for h in own for run in hits[h].values()):>27} "
              f"{share(taken for h in own for taken in branches[h].values()):>27}")
    known = reasons()
    unexplained = 0
    with (given.build / "uncovered.txt").open("w", encoding="utf-8") as out:
        for header in headers:
            text = header.read_text(encoding="utf-8").splitlines()
            for first, last in ranges(sorted(number for number, run in hits[header].items() if not run)):
                name, line = str(header.relative_to(INCLUDE)), text[first - 1].strip()
                why = next((why for (where, begin), why in known.items() if where == name and line.startswith(begin)), None)
                unexplained += why is None
                out.write(f"{name}:{first}-{last}: {line}: {why or 'NO REASON'}\n")
            for number in sorted({place[0] for place, taken in branches[header].items() if not taken}):
                out.write(f"{header.relative_to(INCLUDE)}:{number}: a branch: {text[number - 1].strip()}\n")
    print(f"{unexplained} ranges of lines without a reason in tests/uncovered.txt")
    every = [run for header in headers for run in hits[header].values()]
    return 0 if 100 * sum(every) >= given.least * len(every) else 1


if __name__ == "__main__":
    sys.exit(main())
