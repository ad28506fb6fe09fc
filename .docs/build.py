#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""build.py --output FOLDER [--doxygen PROGRAM] [--replay PROGRAM] [--report FILE]: makes the site FOLDER/html.

Doxygen reads copies. In those of Markdown files, links lead to pages of the site; in those of headers, the summary is a
comment of the file, and the inline namespace of the version does not show. Lines of headers stay where they are, so
that a warning names them. Any warning fails.
"""

import argparse
import collections
import functools
import html
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
REFERENCE = """
    <tab type="usergroup" visible="yes" url="[none]" title="Reference">
      <tab type="namespaces" visible="yes" title="Namespaces">
        <tab type="namespacelist" visible="yes" title="All namespaces"/>
        <tab type="namespacemembers" visible="yes" title="Their members"/>
      </tab>
      <tab type="concepts" visible="yes" title="Concepts"/>
      <tab type="classes" visible="yes" title="Types">
        <tab type="classlist" visible="yes" title="Types by namespace"/>
        <tab type="classindex" visible="yes" title="Types by name"/>
      </tab>
      <tab type="files" visible="yes" title="Headers">
        <tab type="filelist" visible="yes" title="Headers by folder"/>
      </tab>
      <tab type="examples" visible="yes" title="Programs"/>
    </tab>
"""


class Fault(Exception):
    """One line for whoever changes a document."""


# A block, or a span within a paragraph.
CODE = re.compile(r"^```.*?^```|(?<!`)(?P<ticks>`+)(?!`)(?:(?!\n\n).)+?(?<!`)(?P=ticks)(?!`)", re.S | re.M)
Heading = collections.namedtuple("Heading", "level title anchor line")


def masked(text):
    """The text with code blanked out, each character at its place."""
    return re.sub(CODE, lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def headings(text):
    """With the anchors that a repository's web view gives them."""
    found, fences = [], False
    for number, line in enumerate(text.split("\n")):
        fences ^= line.startswith("```")
        match = None if fences else re.match(r"(#+) (.*)", line)
        if match:
            title = match.group(2).strip()
            anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
            taken = sum(other.anchor == anchor for other in found)
            found.append(Heading(len(match.group(1)), title, f"{anchor}-{taken}" if taken else anchor, number))
    return found


@functools.cache
def document(path):
    text = (ROOT / path).read_text(encoding="utf-8")
    return text.split("\n"), headings(text)


def section(source):
    """(file, first line, line after the last, heading) of `file#anchor`."""
    path, _, anchor = source.partition("#")
    lines, found = document(path)
    for at, heading in enumerate(found):
        if heading.anchor == anchor:
            end = next((later.line for later in found[at + 1:] if later.level <= heading.level), len(lines))
            return path, heading.line, end, heading
    raise Fault(f".docs/pages.toml: {source}: there is no such heading")


class Site:
    def __init__(self, pages):
        self.pages = pages
        self.places = {}  # (file, anchor) to the address
        self.taken = {}  # (file, line) of a section's heading to (line after it, page)
        shown = {source for page in pages.values() for source in page.get("from", [])}
        for path in sorted(ROOT.glob("include/condense/*/README.md")):
            if path.parent.name != "detail" and str(path.relative_to(ROOT)) not in shown:
                raise Fault(f".docs/pages.toml: {path.relative_to(ROOT)} is on no page")
        for name, page in pages.items():
            for source in page.get("takes", []):
                path, first, end, _ = section(source)
                self.taken[path, first] = end, name
                self.place(path, first, end, name)
        for name, page in pages.items():
            for source in page.get("from", []):
                if "#" not in source:
                    lines, found = document(source)
                    self.place(source, 0, len(lines), name)
                    self.places[source, ""] = f"{name}.html"
                    if found and found[0].line == 0:
                        self.places[source, found[0].anchor] = f"{name}.html"

    def place(self, path, first, end, page):
        for heading in document(path)[1]:
            if first <= heading.line < end:
                self.places.setdefault((path, heading.anchor), f"{page}.html#{label(page, heading)}")

    def address(self, path, target):
        """Where a link of a Markdown file leads on the site."""
        if re.match(r"[a-z]+:", target):
            return target
        to, _, anchor = target.partition("#")
        to = os.path.normpath(pathlib.PurePath(path).parent / to) if to else path
        if (to, anchor) in self.places:
            return self.places[to, anchor]
        if not anchor and re.fullmatch(r"examples/\w+\.cpp", to) and (ROOT / to).is_file():
            return to.removeprefix("examples/").removesuffix(".cpp") + "_8cpp-example.html"
        if not anchor and to.startswith("include/condense/") and to.endswith(".hpp") and (ROOT / to).is_file():
            return f"@ref {to.removeprefix('include/')}"
        raise Fault(f"{path}: the site has no place for the link {target}: see .docs/pages.toml")

    def rewritten(self, path, lines):
        """Lines with links of the site, and code spans that Doxygen reads as such."""
        text = "\n".join(lines)
        links = [(match.start(1), match.end(1), self.address(path, match.group(1)))
                 for match in re.finditer(r"\]\(([^)\s]+)\)", masked(text))]
        for start, end, address in reversed(links):
            before = text[:start]
            if address.startswith("@"):  # whose name Doxygen shows with its backticks
                name = before.rindex("[")
                before = before[:name] + before[name:].replace("`", "")
            text = before + address + text[end:]
        return code_spans(text).split("\n")

    def text_of(self, name):
        """The Markdown of a page."""
        page = self.pages[name]
        out = [f"# {page['title']} {{#{name}}}", ""] if "title" in page else []
        for source in page.get("from", []) + page.get("takes", []):
            path, first, end = section(source)[:3] if "#" in source else (source, 0, len(document(source)[0]))
            lines = self.without_taken(name, path, first, end)
            for heading in document(path)[1]:
                if lines[heading.line]:
                    lines[heading.line] = self.head(name, heading)
            out += self.rewritten(path, lines[first:end])
        if sum(heading.level == 2 for heading in headings("\n".join(out))) > 2 and out[1] == "":
            out[1] = "[TOC]"
        return "\n".join(out) + "\n"

    def without_taken(self, name, path, first, end):
        """The lines of a file; of a section that another page has, a link to it."""
        lines = list(document(path)[0])
        for (taken_from, start), (stop, other) in self.taken.items():
            if taken_from == path and other != name and first <= start < end:
                anchor = next(heading.anchor for heading in document(path)[1] if heading.line == start)
                lines[start + 1:stop] = [""] * (stop - start - 1)
                lines[start + 2] = f"See [{self.pages[other]['title']}](#{anchor})."
        return lines

    def head(self, name, heading):
        """The line of a heading, without code, which lists of contents would show as markup."""
        title = heading.title.replace("`", "")
        if title == self.pages[name].get("title"):
            return ""
        if heading.level == 1 and "title" not in self.pages[name]:
            return f"# {title}" if name == "index" else f"# {title} {{#{name}}}"
        if name == "index":  # outside the navigation, where sections of this page would stand beside pages
            return f'<h{heading.level} id="{label(name, heading)}">{title}</h{heading.level}>'
        return f"{'#' * heading.level} {title} {{#{label(name, heading)}}}"


def label(page, heading):
    return f"{page}-{heading.anchor}"


def code_spans(text):
    """Spans that Doxygen shows as they are: one with an apostrophe is a quotation to it, unless in two backticks."""
    def quoted(match):
        span = match.group()
        if match["ticks"] != "`":
            return span
        if r"\|" in span:  # in a table, where it stands for the sign alone
            return "<code>" + html.escape(span[1:-1]) + "</code>"
        return f"`{span}`" if "'" in span else span
    return re.sub(CODE, quoted, text)


def header(text):
    """A header as Doxygen is to read it."""
    lines = text.split("\n")
    last = max(number for number, line in enumerate(lines) if line.startswith(("#include", "#pragma")) or number == 0)
    for number in range(last, min(last + 12, len(lines))):
        if lines[number].startswith("// ") and lines[number - 1] == "":
            lines[number - 1] = "/// \\file"
            while lines[number].startswith("//"):
                lines[number] = "///" + plain(lines[number][2:])
                number += 1
            break
    text = "\n".join(lines)
    text = re.sub(r"^(\}  // namespace condense\n).*\Z", r"\1", text, flags=re.S | re.M)  # templates of others
    text = re.sub(r"^inline namespace v1 \{$", "", text, flags=re.M)
    text = re.sub(r"^\}  // namespace v1$", "", text, flags=re.M)
    # Else the comment behind a member and that above the next one are one comment to it.
    text = re.sub(r" ///< (.*)$(?!\n *///<)", r" /**< \1 */", text, flags=re.M)
    return re.sub(r"^(?: *///| .*/\*\*<).*$", lambda match: code_spans(match.group()), text, flags=re.M)


def plain(text):
    """Text that Doxygen is to show as it stands."""
    return re.sub(r"[@\\#<>]", lambda match: "\\" + match.group(), text)


def example(path):
    """The comment that lists a program, by the question at its head."""
    asked = []
    for line in (ROOT / path).read_text(encoding="utf-8").split("\n")[2:]:
        if not line.startswith("//"):
            break
        asked.append(plain(line[2:].strip()))
    said = code_spans(" ".join(asked))
    return f"/*! \\example {pathlib.PurePath(path).name}\n{said}\n*/\n"


def layout(pages, theirs):
    """The navigation."""
    def tab(name, page, inner=""):
        menu, to = html.escape(page.get("menu") or page["title"]), f"@ref {name}"
        if inner:
            return f'<tab type="usergroup" visible="yes" url="{to}" title="{menu}">{inner}</tab>\n'
        return f'<tab type="user" visible="yes" url="{to}" title="{menu}"/>\n'
    out = ""
    for name, page in pages.items():
        if name != "index" and "under" not in page:
            below = [tab(*other) for other in pages.items() if other[1].get("under") == name]
            out += tab(name, page, "".join(below))
    navigation = f"<navindex>\n{out}{REFERENCE}</navindex>"
    theirs = re.sub(r"<navindex>.*</navindex>", lambda _: navigation, theirs, flags=re.S)
    # What a thing is for comes before the list of its members.
    theirs = re.sub(r"\s*<detaileddescription[^>]*/>", "", theirs)
    return re.sub(r"<briefdescription[^>]*/>", '<detaileddescription title=""/>', theirs)


def replayed(program, site):
    """What `replay` says of the conversation that comes with the library, and its page."""
    page = site / "replay.html"
    command = [program.resolve(), "--html", page, "examples/data"]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return f"""
## The report {{#replay_report-the-report}}

<a href="replay.html">The page that it writes</a>: cost against what later answers could see, tokens of each request,
what each layer removed. It prints:

```
{done.stdout}```
"""


def measured(report, site):
    """The text that benchmarks/run.sh wrote, with its pages beside it."""
    more = ""
    for name, title in (("report.html", "The report as a page with plots"), ("mixes.html", "The mixes as a page")):
        if (report.parent / name).is_file():
            shutil.copy(report.parent / name, site / f"measured_{name}")
            more += f'\n\n<a href="measured_{name}">{title}</a>\n'
    text = re.sub(r"\A# .*\n", "", report.read_text(encoding="utf-8"))
    for heading in reversed(headings(text)):
        lines = text.split("\n")
        lines[heading.line] = f"{lines[heading.line].replace('`', '')} {{#{label('measured', heading)}}}"
        text = "\n".join(lines)
    when = time.strftime("%d %B %Y", time.gmtime(report.stat().st_mtime))
    return f"\nThis report is of {when}.\n{code_spans(text)}{more}"


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def prepare(folder, options):
    """Fills the folder that Doxygen reads, and returns the settings that go with it."""
    pages = tomllib.loads((ROOT / ".docs" / "pages.toml").read_text(encoding="utf-8"))
    site = Site(pages)
    more = {}
    html_folder = options.output / "html"
    html_folder.mkdir()
    if options.replay:
        more["replay_report"] = replayed(options.replay, html_folder)
    if options.report and options.report.is_file():
        more["measured"] = measured(options.report, html_folder)
    for name in pages:
        write(folder / "pages" / f"{name}.md", site.text_of(name) + more.get(name, ""))
    for path in sorted((ROOT / "include").rglob("*.hpp")):
        if "detail" not in path.parts:
            write(folder / path.relative_to(ROOT), header(path.read_text(encoding="utf-8")))
    programs = sorted((ROOT / "examples").glob("*.cpp"))
    write(folder / "pages" / "programs.dox", "".join(example(path.relative_to(ROOT)) for path in programs))
    spaces = (ROOT / ".docs" / "namespaces.dox").read_text(encoding="utf-8")
    write(folder / "pages" / "namespaces.dox", code_spans(spaces))
    write(folder / "layout.xml", layout(pages, ask(options.doxygen, folder)))
    settings = {
        "INPUT": [*(folder / "pages" / f"{name}.md" for name in pages), folder / "pages" / "programs.dox",
                  folder / "pages" / "namespaces.dox", folder / "include"],
        "OUTPUT_DIRECTORY": [options.output],
        "STRIP_FROM_PATH": [folder / "include", folder],
        "STRIP_FROM_INC_PATH": [folder / "include"],
        "USE_MDFILE_AS_MAINPAGE": [folder / "pages" / "index.md"],
        "EXAMPLE_PATH": [ROOT / "examples"],
        "LAYOUT_FILE": [folder / "layout.xml"],
        "HTML_EXTRA_STYLESHEET": [ROOT / ".docs" / "site.css"],
    }
    if version_of(options.doxygen) >= (1, 9, 5):
        settings["HTML_COLORSTYLE"] = ["LIGHT"]  # the dark one is in site.css
    return settings


def version_of(doxygen):
    said = subprocess.run([doxygen, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return tuple(map(int, re.match(r"(\d+)\.(\d+)\.(\d+)", said).groups()))


def ask(doxygen, folder):
    """Its own layout, of which only the navigation is changed."""
    subprocess.run([doxygen, "-l", folder / "theirs.xml"], check=True, stdout=subprocess.DEVNULL)
    return (folder / "theirs.xml").read_text(encoding="utf-8")


def mend(site):
    """Takes out what Doxygen 1.9.4 links to and leaves out: values of enums without a comment, lists of nested types,
    the list of all pages. Results of the search get the site's colours."""
    anchors = {page.name: set(re.findall(r'\b(?:id|name)="([^"]+)"', page.read_text(encoding="utf-8")))
               for page in site.glob("*.html")}

    def known(match):
        there = match["page"] in anchors and (match["anchor"] or "") in anchors[match["page"]] | {""}
        return match.group() if there else ("" if match["entry"] else f'"{match["page"]}"')
    for script in site.glob("*.js"):
        text = script.read_text(encoding="utf-8")
        if script.name.startswith("navtreeindex"):
            pattern = r'"(?P<page>[^"#]+)(?:#(?P<anchor>[^"]+))?"(?P<entry>:\[[\d,]*\],?\n)'
        else:
            pattern = r'"(?P<page>[^"# ]+\.html)#(?P<anchor>[^"]+)"(?P<entry>(?!))?'
        write(script, re.sub(pattern, known, text))
    style = site / "search" / "search.css"
    write(style, '@import url("../site.css");\n' + style.read_text(encoding="utf-8"))
    for name, found in anchors.items():
        if "nested-classes" not in found:
            text = (site / name).read_text(encoding="utf-8")
            write(site / name, re.sub(r'<a href="#nested-classes">[^<]*</a> &#124;\n', "", text))


def build(options):
    began = time.monotonic()
    options.output = options.output.resolve()
    folder = options.output / "input"
    for old in (folder, options.output / "html"):
        shutil.rmtree(old, ignore_errors=True)
    folder.mkdir(parents=True)
    settings = prepare(folder, options)
    text = (ROOT / ".docs" / "Doxyfile").read_text(encoding="utf-8")
    for key, values in settings.items():
        text += f"{key} = " + " ".join(f'"{value}"' for value in values) + "\n"
    write(folder / "Doxyfile", text)
    done = subprocess.run([options.doxygen, folder / "Doxyfile"], stderr=subprocess.PIPE, text=True, check=False)
    said = done.stderr.replace(f"{folder}/", "")
    sys.stderr.write(said)
    if done.returncode != 0 or said:
        raise Fault(f"doxygen: {len(said.splitlines())} lines of warnings")
    mend(options.output / "html")
    pages = len(list((options.output / "html").glob("*.html")))
    print(f"docs: {pages} pages in {time.monotonic() - began:.1f} s, no warnings: {options.output}/html/index.html")


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    options.add_argument("--output", type=pathlib.Path, required=True)
    options.add_argument("--doxygen", default="doxygen")
    options.add_argument("--replay", type=pathlib.Path, help="the program that makes a report to show")
    options.add_argument("--report", type=pathlib.Path, help="what benchmarks/run.sh wrote, if it is there")
    try:
        build(options.parse_args())
    except Fault as fault:
        sys.exit(f"docs: {fault}")


if __name__ == "__main__":
    main()
