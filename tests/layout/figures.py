#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""How large the library is: headers and lines of each room, floors (a header stands one above the highest that it includes
of its own room), and the longest functions.

figures.py               prints the table
figures.py --functions   prints the ten longest functions, too, and how many have more than 40 lines
figures.py --check       ends with 1 where something is above its limit; limits are lowered when figures are"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include" / "condense"
LIMITS = {"headers": 340, "lines": 60_400, "core headers": 36, "core floors": 11, "session headers": 21,
          "session floors": 6, "longest function": 108, "functions over 40 lines": 46}


def headers():
    return {str(path.relative_to(INCLUDE)): path.read_text().splitlines() for path in sorted(INCLUDE.rglob("*.hpp"))}


def room_of(header):
    return header.split("/")[0] if "/" in header else "umbrellas"


def floors(all_headers, room):
    """The floor of each header of a room."""
    own = {header: [name for line in lines for name in re.findall(r"#include <condense/(\S+?)>", line)
                    if name in all_headers and room_of(name) == room]
           for header, lines in all_headers.items() if room_of(header) == room}
    found = {}

    def floor(header):
        if header not in found:
            found[header] = 1 + max((floor(name) for name in own[header]), default=0)
        return found[header]

    for header in own:
        floor(header)
    return found


NO_FUNCTION = "namespace|class|struct|enum|union|extern|if|for|while|switch|else|do|try"


def functions(lines):
    """(lines, name) of each function body of a formatted header: from the line that opens it to the brace below it."""
    for index, line in enumerate(lines):
        if not line.endswith(" {") or line.endswith("= {"):
            continue
        begin = index
        indent = len(line) - len(line.lstrip())
        # The line that opens the body may be indented below the one with the name.
        while begin > 0 and lines[begin].startswith(" " * 4) and not lines[begin - 1].rstrip().endswith((";", "{", "}", ":", "*/")) \
                and not lines[begin - 1].strip().startswith(("//", "#", "template")) and lines[begin - 1].strip():
            begin -= 1
        head = " ".join(each.strip() for each in lines[begin:index + 1])
        name = re.match(rf"(?!(?:\[\[.*\]\] )?(?:constexpr )?(?:{NO_FUNCTION})\b)[^=]*?([\w~]+|operator\S+)\(", head)
        if not name or re.search(r"[=(,] *\[[^\]]*\]", head):
            continue
        outer = min(indent, len(lines[begin]) - len(lines[begin].lstrip()))
        end = next((at for at in range(index + 1, len(lines)) if lines[at].startswith(" " * outer + "}")), index)
        yield end - begin + 1, name[1]


def measured():
    all_headers = headers()
    rooms = {}
    for header, lines in all_headers.items():
        count, sum_of_lines = rooms.get(room_of(header), (0, 0))
        rooms[room_of(header)] = (count + 1, sum_of_lines + len(lines))
    # A lambda within a function is no function of its own: of bodies within each other the outer one counts.
    bodies = sorted(((size, f"{name} in {header}") for header, lines in all_headers.items() for size, name in functions(lines)),
                    reverse=True)
    heights = {room: max(floors(all_headers, room).values(), default=0) for room in rooms}
    figures = {"headers": len(all_headers), "lines": sum(map(len, all_headers.values())),
               "core headers": rooms["core"][0], "core floors": heights["core"],
               "session headers": rooms["session"][0], "session floors": heights["session"],
               "longest function": bodies[0][0], "functions over 40 lines": sum(size > 40 for size, _ in bodies)}
    return rooms, heights, bodies, figures


def too_large(figures, limits):
    return [f"{name}: {figures[name]:,}, at most {limit:,}" for name, limit in limits.items() if figures[name] > limit]


def selftest():
    sample = ["void f(int a) {", "    if (a) {", "        g();", "    }", "}", "struct s {", "    int h() const {", "        return 1;",
              "    }", "};"]
    assert list(functions(sample)) == [(5, "f"), (3, "h")], list(functions(sample))
    assert floors({"a/x.hpp": ["#include <condense/a/y.hpp>"], "a/y.hpp": [], "b/z.hpp": []}, "a") == {"a/y.hpp": 1, "a/x.hpp": 2}
    assert too_large({"n": 3}, {"n": 2}) == ["n: 3, at most 2"] and not too_large({"n": 2}, {"n": 2})


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--functions", action="store_true")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    selftest()
    rooms, heights, bodies, figures = measured()
    print("| room | headers | lines | floors |\n|---|---:|---:|---:|")
    for room, (count, lines) in sorted(rooms.items()):
        print(f"| {room} | {count} | {lines:,} | {heights[room]} |")
    print(f"| all | {figures['headers']} | {figures['lines']:,} | |")
    print(f"\nLongest function: {figures['longest function']} lines; over 40 lines: {figures['functions over 40 lines']}")
    for size, name in bodies[:10] if given.functions else []:
        print(f"{size:4} {name}")
    grown = too_large(figures, LIMITS)
    if given.check and grown:
        print("figures: " + "; ".join(grown))
    return 1 if given.check and grown else 0


if __name__ == "__main__":
    sys.exit(main())
