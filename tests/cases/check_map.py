#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks that map.txt says of every acceptance case where it is kept.

check_map.py             compares map.txt with numbers.txt and with the tags of the tests beside it
check_map.py --selftest  plants every kind of defect in a copy and expects each to be found
"""

import pathlib
import re
import shutil
import sys
import tempfile

TAG = re.compile(r"\[case-([^\]\s]+)\]")
LAW = re.compile(r"[LTSHC]\d+ \S.*")


def repeated(numbers):
    return sorted(number for number in set(numbers) if numbers.count(number) > 1)


def read_map(path, faults):
    """The entries of the map as (number, kind, rest)."""
    entries = []
    for line in path.read_text().splitlines():
        text = line.split("#")[0].strip()
        kind, _, rest = text.partition(" ")
        first, _, others = rest.partition(" ")
        if text and (kind not in ("test", "law", "waits") or not others):
            faults.append(f"{first}: not 'test <file> <number>...', 'law <number> <law> <why>' or 'waits <number> <part>': {text}")
        elif kind == "test":
            entries += [(number, kind, first) for number in others.split()]
        elif text:
            entries.append((first, kind, others.strip()))
    return entries


def check(folder):
    """The faults, and how many cases there are of each kind."""
    faults = []
    numbers = (folder / "numbers.txt").read_text().split()
    entries = read_map(folder / "map.txt", faults)
    tags = {path.name: set(TAG.findall(path.read_text())) for path in sorted(folder.glob("*.test.cpp"))}
    mapped = [number for number, _, _ in entries]
    faults += [f"{number}: twice in numbers.txt" for number in repeated(numbers)]
    faults += [f"{number}: not mapped" for number in numbers if number not in mapped]
    faults += [f"{number}: mapped {mapped.count(number)} times" for number in repeated(mapped)]
    faults += [f"{number}: no case has this number" for number in sorted(set(mapped) - set(numbers))]
    if not numbers:
        faults.append("numbers.txt is empty")
    for number, kind, rest in entries:
        if kind == "test" and rest not in tags:
            faults.append(f"{number}: there is no file {rest}")
        elif kind == "test" and number not in tags[rest]:
            faults.append(f"{number}: {rest} has no tag [case-{number}]")
        elif kind == "law" and not LAW.fullmatch(rest):
            faults.append(f"{number}: a law and the reason why it overrules the case must be named: {rest}")
    listed = {(number, rest) for number, kind, rest in entries if kind == "test"}
    for file, found in tags.items():
        faults += [f"{number}: {file} has its tag, but the map does not list it there"
                   for number in sorted(found) if (number, file) not in listed]
    kinds = {kind: sum(1 for _, each, _ in entries if each == kind) for kind in ("test", "law", "waits")}
    return faults, kinds


def change(path, old, new):
    text = path.read_text()
    if old not in text:
        raise SystemExit(f"selftest: {path.name} does not hold {old!r}")
    path.write_text(text.replace(old, new, 1))


def plants(folder):
    """Each defect: what it is, the number that must be named, the file, and what becomes of which text."""
    entries = read_map(folder / "map.txt", [])
    first = {kind: next(entry for entry in entries if entry[1] == kind) for kind in ("test", "law", "waits")}
    number, _, file = first["test"]
    waiting, _, part = first["waits"]
    ruled, _, reason = first["law"]
    law = reason.split()[0]
    line = f"\ntest {file} {number} "
    tag = f"[case-{number}]"
    return [
        ("a number that is not mapped", number, "map.txt", line, f"\ntest {file} "),
        ("a number mapped twice", number, "map.txt", line, f"{line}{number} "),
        ("a number mapped as two kinds", number, "map.txt", line, f"\nwaits {number} {part}{line}"),
        ("an unknown number", "9999", "map.txt", line, f"{line}9999 "),
        ("a file that is not there", number, "map.txt", line, f"\ntest absent.test.cpp {number} "),
        ("a tag that the file does not hold", number, file, tag, ""),
        ("a test whose case waits", waiting, file, tag, f"{tag}[case-{waiting}]"),
        ("a test of an unknown case", "9999", file, tag, f"{tag}[case-9999]"),
        ("a test file that is not listed", number, "more.test.cpp", "", f'TEST_CASE("x", "{tag}") {{}}\n'),
        ("an unknown kind", file, "map.txt", line, f"\ntests {file} {number} "),
        ("a wait for nothing", waiting, "map.txt", f"\nwaits {waiting} {part}", f"\nwaits {waiting}"),
        ("a law without a reason", ruled, "map.txt", f"\nlaw {ruled} {law} ", f"\nlaw {ruled} {law} # "),
        ("a number listed twice", number, "numbers.txt", f"{number} ", f"{number} {number} "),
        ("a new case", "9999", "numbers.txt", f"{number} ", f"{number} 9999 "),
    ]


def selftest(folder):
    with tempfile.TemporaryDirectory() as scratch:
        clean = pathlib.Path(scratch) / "clean"
        shutil.copytree(folder, clean, ignore=shutil.ignore_patterns("__pycache__"))
        missed = [f"the cases as they are: {fault}" for fault in check(clean)[0]]
        planted = plants(clean)
        for place, (what, number, file, old, new) in enumerate(planted):
            copy = pathlib.Path(scratch) / str(place)
            shutil.copytree(clean, copy)
            (copy / file).touch()
            change(copy / file, old, new)
            if not any(fault.startswith(f"{number}:") for fault in check(copy)[0]):
                missed.append(f"not found: {what} ({number})")
    for fault in missed:
        print(fault)
    print(f"{len(planted)} defects planted, {len(missed)} faults")
    return 1 if missed else 0


def main(arguments):
    folder = pathlib.Path(__file__).resolve().parent
    if arguments == ["--selftest"]:
        return selftest(folder)
    if arguments:
        print(__doc__.strip())
        return 2
    faults, kinds = check(folder)
    for fault in faults:
        print(fault)
    print(", ".join(f"{count} {kind}" for kind, count in kinds.items()))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
