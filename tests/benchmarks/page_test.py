#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""page_test.py --program REPLAY: opens the page that it writes in a headless Chromium and checks what is drawn.

Where no Chromium starts it says so and ends with status 77. CHROMIUM may name one.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from corpus import HOSTILE, MIXES, Tree, conversation, hostile_path, report, run, write_lines

from checks import Failed, arguments, expect, run_all

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome-headless-shell")


class Browser:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def open(self, page, address=""):
        """The page as it stands when its script has run, and what went to the console."""
        done = subprocess.run([self.program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                               f"--user-data-dir={self.folder / 'profile'}", "--enable-logging=stderr", "--virtual-time-budget=2000",
                               "--window-size=1200,900", "--dump-dom", page.as_uri() + address],
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)
        console = re.findall(r"CONSOLE[^\n]*", done.stderr.decode("utf-8", "replace"))
        return Tree(done.stdout.decode("utf-8", "replace")).root, console


def find_browser(folder):
    """One that shows a trivial page, or why there is none."""
    given = os.environ.get("CHROMIUM")
    found = [path for path in map(shutil.which, [given] if given else BROWSERS) if path]
    if not found:
        return None, "no Chromium is here"
    trial = folder / "trial.html"
    trial.write_text("<p id=made></p><script>document.getElementById('made').textContent = 6 * 7</script>", encoding="utf-8")
    for path in found:
        browser = Browser(path, folder)
        try:
            if "42" in browser.open(trial)[0].said():
                return browser, ""
        except (subprocess.TimeoutExpired, OSError):
            pass
    return None, f"{found[0]} does not start here"


def opened(browser, page, address=""):
    try:
        root, console = browser.open(page, address)
    except subprocess.TimeoutExpired:
        raise Failed(f"the page does not come to rest {address}") from None
    expect(not console, "the console is not empty", console)
    expect(next(root.all("html")).attributes.get("data-ready") == "yes", f"the script has not come to its end {address}", root.said()[-500:])
    expect(not list(root.all("img")), "a name became markup")
    return root


def rows(root, table="table"):
    body = next(root.one(table).all("tbody"))
    return [[cell.said() for cell in row.children] for row in body.all("tr")]


def marks(root):
    return [mark.attributes["aria-label"] for mark in root.one("pareto").all("g", tabindex="0")]


def everything_is_drawn(browser, page, found):
    root = opened(browser, page)
    expect("must be read" not in root.one("summary").said() and f"{found['conversations']} conversations" in root.one("summary").said(), "the page does not say what it is of")
    expect([label.split(";")[0] for label in marks(root)] == MIXES, "not every mix has its mark", marks(root))
    expect(len(list(root.one("course").all("path", class_="curve"))) == len(MIXES), "not every mix has its curve")
    expect(len(list(root.one("windows").all("input"))) == 2 and len(list(root.one("mixes").all("input"))) == len(MIXES), "choices are missing")
    for plot in ("layers", "cache"):
        label = next(root.one(plot).all("svg")).attributes["aria-label"]
        expect(all(mix in label for mix in MIXES), f"{plot} does not say all in words", label)
    layers = [[mix["mix"], ", ".join(f"{place} {layer['name']}" for place, layer in enumerate(mix["layers"], 1)),
               ", ".join(f"{place} {layer['name']}: {layer['prefix_breaks']:,}" for place, layer in enumerate(mix["layers"], 1) if layer["prefix_breaks"]) or "–"]
              for mix in found["windows"][0]["mixes"] if mix["layers"]]
    expect(len({row[2] for row in layers}) > 3 and rows(root, "layers-table") == layers, "the layers or their breaks of the cache are others", rows(root, "layers-table"))
    for mix, row in zip(found["windows"][0]["mixes"], rows(root), strict=True):
        shares = mix["items"]["all"]
        expect(row[0] == mix["mix"] and row[2] == f"{mix['sent']:,}" and row[3] == f"{mix['peak']:,}" and
               row[5] == f"{100 * shares['visible'] / sum(shares[place] for place in ('visible', 'recoverable', 'lost')):.1f} %", "the table has other figures than JSON", row)


def the_address_chooses(browser, page, found):
    hidden = MIXES[0]
    root = opened(browser, page, f"#window={found['windows'][1]['window']}&cost=tokens&share=lost&conversation=1&sort=sent&down=1&hide={hidden}")
    mixes = sorted((mix for mix in found["windows"][1]["mixes"] if mix["mix"] != hidden), key=lambda mix: -mix["sent"])
    expect([row[2] for row in rows(root)] == [f"{mix['sent']:,}" for mix in mixes], "the table is not sorted", rows(root))
    expect(sum(1 for head in root.one("table").all("th", scope="col") if head.attributes.get("aria-sort") == "descending") == 1, "the order is not said")
    expect(len(marks(root)) == len(MIXES) - 1 and all("Items lost" in label and "Tokens sent" in label for label in marks(root)), "other marks", marks(root))
    expect("Tokens of each request" in next(root.one("course").all("svg")).attributes["aria-label"], "not one conversation alone")
    for address in ("#window=7&cost=%00&conversation=999&sort=__proto__&hide=constructor", "#%ff&=&&conversation=-5"):
        expect(marks(opened(browser, page, address)) == marks(opened(browser, page)), "a strange address is not passed over", address)


def nothing_chosen_says_nothing_else(browser, page, found):
    root = opened(browser, page, "#" + "&".join("hide=" + mix for mix in MIXES))
    expect(rows(root) == [["No mix is chosen."]], "the table says something of no mix", rows(root))
    for plot in ("pareto", "course", "layers", "cache"):
        expect(root.one(plot).said().strip() == "No mix is chosen.", f"{plot} says something of no mix", root.one(plot).said())
    for note in ("pareto-note", "course-readout", "layers-legend", "layers-table"):
        expect(root.one(note).said().strip() == "", f"{note} says something of no mix", root.one(note).said())


def names_do_no_harm(browser, page, found):
    root = opened(browser, page, "#conversation=1")
    expect(any("</script><img src=x" in option.said() for option in root.one("conversation").all("option")), "the hostile name is not shown as it is")
    expect("img src=x" in root.one("skipped").said() and "hidden" not in root.one("skipped").attributes, "what was skipped is not named", root.one("skipped").said())


def prepare(program, folder):
    """A corpus with hostile names and texts, one conversation that cannot be read."""
    corpus = folder / "corpus"
    corpus.mkdir()
    write_lines(corpus / "many.jsonl", 4, rounds=6)
    hostile_path(corpus).write_text(json.dumps(conversation(30, 5, HOSTILE)), encoding="utf-8")
    hostile_path(corpus, "bad").write_text("{", encoding="utf-8")
    page = folder / "report.html"
    _, _, found = report(program, folder, [corpus, "--html", page, "--window", "4000", "--window", "12000"], 3)
    return page, found


def pages_of_little(browser, folder, program):
    """Of nothing, of one request, and of one mix."""
    page = folder / "little.html"
    (folder / "bad.json").write_text("{", encoding="utf-8")
    run(program, [folder / "bad.json", "--html", page], 3)
    opened(browser, page)
    (folder / "one.json").write_text('[{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hello"}]', encoding="utf-8")
    run(program, [folder / "one.json", "--html", page, "--mix", "none"])
    for address in ("", "#conversation=1", "#hide=none"):
        opened(browser, page, address)
    (folder / "mute.json").write_text('[{"role": "user", "content": "Hello"}]', encoding="utf-8")
    run(program, [folder / "mute.json", "--html", page])
    opened(browser, page)


def main():
    program = arguments().program
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)
        browser, why = find_browser(folder)
        if browser is None:
            print(f"page_test: skipped: {why}, so the page is opened by nobody")
            return 77
        page, found = prepare(program, folder)
        given = {check: (browser, page, found) for check in (everything_is_drawn, the_address_chooses, nothing_chosen_says_nothing_else, names_do_no_harm)}
        given[pages_of_little] = (browser, folder, program)
        return run_all("page_test", given, lambda check: check(*given[check]))


sys.exit(main())
