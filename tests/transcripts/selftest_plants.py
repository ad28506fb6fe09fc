# SPDX-License-Identifier: BSL-1.0
"""Planted violations: each spoils a correct reduction and names the rules that must object."""

import copy

from conversation import messages_of
from rules import EXHAUSTED, lawful_floor
from selftest_cases import (anthropic_case, assistant, exhausted_case, headed_case, openai_call, openai_case,
                            openai_result, pi_case, pi_input, summary, text_case, untouched_case, words)

PLANTS = []


def plant(case, *rules, also=(), retell=True):
    """Registers a planted violation: rules that must be named, rules that may be, whether the report is told anew."""
    def register(change):
        PLANTS.append((change.__doc__, case, set(rules), set(also), change, retell))
        return change
    return register


def found(r, index):
    """The output message that came from an input message of the OpenAI case."""
    return messages_of(r.output)[{0: 0, 1: 1, 10: 3, 11: 4, 12: 5, 13: 6, 14: 7, 15: 8, 16: 9, 17: 10}[index]]


def drop(r, *indices):
    messages = messages_of(r.output)
    gone = [id(found(r, i)) for i in indices]
    messages[:] = [m for m in messages if id(m) not in gone]


@plant(openai_case, "L1 pairs")
def _(r):
    """orphan result: the calls of a closed group are gone"""
    drop(r, 11)


@plant(openai_case, "L1 pairs")
def _(r):
    """call without result: all results of a closed group are gone"""
    drop(r, 12, 13)


@plant(openai_case, "L1 pairs")
def _(r):
    """half of a parallel group: one of two results is gone"""
    drop(r, 13)


@plant(openai_case, "L1 pairs")
def _(r):
    """half of a parallel group: one of two calls and its result are gone"""
    drop(r, 13)
    del found(r, 11)["tool_calls"][1]


@plant(openai_case, "L1 pairs")
def _(r):
    """a summary stands between a call and its result"""
    messages = messages_of(r.output)
    messages.insert(5, messages.pop(2))


@plant(openai_case, "L2 system")
def _(r):
    """system message dropped"""
    drop(r, 0)


@plant(openai_case, "L2 system")
def _(r):
    """system message shortened"""
    found(r, 0)["content"] = "rules: the parser [...]"


@plant(openai_case, "container")
def _(r):
    """system prompt beside the messages shortened"""
    r.output["system"] = "Brief."


@plant(openai_case, "L2 latest user", "L2 first message")
def _(r):
    """latest plain user message and all before it dropped"""
    r.output["messages"] = [found(r, 0), *messages_of(r.output)[-2:]]


@plant(openai_case, "L2 latest user")
def _(r):
    """latest plain user message dropped"""
    drop(r, 15)


@plant(openai_case, "L2 latest user")
def _(r):
    """latest plain user message shortened"""
    found(r, 15)["content"] = "Write the file"


@plant(openai_case, "L2 task")
def _(r):
    """first plain user message shortened"""
    found(r, 1)["content"] = words(1, "task")


@plant(openai_case, "L2 order")
def _(r):
    """two messages have changed places"""
    messages = messages_of(r.output)
    messages[3], messages[7] = messages[7], messages[3]


@plant(openai_case, "L2 order", "L2 system")
def _(r):
    """system message moved to the end of the first turn"""
    messages = messages_of(r.output)
    messages.insert(4, messages.pop(0))


@plant(openai_case, "duplicate")
def _(r):
    """a message stands there twice"""
    messages_of(r.output).insert(8, copy.deepcopy(found(r, 14)))


@plant(openai_case, "invented")
def _(r):
    """a message that was never in the input"""
    messages_of(r.output).insert(8, assistant("Earlier messages were left out here."))


@plant(openai_case, "invented", "L1 pairs")
def _(r):
    """an invented orphan result"""
    messages_of(r.output).insert(8, openai_result("zz", "made up"))


@plant(openai_case, "invented", "L2 first message")
def _(r):
    """an invented assistant message comes first"""
    messages_of(r.output).insert(1, assistant("Hello, I am your helper."))


@plant(openai_case, "L2 first message")
def _(r):
    """an assistant message comes first"""
    r.output["messages"] = [found(r, 0), *messages_of(r.output)[4:]]


@plant(openai_case, "L1 pairs", "L3 open")
def _(r):
    """the result of the open group dropped"""
    drop(r, 17)


@plant(openai_case, "L3 open")
def _(r):
    """the open group dropped"""
    drop(r, 16, 17)


@plant(openai_case, "L4 smaller")
def _(r):
    """an edited result has grown"""
    found(r, 13)["content"] = "nothing (this result was shortened, use the tool again)"


@plant(openai_case, "L4 smaller", "L8 fits", "L14 sums")
def _(r):
    """the output is larger than the input"""
    messages_of(r.output)[2]["content"] = words(400, "summary")


@plant(openai_case, "L4 one summary")
def _(r):
    """two summaries"""
    messages_of(r.output).insert(2, summary("Another one."))


@plant(untouched_case, "L4 one summary", "L4 smaller", "L10 untouched", "L14 sums")
def _(r):
    """a summary though nothing was left out"""
    messages_of(r.output).insert(1, summary("One."))


@plant(openai_case, "invented")
def _(r):
    """a summary without the mark"""
    del messages_of(r.output)[2]["condense"]


@plant(openai_case, "marks", also=("invented",))
def _(r):
    """a summary by the assistant"""
    messages_of(r.output)[2]["role"] = "assistant"


@plant(openai_case, "marks", "L4 one summary")
def _(r):
    """a kept message is marked as a summary"""
    found(r, 10)["condense"] = "summary:2"


@plant(openai_case, "T2 json")
def _(r):
    """arguments cut in the middle"""
    found(r, 16)["tool_calls"][0]["function"]["arguments"] = '{"path":"d.txt","text":"new: the'


@plant(openai_case, "T2 json")
def _(r):
    """arguments that never parsed are rewritten"""
    found(r, 11)["tool_calls"][1]["function"]["arguments"] = "{}"


@plant(openai_case, "T2 json")
def _(r):
    """an object of arguments becomes a string"""
    found(r, 16)["tool_calls"][0]["function"]["arguments"] = '"shortened"'


@plant(openai_case, "T1 utf8")
def _(r):
    """a cut through a code point"""
    found(r, 12)["content"] = "found: the parser \ufffd[...]"


@plant(openai_case, "fields")
def _(r):
    """an unknown member lost on a message otherwise untouched"""
    del found(r, 10)["origin"]


@plant(openai_case, "fields")
def _(r):
    """a null member lost on a message otherwise untouched"""
    del found(r, 11)["refusal"]


@plant(openai_case, "fields")
def _(r):
    """an unknown member changed from integer to floating point"""
    found(r, 10)["timestamp"] = 7.0


@plant(openai_case, "fields")
def _(r):
    """a tool name changed"""
    found(r, 12)["name"] = "rg"


@plant(openai_case, "fields")
def _(r):
    """the members of a message in another order"""
    message = found(r, 10)
    message["role"] = message.pop("role")


@plant(openai_case, "container")
def _(r):
    """a member beside the messages lost"""
    del r.output["shape"]


@plant(openai_case, "container", also=("report",))
def _(r):
    """an object becomes a list"""
    r.output = messages_of(r.output)


@plant(openai_case, "L8 fits")
def _(r):
    """exit 0 with usage above the window"""
    r.window = 200


@plant(openai_case, "L8 fits", "L8 floor")
def _(r):
    """exit 3 though the output fits"""
    r.exit = EXHAUSTED


@plant(exhausted_case, "L8 floor")
def _(r):
    """exhausted although the floor fits"""
    r.output = copy.deepcopy(r.input)
    r.window = 1100


@plant(exhausted_case, "L8 floor", retell=False)
def _(r):
    """the report names less than the laws hold"""
    r.report["floor"] = lawful_floor(r) - 100


@plant(exhausted_case, "L8 floor", retell=False)
def _(r):
    """the report names more than the mix has left"""
    r.report["floor"] += 100


@plant(exhausted_case, "L8 floor", retell=False)
def _(r):
    """the report names no floor"""
    del r.report["floor"]


@plant(openai_case, "L8 fits")
def _(r):
    """an exit status nobody knows"""
    r.exit = 1


@plant(openai_case, "report", "L14 sums", retell=False)
def _(r):
    """the report tells fewer tokens than there are"""
    r.report["tokens_after"] -= 50


@plant(openai_case, "report", retell=False)
def _(r):
    """the report tells a wrong number of messages"""
    r.report["messages_after"] += 1


@plant(openai_case, "report", retell=False)
def _(r):
    """the report tells a wrong first change"""
    r.report["first_changed"] = 3


@plant(openai_case, "report", retell=False)
def _(r):
    """the report tells another outcome"""
    r.report["outcome"] = "exhausted"


@plant(openai_case, "report", retell=False)
def _(r):
    """a layer of the report lacks a figure"""
    del r.report["layers"][0]["tokens_after"]


@plant(openai_case, "L14 sums", retell=False)
def _(r):
    """the savings of the layers do not add up"""
    r.report["layers"][0]["tokens_after"] += 7


@plant(openai_case, "L14 sums", retell=False)
def _(r):
    """a layer with a negative saving, made good by the next"""
    first, second = r.report["layers"][:2]
    first["tokens_after"] = second["tokens_before"] = first["tokens_before"] + 5


@plant(untouched_case, "L10 untouched")
def _(r):
    """a result shortened well below every limit"""
    messages_of(r.output)[3]["content"] = "a.txt: the parser [...]"


@plant(untouched_case, "L10 untouched", "L4 smaller")
def _(r):
    """a mark written well below every limit"""
    messages_of(r.output)[3]["condense"] = "seen"


@plant(anthropic_case, "L1 pairs")
def _(r):
    """one of two result blocks of a message is gone"""
    del r.output[2]["content"][0]


@plant(anthropic_case, "L1 pairs")
def _(r):
    """a server-side call is gone, its result beside it is not"""
    del r.output[1]["content"][1]


@plant(anthropic_case, "fields")
def _(r):
    """signed thinking is shortened"""
    thinking = copy.deepcopy(r.input[1]["content"][0])
    r.output[1]["content"].insert(0, {**thinking, "thinking": "first: the [...]"})


@plant(anthropic_case, "fields", also=("L1 pairs",))
def _(r):
    """an unknown member of a shortened block is lost"""
    del r.output[2]["content"][1]["cache_control"]


@plant(anthropic_case, "fields", also=("L4 smaller",))
def _(r):
    """a block nobody wrote"""
    r.output[3]["content"].append({"type": "text", "text": "Also."})


@plant(anthropic_case, "T2 json")
def _(r):
    """an input object becomes a string"""
    r.output[1]["content"][-1]["input"] = "shortened"


@plant(pi_case, "fields")
def _(r):
    """details of a pi result lost"""
    del r.output[3]["details"]


@plant(pi_case, "L1 pairs", also=("L8 fits",))
def _(r):
    """a reused id: the first call is kept, the result that stays belonged to the second"""
    messages = pi_input()
    r.output = [messages[0], messages[1], messages[3], messages[5], messages[6]]


@plant(headed_case, "L3 open", also=("L8 floor",))
def _(r):
    """a pending call dropped"""
    del r.output[1]


@plant(text_case, "invented", also=("L4 smaller",))
def _(r):
    """a text replaced by another, without the mark"""
    del r.output[5]["condense"]


@plant(text_case, "fields")
def _(r):
    """a text becomes a list of blocks"""
    r.output[3]["content"] = [{"type": "text", "text": "two: the parser [...]"}]


@plant(text_case, "fields")
def _(r):
    """reasoning becomes a list"""
    r.output[3]["reasoning_content"] = ["since"]


@plant(text_case, "fields")
def _(r):
    """a reasoning member where there was none"""
    r.output[6]["reasoning_content"] = None


@plant(text_case, "marks", also=("invented",))
def _(r):
    """a mark that is not a string"""
    r.output[5]["condense"] = 5


@plant(text_case, "L4 smaller", also=("L8 fits",))
def _(r):
    """reasoning that has grown"""
    r.output[3]["reasoning_content"] = words(10, "since")


@plant(openai_case, "L1 pairs")
def _(r):
    """a call added to a message"""
    found(r, 16)["tool_calls"].append(openai_call("d2", "f", "{}"))


@plant(openai_case, "fields")
def _(r):
    """the type of a call changed"""
    found(r, 16)["tool_calls"][0]["type"] = "custom"


@plant(openai_case, "L8 fits", retell=False)
def _(r):
    """exit 0 while the report itself tells more tokens than the window has"""
    r.window = r.report["window"] = r.report["tokens_after"] - 1
