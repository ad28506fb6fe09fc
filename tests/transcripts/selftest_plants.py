# SPDX-License-Identifier: BSL-1.0
"""Planted violations: each spoils a correct reduction and names the rules that must object."""

import copy
from dataclasses import dataclass

from conversation import messages_of
from rules import EXHAUSTED, lawful_floor
from selftest_cases import (anthropic_case, assistant, exhausted_case, headed_case, openai_call, openai_case,
                            openai_result, pi_case, pi_input, summary, text_case, untouched_case, words)

# Places in the output of the OpenAI case: a closed group of two calls, then the latest user message and an open group.
SYSTEM, TASK, SUMMARY, USER, CALLS, FIRST, SECOND, ANSWER, LATEST, OPEN_CALL, OPEN_RESULT = range(11)
ARGUMENTS = "tool_calls", 0, "function", "arguments"
REPORT = "report"  # begins the path of a member of the report


@dataclass
class Plant:
    what: str
    case: object
    expected: set  # rules that must be named
    change: object
    also: set  # rules that may be named
    retell: bool  # whether the report is told anew


def plant(what, rules, change, also=(), retell=True):
    return lambda case: Plant(what, case, set(rules.split(", ")), change, set(also), retell)
def of(case, *plants):
    return [each(case) for each in plants]


# ---------------------------------------------------------------- changes of a reduction
def holder(r, path):
    value = r.report if path[0] == REPORT else messages_of(r.output)[path[0]]
    for key in path[1:-1]:
        value = value[key]
    return value


def put(*path, value):
    def change(r):
        holder(r, path)[path[-1]] = value
    return change


def add(*path, value):
    def change(r):
        holder(r, path)[path[-1]] += value
    return change


def lose(*path):
    def change(r):
        del holder(r, path)[path[-1]]
    return change


def append(*path, value):
    return lambda r: holder(r, path)[path[-1]].append(value)


def drop(*places):
    def change(r):
        messages = messages_of(r.output)
        messages[:] = [m for place, m in enumerate(messages) if place not in places]
    return change


def insert(place, message):
    return lambda r: messages_of(r.output).insert(place, message)
def move(place, to):
    return lambda r: messages_of(r.output).insert(to, messages_of(r.output).pop(place))


def given(**members):
    """Members of the reduction itself, or functions of it that give them."""
    def change(r):
        for name, value in members.items():
            setattr(r, name, value(r) if callable(value) else value)
    return change


def both(*changes):
    def change(r):
        for each in changes:
            each(r)
    return change


def other_order(r):
    message = messages_of(r.output)[USER]
    message["role"] = message.pop("role")


def exchange(r):
    messages = messages_of(r.output)
    messages[USER], messages[ANSWER] = messages[ANSWER], messages[USER]


def shorten_signed(r):
    r.output[1]["content"].insert(0, {**r.input[1]["content"][0], "thinking": "first: the [...]"})


def negative_saving(r):
    first, second = r.report["layers"][:2]
    first["tokens_after"] = second["tokens_before"] = first["tokens_before"] + 5


def pi_messages(*places):
    return lambda r: [pi_input()[place] for place in places]


PLANTS = (
    *of(openai_case,
        plant("orphan result: the calls of a closed group are gone", "L1 pairs", drop(CALLS)),
        plant("call without result: all results of a closed group are gone", "L1 pairs", drop(FIRST, SECOND)),
        plant("half of a parallel group: one of two results is gone", "L1 pairs", drop(SECOND)),
        plant("half of a parallel group: one of two calls and its result are gone", "L1 pairs",
              both(lose(CALLS, "tool_calls", 1), drop(SECOND))),
        plant("a call added to a message", "L1 pairs", append(OPEN_CALL, "tool_calls", value=openai_call("d2", "f", "{}"))),
        plant("a summary stands between a call and its result", "L1 pairs", move(SUMMARY, FIRST)),
        plant("system message dropped", "L2 system", drop(SYSTEM)),
        plant("system message shortened", "L2 system", put(SYSTEM, "content", value="rules: the parser [...]")),
        plant("system prompt beside the messages shortened", "container", lambda r: r.output.update(system="Brief.")),
        plant("latest plain user message and all before it dropped", "L2 latest user, L2 first message",
              drop(*range(TASK, OPEN_CALL))),
        plant("latest plain user message dropped", "L2 latest user", drop(LATEST)),
        plant("latest plain user message shortened", "L2 latest user", put(LATEST, "content", value="Write the file")),
        plant("first plain user message shortened", "L2 task", put(TASK, "content", value=words(1, "task"))),
        plant("two messages have changed places", "L2 order", exchange),
        plant("system message moved to the end of the first turn", "L2 order, L2 system", move(SYSTEM, 4)),
        plant("a message stands there twice", "duplicate",
              lambda r: insert(LATEST, copy.deepcopy(messages_of(r.output)[ANSWER]))(r)),
        plant("a message that was never in the input", "invented",
              insert(LATEST, assistant("Earlier messages were left out here."))),
        plant("an invented orphan result", "invented, L1 pairs", insert(LATEST, openai_result("zz", "made up"))),
        plant("an invented assistant message comes first", "invented, L2 first message",
              insert(TASK, assistant("Hello, I am your helper."))),
        plant("an assistant message comes first", "L2 first message", drop(TASK, SUMMARY, USER)),
        plant("the result of the open group dropped", "L1 pairs, L3 open", drop(OPEN_RESULT)),
        plant("the open group dropped", "L3 open", drop(OPEN_CALL, OPEN_RESULT)),
        plant("an edited result has grown", "L4 smaller",
              put(SECOND, "content", value="nothing (this result was shortened, use the tool again)")),
        plant("the output is larger than the input", "L4 smaller, L8 fits, L14 sums",
              put(SUMMARY, "content", value=words(400, "summary"))),
        plant("two summaries", "L4 one summary", insert(SUMMARY, summary("Another one."))),
        plant("a summary without the mark", "invented", lose(SUMMARY, "condense")),
        plant("a summary by the assistant", "marks", put(SUMMARY, "role", value="assistant"), also={"invented"}),
        plant("a kept message is marked as a summary", "marks, L4 one summary", put(USER, "condense", value="summary:2")),
        plant("arguments cut in the middle", "T2 json", put(OPEN_CALL, *ARGUMENTS, value='{"path":"d.txt","text":"new: the')),
        plant("arguments that never parsed are rewritten", "T2 json",
              put(CALLS, "tool_calls", 1, "function", "arguments", value="{}")),
        plant("an object of arguments becomes a string", "T2 json", put(OPEN_CALL, *ARGUMENTS, value='"shortened"')),
        plant("a cut through a code point", "T1 utf8", put(FIRST, "content", value="found: the parser \ufffd[...]")),
        plant("an unknown member lost on a message otherwise untouched", "fields", lose(USER, "origin")),
        plant("a null member lost on a message otherwise untouched", "fields", lose(CALLS, "refusal")),
        plant("an unknown member changed from integer to floating point", "fields", put(USER, "timestamp", value=7.0)),
        plant("a tool name changed", "fields", put(FIRST, "name", value="rg")),
        plant("the type of a call changed", "fields", put(OPEN_CALL, "tool_calls", 0, "type", value="custom")),
        plant("the members of a message in another order", "fields", other_order),
        plant("a member beside the messages lost", "container", lambda r: r.output.pop("shape")),
        plant("an object becomes a list", "container", given(output=lambda r: messages_of(r.output)), also={"report"}),
        plant("exit 0 with usage above the window", "L8 fits", given(window=200)),
        plant("exit 3 though the output fits", "L8 fits, L8 floor", given(exit=EXHAUSTED)),
        plant("an exit status nobody knows", "L8 fits", given(exit=1)),
        plant("exit 0 while the report itself tells more tokens than the window has", "L8 fits",
              both(given(window=lambda r: r.report["tokens_after"] - 1), lambda r: r.report.update(window=r.window)), retell=False),
        plant("the report tells fewer tokens than there are", "report, L14 sums",
              add(REPORT, "tokens_after", value=-50), retell=False),
        plant("the report tells a wrong number of messages", "report", add(REPORT, "messages_after", value=1), retell=False),
        plant("the report tells a wrong first change", "report", put(REPORT, "first_changed", value=3), retell=False),
        plant("the report tells another outcome", "report", put(REPORT, "outcome", value="exhausted"), retell=False),
        plant("a layer of the report lacks a figure", "report", lose(REPORT, "layers", 0, "tokens_after"), retell=False),
        plant("the savings of the layers do not add up", "L14 sums",
              add(REPORT, "layers", 0, "tokens_after", value=7), retell=False),
        plant("a layer with a negative saving, made good by the next", "L14 sums", negative_saving, retell=False)),
    *of(headed_case,
        plant("a pending call dropped", "L3 open", drop(1), also={"L8 floor"})),
    *of(untouched_case,
        plant("a summary though nothing was left out", "L4 one summary, L4 smaller, L10 untouched, L14 sums",
              insert(TASK, summary("One."))),
        plant("a result shortened well below every limit", "L10 untouched", put(3, "content", value="a.txt: the parser [...]")),
        plant("a mark written well below every limit", "L10 untouched, L4 smaller", put(3, "condense", value="seen"))),
    *of(text_case,
        plant("a mark that is not a string", "marks", put(5, "condense", value=5), also={"invented"}),
        plant("a text replaced by another, without the mark", "invented", lose(5, "condense"), also={"L4 smaller"}),
        plant("a text becomes a list of blocks", "fields",
              put(3, "content", value=[{"type": "text", "text": "two: the parser [...]"}])),
        plant("reasoning becomes a list", "fields", put(3, "reasoning_content", value=["since"])),
        plant("a reasoning member where there was none", "fields", put(6, "reasoning_content", value=None)),
        plant("reasoning that has grown", "L4 smaller",
              put(3, "reasoning_content", value=words(10, "since")), also={"L8 fits"})),
    *of(anthropic_case,
        plant("an input object becomes a string", "T2 json", put(1, "content", -1, "input", value="shortened")),
        plant("one of two result blocks of a message is gone", "L1 pairs", lose(2, "content", 0)),
        plant("a server-side call is gone, its result beside it is not", "L1 pairs", lose(1, "content", 1)),
        plant("signed thinking is shortened", "fields", shorten_signed),
        plant("an unknown member of a shortened block is lost", "fields",
              lose(2, "content", 1, "cache_control"), also={"L1 pairs"}),
        plant("a block nobody wrote", "fields",
              append(3, "content", value={"type": "text", "text": "Also."}), also={"L4 smaller"})),
    *of(exhausted_case,
        plant("exhausted although the floor fits", "L8 floor", given(output=lambda r: copy.deepcopy(r.input), window=1100)),
        plant("the report names less than the laws hold", "L8 floor",
              lambda r: r.report.update(floor=lawful_floor(r) - 100), retell=False),
        plant("the report names more than the mix has left", "L8 floor", add(REPORT, "floor", value=100), retell=False),
        plant("the report names no floor", "L8 floor", lose(REPORT, "floor"), retell=False)),
    *of(pi_case,
        plant("details of a pi result lost", "fields", lose(3, "details")),
        plant("a reused id: the first call is kept, the result that stays belonged to the second", "L1 pairs",
              given(output=pi_messages(0, 1, 3, 5, 6)), also={"L8 fits"})))
