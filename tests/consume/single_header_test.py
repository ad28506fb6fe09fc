#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""single_header_test.py --header FILE --compiler COMPILER --folder FOLDER: does the single header replace all others?

It has to compile without a warning, with the standard library and Boost.Hana alone and with every library, and so have the
examples where each header <condense/...> is a line that includes it. One example, drawn by its text; all of them from a
CONDENSE_EFFORT of 1000 on. What needs a library that is not here is skipped by name.
"""

import argparse
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / ".cmake" / "single_header.py"
sys.path.insert(0, str(ROOT / "tests" / "support"))

from checks import Failed, effort, expect, run_all

EXAMPLES = sorted((ROOT / "examples").rglob("*.cpp"))
options = argparse.ArgumentParser()
for name in ("header", "compiler", "folder"):
    options.add_argument(f"--{name}", required=True, type=pathlib.Path)
chosen = options.parse_args()


def compile_with(macros, source, include, *further):
    """Whether the file compiles without a warning; not where a header of another library is missing."""
    run = subprocess.run([chosen.compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror",
                          f"-I{include}", *macros, *further, source], capture_output=True, text=True)
    missing = re.search(r"fatal error: '?([^':\n]+)'?(?:: No such file| file not found)", run.stderr)
    if missing and not missing[1].startswith("condense"):
        print(f"skipped: {source.name} with the single header, which needs <{missing[1]}>")
        return
    expect(run.returncode == 0, f"{source.name} {' '.join(macros)}", run.stderr[:3000])


def alone(text, macros=()):
    """The compilation of a header of that text; the files that it reads."""
    include, reads = chosen.folder / "alone", chosen.folder / "alone" / "reads"
    include.mkdir(parents=True, exist_ok=True)
    (include / "condense.hpp").write_text(text, encoding="utf-8")
    (include / "alone.cpp").write_text("#include <condense.hpp>\nint main() { return CONDENSE_VERSION == 0; }\n", encoding="utf-8")
    compile_with(macros, include / "alone.cpp", include, "-MD", "-MF", reads)
    return reads.read_text(encoding="utf-8")


def needs_hana_alone():
    reads = alone(chosen.header.read_text(encoding="utf-8"))
    found = re.findall(r"\S*/(?:curl|hiredis|nlohmann|range/v3|sqlite3[.]h|xxhash[.]h|boost/(?!hana|config|version))\S*", reads)
    expect(not found and "boost/hana/" in reads, "it reads other libraries", found)


def takes_every_library():
    text = chosen.header.read_text(encoding="utf-8")
    alone(text, sorted({f"-D{each}" for each in re.findall(r"\bCONDENSE_WITH_\w+", text)}))


def shows_a_warning():
    try:
        alone("#define CONDENSE_VERSION 1\ninline int half(double planted) { return planted / 2; }\n")
    except Failed as problem:
        return expect("planted / 2" in str(problem), "it stops at something else", problem)
    expect(False, "a warning was not noticed")


def local_files(path):
    """The file and those that it includes by a quoted name."""
    found, left = [], [path]
    while left:
        one = left.pop()
        if one.exists() and one not in found:
            found.append(one)
            left += [(one.parent / each).resolve() for each in re.findall(r'^#include "(.+)"', one.read_text(encoding="utf-8"), re.M)]
    return found


def serves_examples():
    include = chosen.folder / "include"
    for path in (ROOT / "include").rglob("*.hpp"):
        forward = include / path.relative_to(ROOT / "include")
        forward.parent.mkdir(parents=True, exist_ok=True)
        forward.write_text("#include <condense.hpp>\n", encoding="utf-8")
    text = chosen.header.read_text(encoding="utf-8")
    (include / "condense.hpp").write_text(text, encoding="utf-8")
    every = effort() >= 1000
    taken = EXAMPLES if every else sorted(random.Random(text).sample(EXAMPLES, 1))
    print(f"{len(taken)} of {len(EXAMPLES)} examples: {', '.join(each.stem for each in taken)}", flush=True)
    for example in taken:
        macros = subprocess.run([sys.executable, SCRIPT, "--macros", *local_files(example)], check=True, capture_output=True, text=True).stdout
        compile_with(macros.split(), example, include, '-DCONDENSE_EXAMPLE_DATA=""')


sys.exit(run_all("single_header_test", [shows_a_warning, needs_hana_alone, takes_every_library, serves_examples], lambda check: check()))
