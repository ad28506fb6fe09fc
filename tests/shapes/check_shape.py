#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks a reduced conversation by the rules of its provider's shape, without using the library.

  check_shape.py SHAPE ORIGINAL.json REDUCED.json     exit 1 with a line for each finding
  check_shape.py --selftest                           every rule must find what is planted for it

SHAPE: openai, responses, anthropic, gemini, bedrock, aisdk, aisdk_ui, mcp (parameters of sampling/createMessage) or
ollama. The rules, by the names that findings have:

  json       the output is JSON that can be read            outside    all but the messages is as it was, byte for byte
  pairs      every result has its call where the provider wants it, and every call one result, unless it was open
  roles      who may speak first, and after whom            reasoning  an item of reasoning and its item stay together
  document   a document has a text beside it                empty      nothing is empty that was not
  system     system messages are as they were               last_user  what the user said last is as it was
  open_round the newest calls and results are there         order      what stayed is in the order it had, and once
  verbatim   texts of user and assistant are as they were   fields     no member is lost, new or in another place
  blocks     no block of a message is lost or new           ids        ids and names are as they were
  thinking   what is signed is as it was, or gone with its whole message
  bound      what is signed together with all before it is gone behind a change, and there before it
  shortened  a text that changed is a result, reasoning or an argument, and shorter
  arguments  arguments stay a JSON object                   media      media stay, or become a text
  bytes      an unchanged message has the bytes it had      foreign    a message is neither old nor a summary
  summary    there is one at most, and something is gone where it stands
"""

import sys

sys.dont_write_bytecode = True

import argparse
import difflib
from dataclasses import dataclass
from pathlib import Path

from body import Body, leaves
from compare import Comparison
from shapes import SHAPES

RULES = ("json outside pairs roles reasoning document empty system last_user open_round order verbatim fields blocks "
         "ids thinking bound shortened arguments media bytes foreign summary").split()
ID_KEYS = ("id", "call_id", "tool_call_id", "tool_use_id", "toolUseId", "toolCallId")
MARK = "condense"  # the member by which a later run knows its own edits; it is erased before a request is sent


@dataclass(frozen=True)
class Finding:
    rule: str
    text: str

    def __str__(self):
        return f"{self.rule}: {self.text}"


@dataclass
class Place:
    """A message of the output, or what is left of one whose last blocks were an old message."""
    index: int
    value: dict
    raw: str = None  # None where the text of the message says nothing about this
    marked: bool = False


def ids_in(value):
    """All ids in a message, wherever they stand."""
    return {text for path, text in leaves(value) if path and path[-1] in ID_KEYS}


def texts(value):
    """Texts of some length in a message, data among them."""
    return [text for _, text in leaves(value) if len(text) > 15]


def said(value):
    """The words of a message, its data left out."""
    return " ".join(text for text in texts(value) if " " in text)[:600]


def same_end(one, other, length=20):
    return min(len(one), len(other)) >= length and (one[:length] == other[:length] or one[-length:] == other[-length:])


def parted(whole, part, at_end):
    """The end or the beginning of a joined content, as long as one that was there before, and what else it holds."""
    if isinstance(whole, list) and not isinstance(part, list) and len(whole) > 1:
        block = whole[-1 if at_end else 0]
        texts = [{"type": kind, "text": part} for kind in ("text", "input_text", "output_text")]
        if block == part or block in (*texts, {"text": part}):
            return part, whole[:-1] if at_end else whole[1:]
    if isinstance(whole, list) and isinstance(part, list) and 0 < len(part) < len(whole):
        count = len(part)
        return (whole[-count:], whole[:-count]) if at_end else (whole[:count], whole[count:])
    if isinstance(whole, dict) and isinstance(part, dict):  # MCP
        text, others = parted(whole.get("text"), part.get("text"), at_end)
        return (part, {**whole, "text": others}) if text is not None and {**whole, "text": text} == part else (None, None)
    if isinstance(whole, str) and isinstance(part, str) and part and len(whole) > len(part) + 2:
        if at_end and whole.endswith("\n\n" + part):
            return part, whole[:-len(part) - 2]
        if not at_end and whole.startswith(part + "\n\n"):
            return part, whole[len(part) + 2:]
    return None, None


class Judge:
    """Compares one output with its original."""

    def __init__(self, shape, original, reduced, reasoning_may_go):
        self.shape, self.old, self.new, self.findings = shape, original, reduced, []
        newest = set(shape.open_round(original.messages))
        self.may_go = {at for at in range(len(original.messages)) if at not in newest} if reasoning_may_go else set()
        self.matched = {}  # place in the original: (Place, was it edited)
        self.summaries = []  # (Place, place in the original that it stands before)

    def add(self, rule, text):
        self.findings.append(Finding(rule, text))

    def check(self):
        if self.old.outside != self.new.outside:
            self.add("outside", "something beside the messages is not as it was")
        self.align()
        self.check_kept()
        self.check_summaries()
        self.check_bound()
        known = {(rule, key) for rule, key, _ in self.shape.problems(self.old.messages)}
        for rule, key, text in self.shape.problems(self.new.messages):
            if (rule, key) not in known:
                self.add(rule, text)
        if hasattr(self.shape, "with_original"):
            for rule, _, text in self.shape.with_original(self.old.messages, self.new.messages):
                self.add(rule, text)
        return self.findings

    # -- which message is which

    def align(self):
        """Finds the original of each message, from the newest on, as the newest are kept."""
        limit = len(self.old.messages)
        for index in range(len(self.new.messages) - 1, -1, -1):
            value, marked = self.new.messages[index], False
            if isinstance(value, dict) and isinstance(value.get(MARK), str):
                value, marked = {key: each for key, each in value.items() if key != MARK}, True
            place = Place(index, value, self.new.raw[index], marked)
            while place is not None:
                limit, place = self.place(place, limit)

    def place(self, place, limit):
        """Finds the original of one message below `limit`: the new limit, and what is left to find."""
        exact = next((at for at in range(limit - 1, -1, -1) if self.is_exact(at, place)), None)
        joined = self.joined(place, limit) if exact is None else None
        if joined is not None:
            return joined
        at = exact if exact is not None else next(
            (at for at in range(limit - 1, -1, -1) if not self.compare(at, place.value).found), None)
        if at is not None:
            self.match(at, place, exact is None)
            return at, None
        elsewhere = next((at for at in range(len(self.old.messages) - 1, limit - 1, -1)
                          if not self.compare(at, place.value).found), None)
        if elsewhere is not None:
            self.add("order", f"message {place.index} was message {elsewhere}, and stands before {limit} or twice")
        elif self.shape.summary(place.value) is not None and not self.kin(place.value):
            self.summaries.append((place, limit))
        else:
            self.diagnose(place)
        return limit, None

    def is_exact(self, at, place):
        old = self.old.messages[at]
        return Comparison.same({**old, "id": ""} if place.value.get("id") == "" else old, place.value)

    def compare(self, at, value):
        """Of a message whose reasoning may go the comparison without it, where that is the lawful one."""
        old = self.old.messages[at]
        if isinstance(value, dict) and value.get("id") == "":  # what is left of a joined message
            old = {**old, "id": ""}
        compared = Comparison(self.shape, old, value)
        lawful = [self.shape.without_bound(old, first) for first in range(len(self.shape.bound(old)))]
        for without in [*lawful, *([self.shape.without_reasoning(old)] if at in self.may_go else [])]:
            if compared.found:
                other = Comparison(self.shape, without, value)
                if not other.found:
                    other.edited = True
                    return other
        return compared

    def joined(self, place, limit):
        """Where neighbours of one role may be joined: an old message at the end of this one, or at its beginning with the
        summary behind it."""
        key = self.shape.joins
        if not isinstance(place.value, dict) or key not in place.value:
            return None
        for at_end in (True, False):
            for at in range(limit - 1, -1, -1):
                old = self.old.messages[at]
                part, others = parted(place.value[key], old.get(key), at_end)
                if part is None or self.shape.role(old) != self.shape.role(place.value):
                    continue
                # It may be the other one that the members of the message are of.
                compared = self.compare(at, {**old, key: part})
                rest = {name: others if name == key else each for name, each in place.value.items()
                        if name in (key, "role", "type", "id") or name not in old}
                if "id" in rest:
                    rest["id"] = ""
                if compared.found or set(old) - {"id"} - set(place.value):
                    continue
                if at_end:
                    self.match(at, Place(place.index, place.value), compared.edited)
                    return at, Place(place.index, rest)
                if self.shape.summary(rest) is not None and not self.kin(rest):
                    self.summaries.append((Place(place.index, rest), limit))
                    self.match(at, Place(place.index, place.value), compared.edited)
                    return at, None
        return None

    def match(self, at, place, edited):
        self.matched[at] = place, edited
        if not edited and place.raw is not None and not place.marked and place.raw != self.old.raw[at]:
            self.add("bytes", f"message {place.index}, once {at}, did not change and has other bytes")
        if edited:
            for what in self.shape.empty(place.value):
                if what not in set(self.shape.empty(self.old.messages[at])):
                    self.add("empty", f"message {place.index}: {what} is empty")

    def kin(self, value):
        """The old messages of this role that became this one beyond doubt: by an id, a whole text, or one end of it. A
        summary may quote what it stands for, but has words of its own at both ends."""
        mine, ids, role = set(texts(value)), ids_in(value), self.shape.role(value)
        old = [(at, m) for at, m in enumerate(self.old.messages) if self.shape.role(m) == role]
        return [at for at, m in old if ids & ids_in(m)] or [at for at, m in old if mine & set(texts(m))] \
            or [at for at, m in old if same_end(said(m), said(value))] \
            or [at for at, m in old if value.get("tool_name") is not None and m.get("tool_name") == value["tool_name"]]

    def near(self, value):
        """The old message of this role that has most of the words."""
        words, role = said(value), self.shape.role(value)
        ratios = [(difflib.SequenceMatcher(None, words, said(m), autojunk=False).ratio(), at)
                  for at, m in enumerate(self.old.messages) if words and self.shape.role(m) == role]
        return [at for ratio, at in sorted(ratios)[-1:] if ratio > 0.7]

    def diagnose(self, place):
        """Says by which rule a message is no lawful edit of its original, as far as that can be told."""
        candidates = self.kin(place.value) or self.near(place.value)
        if not candidates:
            return self.add("foreign", f"message {place.index} is neither an old message nor a summary")
        best = min(candidates, key=lambda at: len(self.compare(at, place.value).found))
        self.matched.setdefault(best, (place, True))
        for rule, text in self.compare(best, place.value).found:
            self.add(rule, f"message {place.index}, once {best}: {text}")

    # -- what has to be there

    def check_kept(self):
        messages, shape = self.old.messages, self.shape
        for at, m in enumerate(messages):
            if shape.is_system(m) and (at not in self.matched or self.matched[at][1]):
                self.add("system", f"the system message {at} is {'changed' if at in self.matched else 'gone'}")
        users = [at for at, m in enumerate(messages) if shape.is_user(m)]
        if users and (users[-1] not in self.matched or self.matched[users[-1]][1]):
            self.add("last_user", f"what the user said last, message {users[-1]}, is "
                                  f"{'changed' if users[-1] in self.matched else 'gone'}")
        for at in shape.open_round(messages):
            if at not in self.matched:
                self.add("open_round", f"message {at} of the newest round is gone")

    def check_bound(self):
        """Where reasoning may go alone, the oldest may."""
        shape, changed, kept = self.shape, False, False
        for at, old in enumerate(self.old.messages):
            if at not in self.matched:
                changed = changed or shape.without_bound(old) == old or bool(shape.without_bound(old).get(shape.BOUND[0]))
                continue
            place = self.matched[at][0]
            places, new = {bound[1] for bound in shape.bound(old)}, place.value
            if places:
                rest = list(new[shape.BOUND[0]]) if isinstance(new.get(shape.BOUND[0]), list) else []
                for index, block in enumerate(old[shape.BOUND[0]]):
                    there = bool(rest) and Comparison.same(rest[0], block)
                    if index not in places:
                        changed = changed or not there
                    elif there and changed:
                        self.add("bound", f"message {place.index}, once {at}, has what was signed behind another beginning")
                    elif not there and not changed and (kept or at not in self.may_go):
                        self.add("bound", f"message {place.index}, once {at}, lacks what was signed, and nothing before it has changed")
                    kept = kept or (there and index in places)
                    if there or index not in places:
                        rest = rest[1:]
            changed = changed or shape.without_bound(new) != shape.without_bound(old)

    def check_summaries(self):
        if len(self.summaries) > 1:
            self.add("summary", f"there are {len(self.summaries)} summaries")
        for place, limit in self.summaries:
            if not self.shape.summary(place.value).strip():
                self.add("empty", f"message {place.index}: the summary is empty")
            before = max((at for at in self.matched if at < limit), default=-1)
            if all(at in self.matched for at in range(before + 1, limit)):
                self.add("summary", f"message {place.index} is a summary, and nothing is gone where it stands")
            if any(self.shape.is_system(m) for m in self.new.messages[place.index + 1:]):
                self.add("summary", f"message {place.index} is a summary and stands before the system prompt")


def check(name, original, reduced, reasoning_may_go=False):
    """Findings about the text of an output; `original` is the text that it was made of. Reasoning goes with its whole
    message, unless it may go alone, which no provider minds before the newest round, if all of a message goes."""
    shape = SHAPES[name]
    old = Body(original, shape.list_key)
    try:
        new = Body(reduced, shape.list_key)
    except (ValueError, RecursionError, IndexError) as error:
        return [Finding("json", f"the output cannot be read: {error}")]
    if not all(isinstance(m, dict) for m in new.messages):
        return [Finding("json", "a message of the output is no object")]
    return Judge(shape, old, new, reasoning_may_go).check()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--selftest", action="store_true", help="check the checker")
    parser.add_argument("--reasoning-may-go", action="store_true",
                        help="all reasoning of a message before the newest round may be gone and its message there")
    parser.add_argument("shape", nargs="?", choices=sorted(SHAPES))
    parser.add_argument("original", nargs="?")
    parser.add_argument("reduced", nargs="?")
    options = parser.parse_args()
    if options.selftest:
        from shapes_selftest import selftest
        return selftest()
    if not options.reduced:
        parser.error("a shape, an original and an output are wanted")
    findings = check(options.shape, Path(options.original).read_bytes().decode(),
                     Path(options.reduced).read_bytes().decode(), options.reasoning_may_go)
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
