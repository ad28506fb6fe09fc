#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks the documents: README.md and every Markdown file in examples, benchmarks, tests, include and .docs.

Each C++ block is an excerpt of an example or of the list of mixes, white space aside, each command an existing script, each
relative link an existing file and heading, each <condense/...> an existing header, each test of the table of threats
an existing test. Each folder of include/condense has a README, that of the project has at most 200 lines, and no line has
more than 120 columns but tables and addresses.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST_LINES, MOST_COLUMNS = 200, 120


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.S | re.M)


def prose(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)


def packed(code):
    return "".join(code.split())


def anchors(text):
    """The names that GitHub gives to headings: small letters, no punctuation, hyphens for spaces."""
    names = []
    for title in re.findall(r"^#+ (.*)$", prose(text), re.M):
        name = re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")
        names.append(f"{name}-{names.count(name)}" if name in names else name)
    return names


def broken_links(name, text, documents):
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(text)):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        to = (ROOT / name).parent.joinpath(path).resolve() if path else ROOT / name
        if not to.exists():
            yield f"{name}: the link {target} leads nowhere"
        elif anchor and anchor not in anchors(documents.get(str(to.relative_to(ROOT)), "")):
            yield f"{name}: the link {target} names no heading"


def missing_tests(name, text):
    """The last column of a table names files or folders of tests, a test of C++ by its stem."""
    for row in re.findall(r"^\|.*\|([^|]*)\|$", text, re.M):
        for test in re.findall(r"`([^`]+/[^`]*|[^`]+[.]sh)`", row):
            if not any((ROOT / "tests" / (test + suffix)).exists() for suffix in ("", ".test.cpp")):
                yield f"{name}: no such test: {test}"


def missing_facts(name, text):
    """A table that lists the members of group_facts or part_facts."""
    header = (ROOT / "include" / "condense" / "core" / "handles.hpp").read_text(encoding="utf-8")
    for kind, row in re.findall(r"^\| `draft[.]about\((group|part)\)` \| (.*) \|$", text, re.M):
        members = re.search(rf"^struct {kind}_facts {{(.*?)^}};", header, re.S | re.M)[1]
        for member in re.findall(r"`(\w+)`", row):
            if not re.search(rf" {member} = ", members):
                yield f"{name}: {kind}_facts has no member {member}"


def problems(documents, examples):
    """documents: {path: text}; examples: the texts that blocks may come from."""
    found = []
    sources = [packed(example) for example in examples]
    for name, text in documents.items():
        for block in blocks(text, "cpp"):
            if not any(packed(block) in source for source in sources):
                found.append(f"{name}: no example contains:\n{block}")
        commands = "\n".join(blocks(text, "sh") + re.findall(r"`([^`\n]+)`", prose(text)))
        for script in re.findall(r"^sh (\S+)", commands, re.M):
            if not (ROOT / script).is_file():
                found.append(f"{name}: no such script: {script}")
        for header in re.findall(r"<(condense/[\w/]+\.hpp)>", text):
            if not (ROOT / "include" / header).is_file():
                found.append(f"{name}: no such header: {header}")
        found += broken_links(name, text, documents)
        found += missing_facts(name, text)
        if name in (".docs/guarantees.md", ".docs/security.md"):
            found += missing_tests(name, text)
        for number, line in enumerate(text.splitlines(), 1):
            if len(line) > MOST_COLUMNS and not line.startswith("|") and "://" not in line:
                found.append(f"{name}:{number}: {len(line)} columns")
    lines = documents["README.md"].count("\n")
    if lines > MOST_LINES:
        found.append(f"README.md: {lines} lines, at most {MOST_LINES}")
    for folder in sorted((ROOT / "include" / "condense").iterdir()):
        if folder.is_dir() and f"include/condense/{folder.name}/README.md" not in documents:
            found.append(f"include/condense/{folder.name} has no README.md")
    return found


def unnoticed(documents, examples):
    """Each error planted in the documents must be found."""
    before = len(problems(documents, examples))
    readme = documents["README.md"]
    planted = {
        "a misspelt layer": {"README.md": readme.replace("condense::offload{", "condense::offlod{", 1)},
        "a block on a page of the site": {".docs/measured.md": "```cpp\ncondense::offlod{}\n```\n"},
        "a missing script": {"README.md": readme.replace("sh tests/run.sh", "sh tests/walk.sh", 1)},
        "a missing file": {"README.md": readme + "[here](examples/nowhere.cpp)\n"},
        "a missing heading": {"README.md": readme + "[here](examples/README.md#nowhere)\n"},
        "a missing test": {".docs/security.md": documents[".docs/security.md"].replace("`llm/fence`", "`llm/fences`", 1)},
        "a missing member": {"tests/README.md": documents["tests/README.md"] + "| `draft.about(part)` | `kind`, `weight` |\n"},
        "a missing header": {"README.md": readme + "`<condense/core/nowhere.hpp>`\n"},
        "a long line": {"tests/README.md": documents["tests/README.md"] + "word " * 25 + "\n"},
        "a long README": {"README.md": readme + "\n" * (MOST_LINES + 1 - readme.count("\n"))},
        "a folder without README": {"include/condense/detail/README.md": None},
    }
    for name, changed in planted.items():
        with_error = {path: text for path, text in {**documents, **changed}.items() if text is not None}
        if len(problems(with_error, examples)) <= before:
            yield f"not noticed: {name}"


def main():
    paths = [ROOT / "README.md"]
    for folder in ("benchmarks", "examples", "include", "tests", ".docs"):
        paths += sorted((ROOT / folder).rglob("*.md"))
    documents = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths}
    sources = [*sorted((ROOT / "examples").glob("*.cpp")), ROOT / "benchmarks" / "mix" / "mixes.hpp"]
    examples = [path.read_text(encoding="utf-8") for path in sources]
    found = problems(documents, examples) + list(unnoticed(documents, examples))
    print("\n".join(found) or f"{len(documents)} documents: every block is an excerpt of an example")
    sys.exit(bool(found))


main()
