# SPDX-License-Identifier: BSL-1.0
"""Made-up conversations, the program `replay` run on them, and the elements of the pages that come of it."""

import html.parser
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import checks

PATIENCE = 300  # seconds for one run; a sanitized build on a busy machine is slow
ROOT = pathlib.Path(__file__).resolve().parents[2]
SESSION = ROOT / "examples" / "data" / "session.json"
MIXES = re.findall(r"^    named\{\s*\"(\w+)\"", (ROOT / "benchmarks" / "mix" / "mixes.hpp").read_text(encoding="utf-8"), re.M)

# What would be markup, script or an escape sequence if anything let it through.
HOSTILE = "</script><img src=x onerror=alert(1)><!--<script>\"'&amp;\u202e${x}`"


def hostile_path(folder, beside=""):
    """A file whose path holds all of it: the slash comes from a folder."""
    before, after = HOSTILE.split("/")
    inner = pathlib.Path(folder) / (beside + before)
    inner.mkdir(exist_ok=True)
    return inner / (after + ".json")


def conversation(rounds, seed=0, said=""):
    """Messages in OpenAI chat shape; answers name what results have said."""
    messages = [{"role": "user", "content": f"Mend build {seed}. {said}"}]
    for at in range(rounds):
        name = f"module_{seed}_{at}.cpp"
        call = {"id": f"c{at}", "type": "function", "function": {"name": "read_file", "arguments": json.dumps({"path": name})}}
        lines = [f"int value_{line}_{at} = {seed * 7919 + line * 31 + at};" for line in range(60)]
        messages += [{"role": "assistant", "content": "", "tool_calls": [call]},
                     {"role": "tool", "tool_call_id": f"c{at}", "content": "\n".join(lines) + said},
                     {"role": "assistant", "content": f"I have seen `value_3_{at}` in {name}, and value_1_0 before. {said}"},
                     {"role": "user", "content": "Go on."}]
    return messages


def write_lines(path, count, rounds=4, others=()):
    """A conversation a line; `others` are lines by number, from 1, in between."""
    others = dict(others)
    with open(path, "wb") as file:
        for line in range(1, count + len(others) + 1):
            text = others[line] if line in others else json.dumps({"messages": conversation(rounds + line % 5, line)}).encode()
            file.write(text + b"\n")


def run(program, arguments, status=0, environment=None):
    """Gives what was printed to standard output and to standard error."""
    return tuple(map(checks.no_controls, checks.run([program, *arguments], b"", status, environment, patience=PATIENCE)))


def report(program, folder, arguments, status=0, environment=None):
    """Gives what was printed, and the JSON."""
    path = pathlib.Path(folder) / "report.json"
    output, errors = run(program, ["--json", path, *arguments], status, environment)
    return output, errors, json.loads(path.read_text(encoding="utf-8"))


class Node:
    def __init__(self, tag, attributes):
        self.tag, self.attributes, self.children, self.text = tag, attributes, [], ""

    def all(self, tag=None, **wanted):
        """Those below with this tag and these attributes."""
        for child in self.children:
            if (tag is None or child.tag == tag) and all(child.attributes.get(key.rstrip("_")) == value for key, value in wanted.items()):
                yield child
            yield from child.all(tag, **wanted)

    def one(self, identity):
        return next(self.all(id=identity))

    def said(self):
        return self.text + "".join(child.said() for child in self.children)


class Tree(html.parser.HTMLParser):
    """The elements of a page; `crossed` are ends of what was not the innermost, `open` is what never ends."""

    def __init__(self, text):
        super().__init__()
        self.root, self.crossed = Node("", {}), []
        self.open = [self.root]
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.handle_startendtag(tag, attrs)
        if tag not in ("meta", "input", "img", "br"):
            self.open.append(self.open[-1].children[-1])

    def handle_startendtag(self, tag, attrs):
        self.open[-1].children.append(Node(tag, dict(attrs)))

    def handle_endtag(self, tag):
        if self.open[-1].tag != tag:
            self.crossed.append(tag)
        while len(self.open) > 1 and self.open.pop().tag != tag:
            pass

    def handle_data(self, data):
        self.open[-1].text += data
