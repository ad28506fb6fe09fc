#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""check_links.py [--list] FOLDER: every link of a built site leads to a file of it, and to an anchor that is there.

Links of pages, of the navigation and of the search are followed; addresses elsewhere are counted, and listed with
--list.
With --doxygen PROGRAM the site is made there first, by build.py, which takes --replay and --report; without the program
it says so and ends with status 77.
"""

import argparse
import html.parser
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse

BUILD = pathlib.Path(__file__).resolve().parent / "build.py"
LINKS = {"a": "href", "link": "href", "script": "src", "img": "src", "iframe": "src", "object": "data"}


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = set(), {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.anchors |= {given[key] for key in ("id", "name") if given.get(key)}
        if given.get(LINKS.get(tag)):
            self.links.add(given[LINKS[tag]])


def links_of_script(name, text):
    """Of Doxygen's own data: the tree and the menu beside the pages, the search below them."""
    if name.startswith("search/"):
        return {link.removeprefix("../") for link in re.findall(r"'(\.\./[^']+)'", text)}
    return set(re.findall(r"""["']([\w.-]+\.html(?:#[^"']*)?)["']""", text))


def read(folder):
    """({page: Page}, {file}, {script: links}) of a site."""
    pages, files, scripts = {}, set(), {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file():
            files.add(name)
        if name.endswith(".html"):
            pages[name] = Page(path.read_text(encoding="utf-8"))
        elif name.endswith(".js"):
            scripts[name] = links_of_script(name, path.read_text(encoding="utf-8"))
    return pages, files, scripts


def judge(pages, files, scripts):
    """(what is broken, how many links lead to places of the site, the addresses elsewhere)."""
    broken, count, elsewhere = [], 0, set()

    def follow(source, base, link):
        nonlocal count
        if re.match(r"(https?|mailto):", link):
            elsewhere.add(link)
            return
        if link.startswith(("javascript:", "data:")):
            return
        count += 1
        to, _, anchor = link.partition("#")
        name = urllib.parse.unquote(to)
        name = pathlib.PurePosixPath(base, name).as_posix() if name else source
        parts = []
        for part in name.split("/"):
            if part == ".." and parts:
                parts.pop()
            else:
                parts.append(part)
        name = "/".join(parts)
        if name not in files:
            broken.append(f"{source}: {link}: there is no such file")
        elif anchor and name in pages and urllib.parse.unquote(anchor) not in pages[name].anchors:
            broken.append(f"{source}: {link}: there is no such anchor")

    for name, page in pages.items():
        for link in sorted(page.links):
            follow(name, pathlib.PurePosixPath(name).parent, link)
    for name, links in scripts.items():
        for link in sorted(links):
            follow(name, "", link)
    return broken, count, elsewhere


def unnoticed(pages, files, scripts):
    """Each defect planted in what was read must be found."""
    before = len(judge(pages, files, scripts)[0])
    tree = links_of_script("planted.js", '["x", "nowhere.html"]')
    planted = {
        "a page that is gone": (pages, files - {"layers.html"}, scripts),
        "a link to no page": ({**pages, "planted.html": Page('<a href="nowhere.html">')}, files, scripts),
        "a link to no anchor": ({**pages, "planted.html": Page('<a href="index.html#nowhere">')}, files, scripts),
        "an image that is gone": ({**pages, "planted.html": Page('<img src="nowhere.png"/>')}, files, scripts),
        "a script from nowhere": ({**pages, "planted.html": Page('<script src="nowhere.js">')}, files, scripts),
        "the tree to no page": (pages, files, {**scripts, "planted.js": tree}),
        "the search to no page": (pages, files, {**scripts, "search/planted.js": {"nowhere.html"}}),
    }
    return [f"not noticed: {name}" for name, data in planted.items() if len(judge(*data)[0]) <= before]


def check(folder, listing):
    data = read(folder)
    broken, count, elsewhere = judge(*data)
    if "index.html" not in data[1]:
        broken.append(f"{folder}: there is no site")
    if not count or not any(data[2].values()):
        broken.append(f"{folder}: there are no links")
    if not broken:
        broken = unnoticed(*data)
    foreign = sorted(link for page in data[0].values() for link in page.links
                     if re.match(r"(https?:)?//.*\.(js|css|woff2?)$", link))
    broken += [f"{link}: scripts, styles and fonts are the site's own" for link in foreign]
    for each in sorted(elsewhere) if listing else []:
        print(f"elsewhere: {each}")
    for each in broken:
        print(each)
    print(f"links: {len(data[0])} pages, {count} links, {len(elsewhere)} addresses elsewhere, {len(broken)} broken")
    return 1 if broken else 0


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    options.add_argument("folder", type=pathlib.Path, nargs="?")
    options.add_argument("--list", action="store_true")
    options.add_argument("--doxygen")
    options.add_argument("--replay")
    options.add_argument("--report")
    chosen = options.parse_args()
    if chosen.doxygen is None:
        return check(chosen.folder, chosen.list)
    if not chosen.doxygen:
        print("skipped: docs.links, which needs doxygen 1.9.4 and Python 3.11 or newer")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        given = [f"--{key}={value}" for key in ("doxygen", "replay", "report") if (value := getattr(chosen, key))]
        done = subprocess.run([sys.executable, BUILD, "--output", folder, *given], check=False)
        return done.returncode or check(pathlib.Path(folder) / "html", chosen.list)


if __name__ == "__main__":
    sys.exit(main())
