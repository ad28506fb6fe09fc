# SPDX-License-Identifier: BSL-1.0
"""Judges what a library would send: whether a provider takes it, what it protects, what of it later answers can see.

Pairs, open calls and the head are read by tests/transcripts/conversation.py, as check_reduction.py there does.
"""

from conversation import Conversation
from conversations import shown, text_of


class _Free:
    """An estimator for which nothing costs: sizes are counted exactly, and elsewhere."""

    def message(self, _):
        return 0

    def overhead(self, _):
        return 0


def read(messages):
    return Conversation(messages, _Free())


def refusals(sent):
    """Why a provider refuses the messages: nothing, or a list of reasons."""
    after = read(sent)
    found = []
    if not any(reading.role in ("user", "assistant") for reading in after.readings):
        return ["nothing is left but a system message" if sent else "nothing is left"]
    if any(not call.results for call in after.calls()):
        found.append("a call without its result")
    if after.orphans():
        found.append("a result without its call")
    waiting = set()
    for message in sent:  # results stand right behind their calls
        if message["tool_call_id"] not in waiting if message["role"] == "tool" else waiting:
            found.append("a result not right behind its call")
            break
        waiting.discard(message.get("tool_call_id"))
        waiting |= {call["id"] for call in message.get("tool_calls") or []}
    head = after.head()
    if head is not None and sent[head]["role"] != "user":
        found.append(f"begins with {sent[head]['role']}")
    if sent[-1]["role"] == "assistant":
        found.append("ends with assistant")
    if any(not message.get("content") and not message.get("tool_calls") for message in sent):
        found.append("an empty message")
    return found


def harms(before, sent):
    """What should have stayed and did not: instructions, the latest question, results no model has seen, the order."""
    was, found = read(before), []
    after = {role: text_of(message for message in sent if message["role"] == role) for role in ("system", "user")}
    if any(before[k]["content"] not in after["system"] for k in was.systems()):
        found.append("system message changed")
    if any(before[k]["content"] not in after["user"] for k in was.plain_users()[-1:]):
        found.append("latest user message lost")
    answered = {message.get("tool_call_id") for message in sent if message["role"] == "tool"}
    unseen = {before[k]["tool_call_id"] for group in was.open_groups() for k in was.groups[group]
              if before[k]["role"] == "tool"}
    if unseen - answered:
        found.append("results lost that no model has seen")
    places = {message.get("tool_call_id"): k for k, message in enumerate(before) if message["role"] == "tool"}
    order = [places[message["tool_call_id"]] for message in sent if message.get("tool_call_id") in places]
    if order != sorted(order) or len(set(order)) < len(order):
        found.append("results moved or sent twice")
    return found


class Verdict:
    """On one request: `sent` is None where the library gave up, with the reason in `failed`."""

    def __init__(self, request, sent, tokens, seconds, failed=None):
        self.window, self.tokens, self.seconds, self.failed = request.window, tokens, seconds, failed
        self.refusals = ["gave up"] if sent is None else refusals(sent)
        self.harms = [] if sent is None else harms(request.messages, sent)
        self.fits = sent is not None and tokens <= request.window
        self.taken = not self.refusals
        text = text_of(sent) if sent else ""
        self.wanted, self.seen = len(request.names), sum(shown(name, text) for name in request.names)
        self.visible = self.seen if self.fits and self.taken else 0
