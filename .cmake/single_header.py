#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""single_header.py OUTPUT | --macros FILE...: writes all headers of include/condense as one, or prints what FILE needs of it.

A header follows those it includes. Those that need more than the core does, themselves or through others, stand inside
`#if defined(CONDENSE_WITH_<NAME>)`. Includes at the beginning of a header are collected; later ones, behind a macro or a
condition, stay where they are. --macros prints the options that define what the files' includes of this library need.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1] / "include"
# What begins the include of a library, and the name of the macro that admits it.
LIBRARIES = {"curl/": "CURL", "hiredis/": "REDIS", "nlohmann/": "JSON", "range/v3/": "RANGES", "sqlite3.h": "SQLITE",
             "xxhash.h": "XXHASH"}
FREE = ("boost/hana/", "condense/", "sys/")  # folders of the core's, and of the system
INCLUDE = re.compile(r"#include <([^>]+)>")


def library_of(name):
    for start, macro in LIBRARIES.items():
        if name.startswith(start):
            return {macro}
    if "/" in name and not name.startswith(FREE):
        sys.exit(f"single_header: <{name}> is of no library in LIBRARIES")
    return set()


class Header:
    """One header: all that it includes, what of that stands at its beginning, and the text without those and our own."""

    def __init__(self, name):
        self.includes, self.collected, body, depth, leading = [], [], [], 0, True
        for number, line in enumerate((ROOT / name).read_text(encoding="utf-8").splitlines(), 1):
            if line.startswith("// SPDX-") or line == "#pragma once":
                continue
            depth += line.startswith("#if") - line.startswith("#endif")
            found = INCLUDE.match(line)
            leading = leading and (found is not None or line == "" or line.startswith("//"))
            if line.startswith("#include") and not found or found and depth and found[1].startswith("condense/"):
                sys.exit(f"single_header: {name}:{number}: {line}: neither <...> nor always included")
            if found:
                self.includes.append(found[1])
            if found and leading:
                self.collected.append(found[1])
            elif not found or not found[1].startswith("condense/"):
                body.append(line)
        self.text = "\n".join(body).strip("\n")


def read_all():
    """The headers, each behind those that it includes, with `needs`, the macros of their libraries."""
    headers, ordered = {}, {}

    def visit(name):
        if name in headers:
            if name not in ordered:
                sys.exit(f"single_header: {name} includes itself")
            return
        header = headers[name] = Header(name)
        header.needs = set()
        for each in header.includes:
            if each.startswith("condense/"):
                visit(each)
            header.needs |= headers[each].needs if each.startswith("condense/") else library_of(each)
        ordered[name] = header

    for path in sorted(ROOT.rglob("*.hpp")):
        visit(str(path.relative_to(ROOT)))
    return ordered


def write(headers):
    """A header needs what those need that it includes, so that sorted by it they still follow them."""
    version = re.search(r'VERSION_STRING "(.*)"', (ROOT / "condense" / "version.hpp").read_text(encoding="utf-8"))[1]
    groups = {}
    for name, header in headers.items():
        groups.setdefault((len(header.needs), *sorted(header.needs)), []).append((name, header))
    lines = ["// SPDX-License-Identifier: BSL-1.0", "#pragma once", "",
             f"// condense {version} in one header. `cmake --build BUILD --target single_header` writes it; do not edit it. What needs",
             "// more than the standard library and Boost.Hana is left out unless the macros of all libraries it needs are defined:",
             *(f"// CONDENSE_WITH_{macro} for <{start}{'...' * start.endswith('/')}>" for start, macro in LIBRARIES.items())]
    for (_, *needs), group in sorted(groups.items()):
        if needs:
            lines += ["", "#if " + " && ".join(f"defined(CONDENSE_WITH_{each})" for each in needs)]
        collected = {each for _, header in group for each in header.collected if not each.startswith("condense/")}
        lines += ["", *(f"#include <{each}>" for each in sorted(collected))]
        for name, header in group:
            if header.text:
                lines += ["", f"// {name}", "", header.text]
        if needs:
            lines += ["", "#endif"]
    return "\n".join(lines) + "\n"


def main(arguments):
    headers = read_all()
    if arguments[0] == "--macros":
        texts = (pathlib.Path(each).read_text(encoding="utf-8") for each in arguments[1:])
        included = {each for text in texts for each in INCLUDE.findall(text) if each.startswith("condense/")}
        print(*sorted({f"-DCONDENSE_WITH_{each}" for name in included for each in headers[name].needs}))
        return
    output = pathlib.Path(arguments[0])
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(write(headers), encoding="utf-8")


main(sys.argv[1:])
