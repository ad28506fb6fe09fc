# SPDX-License-Identifier: BSL-1.0
"""What differs between a message and what became of it, and by which rule that is wrong.

A shape says which places of a message may change, and how:
  text      a shorter text that is not empty
  json_text a shorter text that is still a JSON object
  object    an object, of other content
  json      any JSON that is not larger
  json_block a block of JSON of Bedrock, or a block of text in its place, not larger
  media     the block stays, or becomes a block of text
  output    the output of a tool of the AI SDK, `json` or a shorter `text` in its place
  images    fewer images, or no such member
  noted     a text that begins as it did, and may be longer, as it says what the images were
"""

from body import dump, parse

ID_KEYS = {"id", "call_id", "tool_call_id", "tool_use_id", "toolUseId", "toolCallId", "name", "toolName", "tool_name"}


def shown(value):
    text = dump(value)
    return text if len(text) < 60 else text[:45] + "..." + text[-10:]


def as_object(text):
    try:
        value = parse(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def wrong_edit(kind, old, new, shape):
    """Why an edit is not lawful: a rule and a text, or None."""
    if kind == "text":
        if not isinstance(new, str):
            return "shortened", f"a text became {shown(new)}"
        if not new.strip():
            return "empty", "a text became empty"
        if len(new.encode()) >= len(old.encode()):
            return "shortened", f"a text of {len(old)} characters became {len(new)} others"
    elif kind == "json_text":
        if not isinstance(new, str) or (as_object(new) is None and as_object(old) is not None):
            return "arguments", f"arguments are no JSON object any more: {shown(new)}"
        if len(new.encode()) > len(old.encode()):
            return "arguments", "arguments became longer"
    elif kind == "object":
        if not isinstance(new, dict):
            return "arguments", f"an object became {shown(new)}"
        if len(dump(new)) > len(dump(old)):
            return "arguments", "an object became larger"
    elif kind == "json":
        if new in ("", None, [], {}):
            return "empty", "an output became empty"
        if len(dump(new)) > len(dump(old)) + 2:
            return "shortened", "an output became larger"
    elif kind == "json_block":
        if not isinstance(new, dict) or list(new) not in (["json"], ["text"]):
            return "fields", f"a block of JSON became {shown(new)}"
        if "json" in new:
            return wrong_edit("object", old["json"], new["json"], shape)
        return wrong_edit("text", dump(old["json"]) + " ", new["text"], shape)
    elif kind == "media":
        if not shape.is_text_block(new):
            return "media", f"media became {shown(new)}"
        if not new["text"].strip():
            return "empty", "media became an empty text"
    elif kind == "output":
        if not isinstance(new, dict) or not isinstance(new.get("type"), str):
            return "shortened", f"an output became {shown(new)}"
        lawful = {"json": ("json", "text"), "error-json": ("error-json", "error-text")}.get(old["type"], (old["type"],))
        if new["type"] not in lawful or list(new) != list(old):
            return "fields", f"an output of type {old['type']} became {shown(new)}"
        if new["type"].endswith("text"):
            return None if isinstance(new["value"], str) and new["value"].strip() else ("empty", "an output became empty")
        return wrong_edit("json", old["value"], new["value"], shape)
    elif kind == "images":
        if not isinstance(new, list) or not new or any(each not in old for each in new):
            return "media", "images became others"
    elif kind == "noted":
        if not isinstance(new, str) or not new.strip():
            return "empty", "a text became empty"
        if not new.startswith(old[:40]):
            return "verbatim", f"{shown(old)} became {shown(new)}"
    return None


class Comparison:
    """All differences of one pair of messages that are not lawful, as rule and text, and whether there is a lawful one."""

    def __init__(self, shape, old, new):
        self.shape, self.found, self.edited = shape, [], False
        self.editable = shape.editable(old)
        self.thinking = shape.thinking(old)
        self.compare(old, new, ())

    def add(self, rule, path, text):
        sealed = any(path[:len(place)] == place for place in self.thinking)
        self.found.append(("thinking" if sealed else rule, f"{'.'.join(map(str, path)) or 'the message'}: {text}"))

    def compare(self, old, new, path):
        if self.same(old, new):
            return
        kind = self.editable.get(path)
        if kind == "media" and isinstance(new, dict) and new.get("type", new.keys()) == old.get("type", old.keys()):
            kind = "media changed"
        if kind == "media changed":
            return self.add("media", path, f"media became {shown(new)}")
        if kind:
            wrong = wrong_edit(kind, old, new, self.shape)
            self.edited = True
            return self.add(wrong[0], path, wrong[1]) if wrong else None
        if isinstance(old, dict) and isinstance(new, dict):
            return self.compare_members(old, new, path)
        if isinstance(old, list) and isinstance(new, list):
            return self.compare_elements(old, new, path)
        rule = "ids" if path and path[-1] in ID_KEYS else "verbatim"
        self.add(rule, path, f"{shown(old)} became {shown(new)}")

    def compare_members(self, old, new, path):
        lost = [key for key in old if key not in new and self.editable.get(path + (key,)) != "images"]
        self.edited = self.edited or any(key not in new for key in old)
        added = [key for key in new if key not in old]
        for key in lost:
            self.add("fields", path + (key,), "is missing")
        for key in added:
            self.add("fields", path + (key,), "is new")
        if not lost and not added and [key for key in old if key in new] != list(new):
            self.add("fields", path, "members changed places")
        for key in old:
            if key in new:
                self.compare(old[key], new[key], path + (key,))

    def compare_elements(self, old, new, path):
        if len(old) != len(new):
            gone = [place for place in self.thinking if len(place) > len(path) and place[:len(path)] == path
                    and not any(self.same(old[place[len(path)]], each) for each in new)]
            return self.add("thinking" if gone else "blocks", path, f"{len(old)} elements became {len(new)}")
        for index, (one, other) in enumerate(zip(old, new)):
            self.compare(one, other, path + (index,))

    @classmethod
    def same(cls, old, new):
        if type(old) is not type(new):
            return False
        if isinstance(old, dict):
            return list(old) == list(new) and all(cls.same(old[key], new[key]) for key in old)
        if isinstance(old, list):
            return len(old) == len(new) and all(map(cls.same, old, new))
        return old == new
