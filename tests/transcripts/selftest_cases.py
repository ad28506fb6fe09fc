# SPDX-License-Identifier: BSL-1.0
"""Correct reductions of small conversations in every shape, each with the report a truthful program writes."""

import copy

from conversation import Conversation, Estimator, dump, messages_of
from rules import EXHAUSTED, FITS, Reduction, floor

WORDS = "the parser reads a line, splits it at the comma and keeps what is left. "
WINDOW = 300  # holds the correct reduction of the OpenAI case, and little more


# ---------------------------------------------------------------- messages to build with
def words(count, tag):
    return f"{tag}: " + WORDS * count
def openai_call(id, name, arguments):
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
def openai_calls(*calls, text=None):
    return {"role": "assistant", "content": text, "refusal": None, "tool_calls": list(calls)}
def openai_result(id, text, name="read_file"):
    return {"role": "tool", "tool_call_id": id, "name": name, "content": text}
def user(text, **others):
    return {"role": "user", "content": text, **others}
def assistant(text, **others):
    return {"role": "assistant", "content": text, **others}
def summary(text="Read two files, then fixed the parser."):
    return {"role": "user", "content": text, "condense": "summary:1"}
def shortened(message, text):
    return {**message, "content": text, "condense": "short:1"}


# ---------------------------------------------------------------- honest reports
def figures(document, family="other"):
    conversation = Conversation(document, Estimator(family))
    return conversation.usage(), len(conversation)


def honest(r):
    """The report a truthful program would write for this reduction."""
    tokens_before, messages_before = figures(r.input)
    tokens_after, messages_after = figures(r.output)
    saved = tokens_before - tokens_after
    layers, at = [], tokens_before
    for name, share in (("compress", saved // 3), ("summarize", saved - saved // 3), ("escalate", 0)):
        layers.append({"name": name, "outcome": "applied" if share else "declined", "tokens_before": at,
                       "tokens_after": at - share, "groups_dropped": 0, "parts_shortened": 0, "artifacts": 0,
                       "note": ""})
        at -= share
    lists = [[{k: v for k, v in m.items() if k != "condense"} for m in messages_of(d)] for d in (r.input, r.output)]
    same = [dump(a) == dump(b) for a, b in zip(*lists)] + [False]
    changed = -1 if lists[0] == lists[1] else same.index(False)
    return {"outcome": "exhausted" if r.exit == EXHAUSTED else "fits", "window": r.window,
            "tokens_before": tokens_before, "tokens_after": tokens_after, "messages_before": messages_before,
            "messages_after": messages_after, "first_changed": changed,
            "floor": floor(r) if r.exit == EXHAUSTED else 0, "layers": layers}


def reduction(input, output, window, exit=FITS):
    r = Reduction(window, exit, copy.deepcopy(input), copy.deepcopy(output), {})
    r.report = honest(r)
    return r


# ---------------------------------------------------------------- correct reductions
def openai_input():
    return {"shape": "openai-chat", "system": "Be brief.", "messages": [
        {"role": "system", "content": words(2, "rules")},
        user(words(2, "task")),
        openai_calls(openai_call("a1", "read_file", '{"path":"a.txt"}')),
        openai_result("a1", words(60, "a.txt")),
        assistant("Read it."),
        user("Now the other two."),
        openai_calls(openai_call("b1", "read_file", '{"path":"b.txt"}'),
                     openai_call("b2", "read_file", '{"path":"c.txt"}')),
        openai_result("b1", words(20, "b.txt")),
        openai_result("b2", words(20, "c.txt")),
        assistant("Both read."),
        user("And the tests?", timestamp=7, origin={"editor": 1.5}),
        openai_calls(openai_call("c1", "grep", '{"pattern":"TEST"}'),
                     openai_call("c2", "grep", words(1, "not JSON"))),
        openai_result("c1", words(30, "found"), "grep"),
        openai_result("c2", "nothing", "grep"),
        assistant("They are in one file."),
        user("Write the file then."),
        openai_calls(openai_call("d1", "write_file", dump({"path": "d.txt", "text": words(20, "new")}))),
        openai_result("d1", words(20, "written"), "write_file"),
    ]}


def openai_output():
    """Messages 2..9 give way to a summary; one closed and the open group are shortened."""
    document = openai_input()
    old = document["messages"]
    call = copy.deepcopy(old[16])
    call["tool_calls"][0]["function"]["arguments"] = '{"path":"d.txt","text":"new: the parser [...]"}'
    call["condense"] = "short:1"
    document["messages"] = [old[0], old[1], summary(), old[10], old[11],
                            shortened(old[12], "found: the parser [2,100 characters left out]"), old[13],
                            old[14], old[15], call, shortened(old[17], "written: the parser [1,400 left out]")]
    return document


def openai_case():
    return reduction(openai_input(), openai_output(), WINDOW)
def untouched_case():
    return reduction(openai_input(), openai_input(), 64000)


def exhausted_case():
    """Only what no pressure may remove is left, and it is more than the window."""
    document = openai_input()
    old = document["messages"]
    document["messages"] = [old[0], *old[15:]]
    return reduction(openai_input(), document, 500, EXHAUSTED)


def headed_case():
    """The open group stands before the latest user message and fits only without the message that must head it."""
    messages = [user(words(30, "task")), assistant(words(40, "plan")), user(words(15, "go on")),
                openai_calls(openai_call("a", "run", "{}")), user(words(30, "wait"))]
    return reduction(messages, messages[2:], 700, EXHAUSTED)


def anthropic_input():
    def use(id, **input):
        return {"type": "tool_use", "id": id, "name": "read", "input": input}

    def result(id, content, **others):
        return {"type": "tool_result", "tool_use_id": id, "content": content, **others}

    image = {"type": "image", "source": {"type": "base64", "data": "AAAA" * 500}}
    return [
        user([{"type": "text", "text": words(1, "task")}]),
        assistant([{"type": "thinking", "thinking": words(20, "first"), "signature": "c2ln"},
                   {"type": "text", "text": "I search."},
                   {"type": "server_tool_use", "id": "s1", "name": "search", "input": {"query": "x"}},
                   {"type": "web_tool_result", "tool_use_id": "s1", "content": {"hits": [1, 2]}},
                   use("t1", path="a"), use("t2", path="b", text=words(9, "long"))]),
        user([result("t1", words(30, "a"), is_error=False),
              result("t2", [{"type": "text", "text": words(30, "b")}, image], cache_control={"type": "ephemeral"})]),
        assistant([{"type": "redacted_thinking", "data": "x" * 400}, {"type": "text", "text": "Read."}]),
        user("Thanks. And now?"),
        assistant([{"type": "text", "text": "Done."}]),
    ]


def anthropic_output():
    """Everything is kept, the group of two calls shortened, signed thinking and an image taken out whole."""
    messages = anthropic_input()
    del messages[1]["content"][0]
    messages[1]["content"][-1]["input"] = {"path": "b", "text": "long: [...]"}
    messages[2]["content"][0]["content"] = "a: the parser [...]"
    messages[2]["content"][1]["content"] = [{"type": "text", "text": "b: the parser [...]"}]
    return messages


def anthropic_case():
    return reduction(anthropic_input(), anthropic_output(), 1000)


def pi_input():
    def call(id, **arguments):
        return {"type": "toolCall", "id": id, "name": "bash", "arguments": arguments}

    def result(id, text):
        return {"role": "toolResult", "toolCallId": id, "toolName": "bash", "isError": False, "timestamp": 3,
                "content": [{"type": "text", "text": text}], "details": {"exit": 0}}

    return [user([{"type": "text", "text": words(1, "task")}]),
            assistant([call("p1", command="ls"), call("p2", command="ps")], stopReason="aborted"),
            result("p1", words(40, "listing")),
            user([{"type": "text", "text": "Again."}]),
            assistant([call("p1", command="ls")]),
            result("p1", words(40, "listing again")),
            assistant([{"type": "thinking", "thinking": words(5, "hm")}, {"type": "text", "text": "There it is."}])]


def pi_output():
    """The first group, whose second call is dead, is dropped; unsigned thinking is shortened."""
    messages = pi_input()
    messages[5]["content"][0]["text"] = "listing again: [...]"
    messages[6]["content"][0]["thinking"] = "hm: the [...]"
    return [messages[0], *messages[3:]]


def pi_case():
    return reduction(pi_input(), pi_output(), 300)


def text_input():
    return [user("Think."), assistant(words(9, "one"), reasoning_content=words(9, "because")), user("More."),
            assistant(words(9, "two"), reasoning_content=words(9, "since")), user("More!"),
            assistant(words(9, "three")), assistant(words(9, "four")), user("Enough.")]


def text_output():
    """Reasoning taken out and shortened, a text shortened, one replaced under the mark, one emptied under it."""
    messages = text_input()
    del messages[1]["reasoning_content"]
    messages[3]["reasoning_content"] = "since: the [...]"
    messages[3]["content"] = "two: the parser [...]"
    messages[5] = shortened(messages[5], "[left out]")
    messages[6] = shortened(messages[6], None)
    return messages


def text_case():
    return reduction(text_input(), text_output(), 400)


CORRECT = (openai_case, untouched_case, exhausted_case, headed_case, anthropic_case, pi_case, text_case)
