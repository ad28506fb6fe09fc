# SPDX-License-Identifier: BSL-1.0
"""Reads conversations of any recorded shape: parts, token estimate, pairs, groups.

Written from the documented rules alone, so that it can contradict the library.
"""

import json
from dataclasses import dataclass, field

from estimate import estimate

MARK = "condense"
UNITS = 256  # costs are integers in 1/256 token

MEDIA_TOKENS = 1600

ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant",
         "tool": "tool", "toolResult": "tool", "function": "tool"}
MEDIA_TYPES = {"image", "image_url", "input_image", "input_audio", "audio", "document", "file", "video"}
CALL_ARGUMENTS = {"tool_use": "input", "server_tool_use": "input", "toolCall": "arguments"}


class BadConversation(ValueError):
    """The document is not a conversation in any known container."""


# ---------------------------------------------------------------- JSON
def parse_json(text):
    """Strict JSON: NaN and Infinity are refused, which Python accepts by default."""
    def refuse(constant):
        raise ValueError(f"{constant} is not JSON")
    return json.loads(text, parse_constant=refuse)


def dump(value):
    """Compact JSON, as the estimator counts it and as values are compared."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def ceil_div(a, b):
    return -(-a // b)


# ---------------------------------------------------------------- parts of one message
@dataclass
class Part:
    """What the estimator counts: `flat` (in units) replaces the text of media and opaque parts."""
    kind: str  # text, reasoning, call, result, media, other
    text: str = ""
    id: str = ""
    name: str = ""
    flat: int = None
    of_result: bool = False  # a result, or something inside one


@dataclass
class Link:
    """A call or a result as pairing sees it; blocks of one message with the same id are one result."""
    kind: str  # call, result
    id: str
    name: str
    message: int = -1
    partner: "Link" = None  # a result's call; None for an orphan
    results: list = field(default_factory=list)  # a call's results


@dataclass
class Reading:
    role: str
    parts: list
    links: list
    mark: str

    @property
    def is_summary(self):
        return self.role == "user" and "summary" in self.mark

    @property
    def is_plain_user(self):
        return self.role == "user" and not self.is_summary and any(not p.of_result for p in self.parts)

    @property
    def calls(self):
        return [link for link in self.links if link.kind == "call"]

    @property
    def results(self):
        return [link for link in self.links if link.kind == "result"]


def as_text(value):
    return value if isinstance(value, str) else dump(value)
def as_id(value):
    return value if isinstance(value, str) else ""
def is_server_result(kind):
    return kind.endswith("_tool_result")


class _Reader:
    """Collects parts and links of one message."""

    def __init__(self):
        self.parts, self.links = [], []

    def call(self, id, name, arguments):
        id, name = as_id(id), as_id(name)
        self.parts.append(Part("call", as_text(arguments), id, name))
        self.links.append(Link("call", id, name))

    def result_link(self, id, name=""):
        known = any(l.kind == "result" and l.id == id for l in self.links)
        if not (id and known):
            self.links.append(Link("result", id, name))

    def result_text(self, id, text):
        self.parts.append(Part("result", text, id, of_result=True))

    def result_content(self, id, content):
        """Content of a result: a string, or blocks of which each text is a part of its own."""
        if isinstance(content, list) and content:
            for block in content:
                if isinstance(block, str):
                    self.result_text(id, block)
                elif isinstance(block, dict) and block.get("type") == "text":
                    self.result_text(id, as_text(block.get("text", "")))
                else:
                    self.block(block, of_result=True)
        else:
            self.result_text(id, "" if content in (None, []) else as_text(content))

    def block(self, block, of_result=False):
        """One block of a content list."""
        if isinstance(block, str):
            self.parts.append(Part("text", block, of_result=of_result))
            return
        kind = block.get("type", "") if isinstance(block, dict) else ""
        kind = kind if isinstance(kind, str) else ""
        if kind == "text":
            self.parts.append(Part("text", as_text(block.get("text", "")), of_result=of_result))
        elif kind == "thinking":
            self.parts.append(Part("reasoning", as_text(block.get("thinking", "")), of_result=of_result))
        elif kind == "redacted_thinking":
            tokens = ceil_div(len(as_text(block.get("data", ""))), 4)
            self.parts.append(Part("reasoning", flat=tokens * UNITS, of_result=of_result))
        elif kind in CALL_ARGUMENTS:
            self.call(block.get("id"), block.get("name"), dump(block.get(CALL_ARGUMENTS[kind])))
        elif kind == "tool_result":
            id = as_id(block.get("tool_use_id"))
            self.result_link(id)
            self.result_content(id, block.get("content"))
        elif is_server_result(kind):
            id = as_id(block.get("tool_use_id"))
            self.result_link(id)
            self.result_text(id, dump(block.get("content")))
        elif kind in MEDIA_TYPES:
            self.parts.append(Part("media", flat=MEDIA_TOKENS * UNITS, of_result=of_result))
        else:
            self.parts.append(Part("other", dump(block), of_result=of_result))


def result_ids(message):
    """Ids a tool message answers; one empty id when it carries none."""
    for name in ("tool_call_id", "toolCallId"):
        if isinstance(message.get(name), str):
            return [message[name]]
    several = message.get("tool_call_ids")
    return [as_id(id) for id in several] if isinstance(several, list) and several else [""]


def tool_calls(message):
    calls = message.get("tool_calls")
    return [c for c in calls if isinstance(c, dict)] if isinstance(calls, list) else []


READ = {"content", "tool_calls", "reasoning_content", "refusal", "usage", "parts", "details", MARK}


def words(value):
    """Bytes of the texts that are no ids, names or times."""
    if isinstance(value, str):
        return len(value.encode()) if len(value.encode()) >= 100 or " " in value else 0
    return sum(map(words, value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()))


def read_message(message):
    """Recognises the shape of one message by its members."""
    reader = _Reader()
    role = ROLES.get(message.get("role"), "other")
    content = message.get("content")
    if role == "tool":
        ids = result_ids(message)
        for id in ids:
            reader.result_link(id, as_id(message.get("name", message.get("toolName"))))
        reader.result_content(ids[0], content)
        for id in ids[1:]:
            reader.result_text(id, "")
    elif isinstance(content, list):
        for block in content:
            reader.block(block)
    elif content is not None:
        reader.parts.append(Part("text", as_text(content)))
    for name, kind in (("reasoning_content", "reasoning"), ("refusal", "text")):
        if isinstance(message.get(name), str) and message[name]:
            reader.parts.append(Part(kind, message[name]))
    for call in tool_calls(message):
        function = call.get("function")
        function = function if isinstance(function, dict) else {}
        reader.call(call.get("id"), function.get("name"), function.get("arguments", ""))
    for name, value in message.items():  # under a name that no shape has
        if name not in READ and words(value) >= 32:
            reader.parts.append(Part("other", as_text(value)))
    return Reading(role, reader.parts, reader.links, as_id(message.get(MARK)))


# ---------------------------------------------------------------- estimate
class Estimator:
    """The documented default: what a text is made of, a frame for each message."""

    def __init__(self, family="other"):
        self.family = family
        self.frame = (2 if family.startswith("claude") else 4) * UNITS

    def text(self, text):
        return estimate(text, self.family)

    def part(self, part):
        cost = self.text(part.text) if part.flat is None else part.flat
        if part.kind == "call":
            cost += self.text(part.name) + self.text(part.id)
        elif part.kind == "result":
            cost += self.text(part.id)
        return cost

    def message(self, reading):
        return self.frame + sum(self.part(p) for p in reading.parts)

    def overhead(self, system):
        """Tokens of a system prompt that stands beside the messages."""
        texts = system if isinstance(system, list) else [system]
        texts = [t.get("text") if isinstance(t, dict) else t for t in texts]
        return ceil_div(sum(self.text(t) for t in texts if isinstance(t, str)), UNITS)


# ---------------------------------------------------------------- a whole conversation
class Conversation:
    """A document with its messages read, its calls paired, its groups formed."""

    def __init__(self, document, estimator):
        self.document = document
        self.estimator = estimator
        self.messages = messages_of(document)
        self.readings = [read_message(m) for m in self.messages]
        system = document.get("system") if isinstance(document, dict) else None
        self.overhead = estimator.overhead(system)
        self.costs = [estimator.message(r) for r in self.readings]
        self._pair()
        self._group()

    def __len__(self):
        return len(self.messages)

    # -- figures

    def usage(self, indices=None):
        """Tokens of the messages named, overhead included."""
        chosen = range(len(self)) if indices is None else indices
        return self.overhead + ceil_div(sum(self.costs[i] for i in chosen), UNITS)

    def plain_users(self):
        return [i for i, r in enumerate(self.readings) if r.is_plain_user]

    def systems(self):
        return [i for i, r in enumerate(self.readings) if r.role == "system"]

    def calls(self):
        return [link for r in self.readings for link in r.calls]

    def results(self):
        return [link for r in self.readings for link in r.results]

    def head(self):
        """Index of the first message that is not a system message, or None."""
        return next((i for i, r in enumerate(self.readings) if r.role != "system"), None)

    def heads_well(self):
        """True when the first message after the system messages is a plain user message or a summary."""
        head = self.head()
        return head is None or self.can_head(head)

    def can_head(self, index):
        return self.readings[index].is_plain_user or self.readings[index].is_summary

    # -- pairs

    def _pair(self):
        """Positional: a result belongs to the nearest earlier unanswered call with its id."""
        earlier = []
        for index, reading in enumerate(self.readings):
            for link in reading.links:
                link.message = index
                if link.kind == "call":
                    earlier.append(link)
                    continue
                link.partner = _call_by_id(earlier, link) if link.id else _call_by_order(earlier, link)
                if link.partner is not None:
                    link.partner.results.append(link)

    def is_dead(self, call):
        """No result, and a later plain user message has been followed by an assistant message."""
        if call.results:
            return False
        user = next((i for i in self.plain_users() if i > call.message), None)
        return user is not None and self._assistant_after(user)

    def orphans(self):
        return [link for link in self.results() if link.partner is None]

    # -- groups

    def _group(self):
        """Messages joined, transitively, by the calls they share."""
        parent = list(range(len(self)))

        def root(i):
            while parent[i] != i:
                i = parent[i]
            return i

        for link in self.results():
            if link.partner is not None:
                a, b = root(link.message), root(link.partner.message)
                parent[max(a, b)] = min(a, b)
        self.group_of = [root(i) for i in range(len(self))]
        self.groups = {}
        for i, g in enumerate(self.group_of):
            self.groups.setdefault(g, []).append(i)

    def open_groups(self):
        """Groups that may be neither dropped nor summarised, by their first member."""
        calls = self.calls()
        found = {self.group_of[c.message] for c in calls if not c.results and not self.is_dead(c)}
        if calls:
            newest = self.group_of[calls[-1].message]
            last = self.groups[newest][-1]
            if not self._assistant_after(last):
                found.add(newest)
            found |= {self.group_of[o.message] for o in self.orphans()
                      if o.message > last and not self._assistant_after(o.message)}
        return sorted(found)

    def _assistant_after(self, index):
        return any(r.role == "assistant" for r in self.readings[index + 1:])

    def floor_members(self):
        """Messages no pressure may remove: system, latest plain user message, open groups."""
        members = set(self.systems()) | set(self.plain_users()[-1:])
        for group in self.open_groups():
            members |= set(self.groups[group])
        return members


def messages_of(document):
    """The list of messages in either container; raises BadConversation."""
    messages = document.get("messages") if isinstance(document, dict) else document
    if not isinstance(messages, list) or not all(isinstance(m, dict) for m in messages):
        raise BadConversation("neither a list of messages nor an object with such a list")
    if not all(isinstance(m.get("role"), str) for m in messages):
        raise BadConversation("a message without a role")
    return messages


def _call_by_id(earlier, result):
    """Nearest unanswered call with the id, else the nearest answered one: its result comes in pieces."""
    same = [c for c in reversed(earlier) if c.id == result.id]
    return next((c for c in same if not c.results), same[0] if same else None)


def _call_by_order(earlier, result):
    """Without an id: by tool name and order within the newest message that has calls."""
    newest = [c for c in earlier if c.message == earlier[-1].message]
    waiting = [c for c in newest if not c.results and (not result.name or c.name == result.name)]
    return waiting[0] if waiting else None
