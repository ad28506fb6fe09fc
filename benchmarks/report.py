#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Makes one page and one JSON of the report of all benchmarks.

report.py REPORT.md [--mixes MIXES.json] [--compiler COMMAND]   writes REPORT.html and REPORT.json beside it

The JSON holds every section with its text and its tables, figures as numbers; what `replay --json` wrote for each
window, without the single conversations; and what the machine is. The page shows the same, with three plots: seconds
by length of a session, money against what later turns could see, and the speed of counting by text. It loads nothing
and runs no script."""

import argparse
import html
import json
import math
import os
import pathlib
import platform
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]
COLOURS = 8  # of the page's style
GROWTH = "session of so many messages, seconds"  # the first column of the table that is drawn

STYLE = """
:root { color-scheme: light dark; --back: #fff; --text: #1c1f23; --soft: #5a6068; --line: #d5d9de;
  --c0: #a70f29; --c1: #1f77c9; --c2: #3f7a04; --c3: #8332d9; --c4: #7a6d01; --c5: #b4552c; --c6: #0d7d74; --c7: #5a6068; }
@media (prefers-color-scheme: dark) { :root { --back: #15181c; --text: #e8eaed; --soft: #a9b0b8; --line: #3a4048;
  --c0: #ee7a72; --c1: #6ca9fd; --c2: #9feb79; --c3: #b98af2; --c4: #cab330; --c5: #ee8d56; --c6: #5cc9bd; --c7: #a9b0b8; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 84rem; background: var(--back); color: var(--text);
  font: 1rem/1.5 system-ui, "Liberation Sans", sans-serif; overflow-wrap: anywhere; }
p, ul { max-width: 75ch; }
.scroll { overflow-x: auto; margin: .75rem 0; }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
th, td { padding: .25rem .5rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { vertical-align: bottom; } th:first-child, td:first-child { text-align: left; }
.missed { font-weight: 600; text-decoration: underline wavy var(--c0); }
pre { overflow-x: auto; font-size: .8rem; overflow-wrap: normal; }
.plots { display: flex; flex-wrap: wrap; gap: 1rem; } figure { margin: 0; flex: 1 1 20rem; max-width: 34rem; }
figcaption, .note { color: var(--soft); font-size: .9rem; }
svg { width: 100%; height: auto; display: block; } svg text { fill: var(--text); font: 12px system-ui, sans-serif; }
svg .soft { fill: var(--soft); } svg .grid { stroke: var(--line); } svg .leader { stroke: var(--line); fill: none; } svg .guide { stroke: var(--soft); stroke-dasharray: 5 4; fill: none; }
.legend { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: 0 1rem; font-size: .85rem; }
.legend span { display: inline-block; width: .8rem; height: .8rem; margin-right: .35rem; border-radius: 2px; }
"""


def figure_of(cell):
    """A number where the whole cell is one, else its text."""
    plain = cell.replace(",", "").strip("`")
    return float(plain) if re.fullmatch(r"[-+]?\d*\.\d+", plain) else int(plain) if re.fullmatch(r"[-+]?\d+", plain) else cell


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def sections_of(markdown):
    """[{title, blocks}], where a block is {text}, {code} or {columns, rows}."""
    sections, lines, at = [], markdown.split("\n"), 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith("#"):
            sections.append({"title": line.lstrip("#").strip(), "blocks": []})
        elif not sections or not line.strip():
            continue
        elif line.startswith("```"):
            end = next((index for index in range(at, len(lines)) if lines[index].startswith("```")), len(lines))
            sections[-1]["blocks"].append({"code": "\n".join(lines[at:end])})
            at = end + 1
        elif line.startswith("|"):
            end = next((index for index in range(at, len(lines)) if not lines[index].startswith("|")), len(lines))
            rows = [cells_of(row) for row in lines[at:end] if not re.fullmatch(r"[|:\- ]+", row)]
            sections[-1]["blocks"].append({"columns": cells_of(line), "rows": [[figure_of(cell) for cell in row] for row in rows]})
            at = end
        else:
            end = next((index for index in range(at, len(lines)) if not lines[index].strip() or lines[index][0] in "|#`"), len(lines))
            sections[-1]["blocks"].append({"text": " ".join(lines[at - 1:end])})
            at = end
    return sections


def table_with(sections, wanted):
    """The first table whose first column is called so, by a predicate."""
    for section in sections:
        for block in section["blocks"]:
            if "columns" in block and wanted(block["columns"][0]):
                return block
    return None


def first_line(command):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.split("\n")[0]
    except (OSError, subprocess.SubprocessError):
        return "unknown"


def machine(compiler):
    info = pathlib.Path("/proc/cpuinfo")
    model = re.search(r"^model name\s*:\s*(.+)$", info.read_text(encoding="utf-8") if info.exists() else "", re.M)
    return {"processor": model[1] if model else platform.machine(), "processors": os.cpu_count(),
            "system": f"{platform.system()} {platform.release()}", "compiler": first_line([*compiler.split(), "--version"])}


def version():
    header = (ROOT / "include/condense/version.hpp").read_text(encoding="utf-8")
    return re.search(r"^#define CONDENSE_VERSION_STRING \"(.+)\"", header, re.M)[1]


class Axis:
    """Maps figures to one side of a plot: logarithmic, or from a round figure below the least, which is 0 where that is near."""

    def __init__(self, figures, begin, end, logarithmic=False):
        self.begin, self.end, self.logarithmic = begin, end, logarithmic
        least, most = min(figures), max(figures)
        if logarithmic:
            self.low = math.floor(math.log10(least))
            self.high = max(math.ceil(math.log10(most)), self.low + 1)
            self.ticks = [10.0 ** power for power in range(self.low, self.high + 1)]
            return
        least = 0 if least < most / 2 else least
        step = 10 ** math.floor(math.log10((most - least) or most or 1))
        step = next(step * part for part in (0.2, 0.5, 1, 2) if (most - least) / (step * part) <= 6)
        self.low = step * math.floor(least / step)
        self.high = max(step * math.ceil(most / step), self.low + step)
        self.ticks = [self.low + step * tick for tick in range(round((self.high - self.low) / step) + 1)]

    def __call__(self, figure):
        share = ((math.log10(figure) if self.logarithmic else figure) - self.low) / (self.high - self.low)
        return self.begin + share * (self.end - self.begin)


def text_at(x, y, text, kind="", anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"' + (f' class="{kind}">' if kind else ">") + f"{html.escape(text)}</text>"


def grid(x, y, left, right, top, bottom):
    out = []
    for tick in x.ticks:
        out += [f'<line class="grid" x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="{top}" y2="{bottom}"/>',
                text_at(x(tick), bottom + 15, f"{tick:,.10g}", "soft", "middle")]
    for tick in y.ticks if y else ():
        out += [f'<line class="grid" x1="{left}" x2="{right}" y1="{y(tick):.1f}" y2="{y(tick):.1f}"/>',
                text_at(left - 6, y(tick) + 4, f"{tick:,.6g}", "soft", "end")]
    return out


def figure(title, height, parts, names=()):
    """`names` have a legend, by their colours."""
    legend = "".join(f'<li><span style="background: var(--c{number % COLOURS})"></span>{html.escape(name)}</li>' for number, name in enumerate(names))
    return (f'<figure><svg viewBox="0 0 480 {height}" role="img" aria-label="{html.escape(title)}">' + "\n".join(parts)
            + f"</svg><figcaption>{html.escape(title)}</figcaption>" + (f'<ul class="legend">{legend}</ul>' if legend else "") + "</figure>")


def curves(title, x_label, y_label, series):
    """{name: [(x, y)]} on two logarithmic axes; a dashed line rises in line with x."""
    left, right, top, bottom = 52, 456, 20, 300
    x = Axis([a for points in series.values() for a, _ in points], left, right, True)
    y = Axis([b for points in series.values() for _, b in points], bottom, top, True)
    out = [*grid(x, y, left, right, top, bottom), text_at((left + right) / 2, bottom + 34, x_label, "", "middle"), text_at(4, 12, y_label)]
    base = min(points[0][1] / points[0][0] for points in series.values())
    ends = [(each, base * each) for each in (max(x.ticks[0], y.ticks[0] / base), min(x.ticks[-1], y.ticks[-1] / base))]
    out.append('<polyline class="guide" points="' + " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in ends) + '"/>')
    for number, points in enumerate(series.values()):
        dash = ("", ' stroke-dasharray="7 3"', ' stroke-dasharray="2 3"')[number // COLOURS % 3]
        out.append(f'<polyline fill="none" stroke="var(--c{number % COLOURS})" stroke-width="2"{dash} points="'
                   + " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in points) + '"/>')
    return figure(title, 340, out, series)


def points_with_names(title, x_label, y_label, points):
    """{name: (x, y)}; names stand in a column on the left, each with a line to its point."""
    left, right, top = 190, 456, 20
    bottom = max(300, top + 14 * len(points))
    x = Axis([a for a, _ in points.values()], left, right)
    y = Axis([b for _, b in points.values()], bottom, top)
    out = [*grid(x, None, left, right, top, bottom), text_at((left + right) / 2, bottom + 34, x_label, "", "middle"), text_at(4, 12, y_label)]
    row = top - 10
    rest = len(points)
    for number, (name, (a, b)) in enumerate(sorted(points.items(), key=lambda each: -each[1][1])):
        row = min(max(row + 14, y(b)), bottom - 14 * (rest - 1))
        rest -= 1
        colour = f"var(--c{number % COLOURS})"
        out += [text_at(4, row + 4, f"{b:.2f} {name}"),
                f'<polyline class="leader" points="{left - 8},{row:.1f} {left},{row:.1f} {x(a):.1f},{y(b):.1f}"/>',
                f'<circle cx="{x(a):.1f}" cy="{y(b):.1f}" r="4" fill="{colour}"/>']
    return figure(title, bottom + 40, out)


def bars(title, texts, rows):
    """[(name, a figure or None for each text)], from a logarithmic scale, as they differ by a hundred times."""
    group = len(rows) * 9 + 14
    bottom = 12 + len(texts) * group
    speeds = [speed for _, all_speeds in rows for speed in all_speeds if speed]
    x = Axis([min(speeds) / 2, *speeds], 100, 456, True)
    out = grid(x, None, 100, 456, 8, bottom)
    for at, text in enumerate(texts):
        top = 14 + at * group
        out.append(text_at(94, top + len(rows) * 4.5 + 4, re.sub(r" [\d.]+ MB$", "", text), "", "end"))
        for number, (_, all_speeds) in enumerate(rows):
            if at < len(all_speeds) and all_speeds[at]:
                out.append(f'<rect x="{x.begin}" y="{top + number * 9}" height="8" width="{x(all_speeds[at]) - x.begin:.1f}" '
                           f'fill="var(--c{number % COLOURS})"><title>{all_speeds[at]:g}</title></rect>')
    return figure(title, bottom + 24, out, [name for name, _ in rows])


def growth_plots(sections):
    table = table_with(sections, lambda name: name == GROWTH)
    if table is None:
        return []
    sizes = [figure_of(cell) for cell in table["columns"][1:4]]
    series = {row[0]: [(size, row[at + 1]) for at, size in enumerate(sizes) if row[at + 1] > 0] for row in table["rows"]}
    series = {name: points for name, points in series.items() if points}
    return [curves("Processor seconds of a session by its messages; dashed: in line with them.", "messages", "s", series)] if series else []


def mix_plots(mixes):
    """Where later answers name nothing there is nothing to see, and no plot."""
    plots = []
    for window in mixes.get("windows", []):
        points = {}
        for mix in window["mixes"]:
            items = mix["items"]["all"]
            named = items["visible"] + items["recoverable"] + items["lost"]
            if named:
                points[mix["mix"]] = (100 * items["visible"] / named, mix["money"] / 1e6)
        if points:
            plots.append(points_with_names(f"Money against what later answers could see, window of {window['window']:,} tokens.",
                                           "% of names visible", mixes["currency"], points))
    return plots


def counting_plots(sections):
    """Bars of what is counted at first sight and again: 'first / again' in each cell."""
    plots = []
    for section in sections:
        for table in section["blocks"]:
            if "columns" not in table or table["columns"][0] not in ("cl100k_base", "o200k_base"):
                continue
            for which, pass_name in enumerate(("at first sight", "when seen before")):
                rows = []
                for row in table["rows"]:
                    speeds = [re.match(r"([\d,.]+) / ([\d,.]+)", str(cell)) for cell in row[1:]]
                    rows += [(row[0], [float(speed[which + 1].replace(",", "")) if speed else None for speed in speeds])] if any(speeds) else []
                if rows:
                    plots.append(bars(f"MB/s of one thread with {table['columns'][0]}, {pass_name}.", table["columns"][1:], rows))
    return plots


def inline(text):
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(text, quote=False))


def cell_html(tag, cell):
    text = f"{cell:,}" if isinstance(cell, int) else f"{cell:g}" if isinstance(cell, float) else str(cell)
    kind = ' class="missed"' if re.search(r"\b(MISSED|SLOWER)\b", text) else ""
    return f"<{tag}{kind}>{inline(text)}</{tag}>"


def block_html(block):
    if "text" in block:
        return f"<p>{inline(block['text'])}</p>"
    if "code" in block:
        return f"<pre>{html.escape(block['code'])}</pre>"
    head = "".join(f"<th>{inline(str(cell))}</th>" for cell in block["columns"])
    rows = "".join(f"<tr>{''.join(cell_html('td', cell) for cell in row)}</tr>\n" for row in block["rows"])
    return f'<div class="scroll" tabindex="0"><table><thead><tr>{head}</tr></thead><tbody>\n{rows}</tbody></table></div>'


def page(report):
    where = report["machine"]
    out = ['<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
           '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">',
           f"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"><title>What condense costs</title>",
           f"<style>{STYLE}</style></head><body><h1>What condense costs</h1>",
           f'<p class="note">condense {html.escape(report["condense"])}; {html.escape(where["processor"])}, {where["processors"]} processors; '
           f'{html.escape(where["system"])}; {html.escape(where["compiler"])}</p>']
    plots = growth_plots(report["sections"]) + mix_plots(report["mixes"] or {}) + counting_plots(report["sections"])
    out.append(f'<div class="plots">{"".join(plots)}</div>')
    for section in report["sections"]:
        if section["blocks"]:
            out += [f"<section><h2>{inline(section['title'])}</h2>", *map(block_html, section["blocks"]), "</section>"]
    return "\n".join([*out, "</body></html>", ""])


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("report", type=pathlib.Path)
    options.add_argument("--mixes", type=pathlib.Path)
    options.add_argument("--compiler", default="c++")
    given = options.parse_args()
    mixes = json.loads(given.mixes.read_text(encoding="utf-8")) if given.mixes else None
    if mixes:
        mixes.pop("longest", None)
    report = {"format": "condense benchmarks", "version": 1, "condense": version(), "machine": machine(given.compiler),
              "sections": sections_of(given.report.read_text(encoding="utf-8")), "mixes": mixes}
    given.report.with_suffix(".json").write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    given.report.with_suffix(".html").write_text(page(report), encoding="utf-8")


if __name__ == "__main__":
    main()
