# SPDX-License-Identifier: BSL-1.0
"""A request body as text and as values: what stands outside of its messages, and the text of each message."""

import json
from dataclasses import dataclass
from json.decoder import scanstring


@dataclass(frozen=True)
class Number:
    """A number as it was spelled: 1.0 is not 1 where all else has to stay byte for byte."""
    spelled: str


def members(pairs):
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("an object has a member twice")
    return value


def refuse(name):
    raise ValueError(f"{name} is not JSON")


DECODER = json.JSONDecoder(object_pairs_hook=members, parse_float=Number, parse_int=Number, parse_constant=refuse)


def parse(text):
    return DECODER.decode(text)


def dump(value):
    """Text of a value; numbers as they were spelled."""
    if isinstance(value, Number):
        return value.spelled
    if isinstance(value, dict):
        return "{" + ",".join(f"{dump(str(key))}:{dump(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(dump, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def leaves(value, path=()):
    """Places and texts of all strings in a value."""
    if isinstance(value, str):
        yield path, value
    for key, each in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from leaves(each, path + (key,))


def after_space(text, at):
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at


def elements(text, at):
    """Begin and end of each element of the array that begins at `at`, and where the array ends."""
    spans = []
    at = after_space(text, at + 1)
    while text[at] != "]":
        _, end = DECODER.raw_decode(text, at)
        spans.append((at, end))
        at = after_space(text, end)
        if text[at] == ",":
            at = after_space(text, at + 1)
    return spans, at + 1


class Body:
    """`messages` are values, `raw` their texts, `outside` the text before and behind the array."""

    def __init__(self, text, key):
        self.text, self.value = text, parse(text)
        at = after_space(text, 0)
        begin = at if text[at] == "[" else self.member(text, at, key)
        if begin is None or text[begin] != "[":
            raise ValueError(f"no array {key!r}")
        spans, end = elements(text, begin)
        self.messages = [parse(text[first:last]) for first, last in spans]
        self.raw = [text[first:last] for first, last in spans]
        self.outside = text[:begin], text[end:]

    @staticmethod
    def member(text, at, wanted):
        at = after_space(text, at + 1)
        while text[at] != "}":
            key, at = scanstring(text, at + 1)
            at = after_space(text, after_space(text, at) + 1)
            if key == wanted:
                return at
            _, at = DECODER.raw_decode(text, at)
            at = after_space(text, at)
            if text[at] == ",":
                at = after_space(text, at + 1)
        return None

    def with_messages(self, messages):
        """The text of the body with other messages: those that are one of these keep its text."""
        known = {dump(each): text for each, text in zip(self.messages, self.raw)}
        return self.outside[0] + "[" + ",".join(known.get(dump(m), dump(m)) for m in messages) + "]" + self.outside[1]
