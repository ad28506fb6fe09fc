# SPDX-License-Identifier: BSL-1.0
"""Recorded conversations of any shape as plain OpenAI chat messages that every provider takes, requests out of them,
and the names that their later answers need. Reads messages by tests/transcripts/conversation.py."""

import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests/transcripts"))

from conversation import BadConversation, messages_of, parse_json, read_message  # noqa: E402

ANSWERS = 3  # how many of the next answers are searched for names
# As in driver.py and driver.mjs: words that are a path, an address, an identifier or a number.
WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.\-/:@#]{2,}[A-Za-z0-9_]")
NAME = re.compile(r"[/_@0-9]|[a-z][A-Z]|[a-z]\.[a-z]")


def names(text):
    return {word for word in WORD.findall(text) if NAME.search(word)}


def strings(value):
    """Every string and number in a JSON value, its keys apart."""
    if isinstance(value, dict):
        return [text for one in value.values() for text in strings(one)]
    if isinstance(value, list):
        return [text for one in value for text in strings(one)]
    return [] if value is None or isinstance(value, bool) else [str(value)]


def texts(message):
    """What a model reads of a message; arguments parsed, so that no escape glues to a name."""
    found = [message.get("content") or ""]
    for call in message.get("tool_calls") or []:
        try:
            found += strings(json.loads(call["function"]["arguments"]))
        except ValueError:
            found.append(call["function"]["arguments"])
    return found


def text_of(messages):
    return "\n".join(text for message in messages for text in texts(message))


def shown(name, text):
    return name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


# ---------------------------------------------------------------- plain messages

def arguments(text):
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    return json.dumps(value if isinstance(value, dict) else {"input": text}, ensure_ascii=False, separators=(",", ":"))


class _Plain:
    """Messages of which every call has its result right behind it, and no two of user or assistant are neighbours."""

    def __init__(self, system):
        self.system, self.messages, self.waiting, self.calls = system, [], [], 0

    def add(self, role, text, calls=()):
        self.close()
        if not text and not calls:
            return
        last = self.messages[-1] if self.messages else None
        if last and last["role"] == role and not last.get("tool_calls"):
            last["content"] = f"{last['content']}\n\n{text}".strip()
        else:
            last = {"role": role, "content": text}
            self.messages.append(last)
        for part in calls:
            self.calls += 1
            id = f"call_{self.calls}"
            self.waiting.append((part.id, id))
            made = {"id": id, "type": "function", "function": {"name": part.name, "arguments": arguments(part.text)}}
            last.setdefault("tool_calls", []).append(made)

    def result(self, id, text):
        at = next((k for k, (theirs, _) in enumerate(self.waiting) if theirs == id or not id), None)
        if at is not None:
            answered = self.waiting.pop(at)[1]
            self.messages.append({"role": "tool", "tool_call_id": answered, "content": text or "(empty)"})

    def close(self):
        for _, id in self.waiting:
            self.messages.append({"role": "tool", "tool_call_id": id, "content": "(no result)"})
        self.waiting = []


def joined(parts):
    said = ("[image]" if part.kind == "media" else "" if part.kind == "reasoning" else part.text for part in parts)
    return "\n".join(text for text in said if text)


def plain(document):
    """One system message or none, then user first; reasoning is left out, media is a note, ids are unique."""
    system = document.get("system", "") if isinstance(document, dict) else ""
    made = _Plain([text for text in strings(system) if text not in ("", "text")])
    for message in messages_of(document):
        reading = read_message(message)
        said = joined(part for part in reading.parts if not part.of_result and part.kind != "call")
        if reading.role == "system":
            made.system.append(said)
            continue
        for link in reading.results:
            made.result(link.id, joined(part for part in reading.parts if part.of_result and part.id in (link.id, "")))
        if reading.role in ("user", "assistant"):
            calls = [part for part in reading.parts if part.kind == "call"]
            if said or calls or not reading.results:
                made.add(reading.role, said, calls)
    made.close()
    first = next((k for k, message in enumerate(made.messages) if message["role"] == "user"), len(made.messages))
    system = [{"role": "system", "content": "\n\n".join(made.system)}] if any(made.system) else []
    return system + made.messages[first:]


def read(places):
    """{name: messages} of files and folders, and lines on what could not be read."""
    found, problems = {}, []
    for place in map(pathlib.Path, places):
        for path in sorted(place.glob("*.json")) if place.is_dir() else [place]:
            try:
                found[path.stem] = plain(parse_json(path.read_text(encoding="utf-8")))
            except (OSError, ValueError, RecursionError, BadConversation) as error:
                problems.append(f"{path}: {error}")
    return found, problems


# ---------------------------------------------------------------- requests

class Request:
    """The messages before one recorded answer, larger than the window, and the names that it and the next ones need."""

    def __init__(self, conversation, at, window, messages):
        self.conversation, self.at, self.window, self.messages = conversation, at, window, messages[:at]
        answers = [message for message in messages[at:] if message["role"] == "assistant"][:ANSWERS]
        system = text_of(message for message in self.messages if message["role"] == "system")
        before = text_of(message for message in self.messages if message["role"] != "system")
        wanted = sorted(names(text_of(answers)))
        self.names = [name for name in wanted if shown(name, before) and not shown(name, system)]


def requests(conversations, windows, costs, most):
    """At most so many of each conversation and window, evenly spread over those larger than the window."""
    found = []
    for name, messages in conversations.items():
        for window in windows:
            at, tokens = [], 0
            for k, message in enumerate(messages):
                if message["role"] == "assistant" and tokens > window:
                    at.append(k)
                tokens += costs[name][k]
            step = max(1, len(at) / most)
            chosen = sorted({at[int(k * step)] for k in range(min(most, len(at)))})
            found += [Request(name, k, window, messages) for k in chosen]
    return found
