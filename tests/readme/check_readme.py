#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks that every C++ block of the README is an excerpt of an example or of the list of mixes, and that every command it shows exists."""

import pathlib
import re
import sys
import textwrap


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.S | re.M)


def normal(text):
    return [line.rstrip() for line in textwrap.dedent(text).strip("\n").split("\n")]


def contains(lines, wanted):
    return any(normal("\n".join(lines[at:at + len(wanted)])) == wanted for at in range(len(lines) - len(wanted) + 1))


def problems(readme, examples, root):
    found = []
    code = blocks(readme, "cpp")
    if not code:
        found.append("the README has no C++ block")
    for block in code:
        if not any(contains(example.split("\n"), normal(block)) for example in examples):
            found.append("no example contains:\n" + block)
    for script in re.findall(r"^sh (\S+)", "\n".join(blocks(readme, "sh")), re.M):
        if not (root / script).is_file():
            found.append(f"no such script: {script}")
    return found


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    readme = (root / "README.md").read_text(encoding="utf-8")
    sources = [*sorted((root / "examples").glob("*.cpp")), root / "benchmarks" / "mix" / "mixes.hpp"]
    examples = [path.read_text(encoding="utf-8") for path in sources]
    planted = readme.replace("condense::offload{", "condense::offlod{", 1).replace("sh tests/run.sh", "sh tests/walk.sh")
    if len(problems(planted, examples, root)) != 2:
        sys.exit("the check does not see planted errors")
    found = problems(readme, examples, root)
    print("\n".join(found) or "README: every block is an excerpt of an example")
    sys.exit(bool(found))


main()
