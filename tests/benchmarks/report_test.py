#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""report_test.py: what benchmarks/report.py makes of a report that is written here."""

import json
import pathlib
import re
import subprocess
import sys

from corpus import ROOT, Tree

from checks import checks_in, expect, in_folder, run_all

MARKDOWN = """# Costs

## By hand

Told with `code` & <b>.
On two lines.

| pipeline | messages | ratio |
|---|---:|---:|
| <i>window</i> | 1,000 | 1.03 |
| window | 10 | 4.03 MISSED |

## Growth

| session of so many messages, seconds | 1000 | 10000 | 100000 | exponent |
|---|---:|---:|---:|---:|
| steep | 0.001 | 0.010 | 0.100 | 1.00 |
| flat | 0.000 | 0.100 | 0.100 | 0.50 |

```
| no table | <script> |
# no title
```

| o200k_base | mixed 4.0 MB | Chinese 4.0 MB |
|---|---:|---:|
| ours | 121 / 4,273 | 55 / 3,992 |
| theirs 1.0 | 52 / 346 (2.3, 12.3 SLOWER) | too slow |
"""


def item_counts(visible):
    return {"all": {"visible": visible, "recoverable": 0, "lost": 10 - visible}}


MIXES = {"currency": "$", "windows": [{"window": 8000, "mixes": [
    {"mix": "a<b", "money": 420_000, "items": item_counts(4)}, {"mix": "c", "money": 170_000, "items": item_counts(9)}]}], "longest": [1]}


def written(folder, markdown=MARKDOWN, mixes=MIXES):
    folder = pathlib.Path(folder)
    (folder / "report.md").write_text(markdown, encoding="utf-8")
    (folder / "mixes.json").write_text(json.dumps(mixes), encoding="utf-8")
    more = ["--mixes", folder / "mixes.json"] if mixes else []
    subprocess.run([sys.executable, ROOT / "benchmarks" / "report.py", folder / "report.md", *more], check=True, timeout=60)
    page = (folder / "report.html").read_text(encoding="utf-8")
    return json.loads((folder / "report.json").read_text(encoding="utf-8")), page, Tree(page)


def of(tags, tag):
    return [node.attributes for node in tags.root.all(tag)]


def json_holds_text_and_figures(folder):
    report, _, _ = written(folder)
    sections = report["sections"]
    expect([each["title"] for each in sections] == ["Costs", "By hand", "Growth"], "other sections", sections)
    text, table = sections[1]["blocks"]
    expect(text == {"text": "Told with `code` & <b>. On two lines."}, "another text", text)
    expect(table["columns"] == ["pipeline", "messages", "ratio"], "other columns", table)
    expect(table["rows"] == [["<i>window</i>", 1000, 1.03], ["window", 10, "4.03 MISSED"]], "other figures", table)
    expect(sections[2]["blocks"][1] == {"code": "| no table | <script> |\n# no title"}, "code is read as something else", sections[2])
    expect(report["mixes"]["windows"] == MIXES["windows"] and "longest" not in report["mixes"], "other mixes", report["mixes"])
    expect(re.fullmatch(r"\d+\.\d+\.\d+", report["condense"]) and report["machine"]["processors"] > 0, "another machine", report)


def page_shows_all_and_runs_nothing(folder):
    _, page, tags = written(folder)
    expect(not tags.crossed and len(tags.open) == 1, "tags cross", tags.crossed)
    expect(not any(of(tags, each) for each in ("script", "i", "b", "img")), "text became markup", page)
    for text in ("4.03 MISSED", "&lt;i&gt;window&lt;/i&gt;", "<code>code</code> &amp; &lt;b&gt;", "| no table | &lt;script&gt; |", "a&lt;b"):
        expect(text in page, "not on the page", text)
    expect([each.get("class") for each in of(tags, "td")].count("missed") == 2, "misses are not marked", page)
    expect(not re.search(r"(src|href)=|url\(|@import", page), "the page loads something", page)


def points_of(line):
    return [tuple(map(float, point.split(","))) for point in line["points"].split(" ")]


def plots_are_true(folder):
    _, _, tags = written(folder)
    steep, flat = [points_of(each) for each in of(tags, "polyline") if "stroke-width" in each]
    expect(len(steep) == 3 and len(flat) == 2, "figures of 0 have no place on a logarithmic axis", flat)
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in zip(steep, steep[1:])]
    expect(slopes[0] < 0 and abs(slopes[0] - slopes[1]) < 1e-3, "what grows in line is no straight line upward", steep)
    expect(flat[0][1] == flat[1][1], "what does not grow is not level", flat)
    (cheap, dear) = sorted(of(tags, "circle"), key=lambda each: -float(each["cy"]))
    expect(float(cheap["cx"]) > float(dear["cx"]), "what sees more does not stand further to the right", of(tags, "circle"))
    widths = [float(each["width"]) for each in of(tags, "rect")]
    expect(len(widths) == 6 and widths[0] > widths[1] and widths[2] < widths[0], "other bars", widths)


def parts_may_be_absent(folder):
    report, page, tags = written(folder, "# Costs\n\n## Nothing\n", None)
    expect(report["mixes"] is None and not of(tags, "svg") and not tags.crossed, "something is drawn of nothing", page)
    for broken in ("", "| a |", "```\nopen", "| session of so many messages, seconds | 10 | 20 | 30 |\n|---|\n| x | 0 | 0 | 0 |"):
        _, page, tags = written(folder, "# Costs\n\n" + broken, None)
        expect(not of(tags, "svg") and not tags.crossed, f"something is drawn of {broken!r}", page)


CHECKS = checks_in(globals(), "folder")


sys.exit(run_all("report_test", CHECKS, lambda check: in_folder(check)))
