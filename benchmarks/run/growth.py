#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""How a session's time grows with its messages: runs bench_run_growth, prints its tables, and draws the first as a plot.

    python3 benchmarks/run/growth.py PROGRAM PLOT.svg [ARGUMENT...]

ARGUMENTs go to the program: `-n 1000000`, or names of rows. Both axes of the plot are logarithmic, so a straight line at the
slope of the dashed one is a time in line with the length.
"""

import math
import subprocess
import sys
from html import escape

WIDTH, HEIGHT, LEFT, TOP, LEGEND = 640, 480, 70, 20, 260


def rows_of(table):
    """[(name, [seconds])] and the sizes, of the first table of the program."""
    lines = [[cell.strip() for cell in line.strip("| \n").split("|")] for line in table.split("\n\n")[0].splitlines()]
    sizes = [int(cell) for cell in lines[0][1:4]]
    return sizes, [(cells[0], [float(cell) for cell in cells[1:4]]) for cells in lines[2:]]


def plot(sizes, rows):
    """The text of an SVG image."""
    points = [seconds for _, all_seconds in rows for seconds in all_seconds if seconds > 0]
    low, high = math.floor(math.log10(min(points))), math.ceil(math.log10(max(points)))
    first, last = math.log10(sizes[0]), math.log10(sizes[-1])

    def x(size):
        return LEFT + (math.log10(size) - first) / (last - first) * WIDTH

    def y(seconds):
        return TOP + (high - math.log10(seconds)) / (high - low) * HEIGHT

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + LEGEND}" height="{TOP + HEIGHT + 50}" '
           'font-family="sans-serif" font-size="12">', '<rect width="100%" height="100%" fill="white"/>']
    for power in range(low, high + 1):
        out.append(f'<line x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{y(10 ** power):.1f}" y2="{y(10 ** power):.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{LEFT - 8}" y="{y(10 ** power) + 4:.1f}" text-anchor="end">{10 ** power:g} s</text>')
    for size in sizes:
        out.append(f'<text x="{x(size):.1f}" y="{TOP + HEIGHT + 20}" text-anchor="middle">{size:,}</text>')
    out.append(f'<text x="{LEFT + WIDTH / 2}" y="{TOP + HEIGHT + 42}" text-anchor="middle">messages of the session</text>')
    base = min(seconds[0] for _, seconds in rows if seconds[0] > 0)
    line = " ".join(f"{x(size):.1f},{y(base * size / sizes[0]):.1f}" for size in sizes)
    out.append(f'<polyline points="{line}" fill="none" stroke="black" stroke-dasharray="5 4"/>')
    for number, (name, seconds) in enumerate(rows):
        colour = f"hsl({number * 137 % 360}, 70%, 40%)"
        line = " ".join(f"{x(size):.1f},{y(value):.1f}" for size, value in zip(sizes, seconds) if value > 0)
        out.append(f'<polyline points="{line}" fill="none" stroke="{colour}"/>')
        out.append(f'<text x="{LEFT + WIDTH + 10}" y="{TOP + 12 + number * 13}" fill="{colour}" font-size="10">{escape(name)}</text>')
    return "\n".join(out + ["</svg>", ""])


def main(program, target, *arguments):
    table = subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout
    sys.stdout.write(table)
    with open(target, "w", encoding="utf-8") as file:
        file.write(plot(*rows_of(table)))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
