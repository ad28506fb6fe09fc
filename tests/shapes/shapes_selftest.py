# SPDX-License-Identifier: BSL-1.0
"""A checker that cannot fail is a defect: lawful reductions pass, and every planted violation is found.

A plant takes the messages of a conversation and spoils them; it returns None where it does not apply. The table PLANTS
says which rule has to find it, and in which shapes it has to apply to some conversation.
"""

import copy
import itertools
from pathlib import Path

from body import Body, Number, dump, leaves
from check_shape import RULES, check
from shapes import SHAPES, is_tool, objects

DATA = Path(__file__).resolve().parent / "data"
FILES_A_PLANT = 3

ALL = frozenset(SHAPES)
SIGNED = {"responses", "anthropic", "gemini", "bedrock", "aisdk", "aisdk_ui"}
BOUND = {"anthropic", "bedrock"}
SYSTEM_INSIDE = {"openai", "responses", "aisdk", "aisdk_ui", "ollama"}
UI, ITEMS = {"aisdk_ui"}, {"responses"}

# ---------------------------------------------------------------- places in messages

def get(value, path):
    for key in path:
        value = value[key]
    return value


def put(messages, at, path, value):
    get(messages[at], path[:-1])[path[-1]] = value


def exists(value, path):
    try:
        get(value, path)
    except (KeyError, IndexError, TypeError):
        return False
    return True


def places(shape, messages, *kinds):
    """Where messages may change in one of these ways, before the newest round and the last user."""
    end = min([*shape.open_round(messages), last_user(shape, messages), len(messages) - 1])
    for at, m in enumerate(messages[:end]):
        for path, kind in shape.editable(m).items():
            if kind in kinds and exists(m, path):
                yield at, path


def under(path, others):
    return any(path[:len(other)] == other for other in others)


def last_user(shape, messages):
    return max(at for at, m in enumerate(messages) if shape.is_user(m))


def users_of(shape, messages):
    return [at for at, m in enumerate(messages) if shape.is_user(m)]


def closed_rounds(shape, messages):
    """Begin and end of calls with their results that are not the newest."""
    at, newest = 0, set(shape.open_round(messages))
    while at < len(messages):
        if shape.has_calls(messages[at]):
            end = at + 1
            while end < len(messages) and (shape.has_calls(messages[end]) or shape.has_results(messages[end])) \
                    and not (shape.has_results(messages[end - 1]) and shape.has_calls(messages[end])):
                end += 1
            if end > at + 1 and not newest & set(range(at, end)):
                yield at, end
            at = end
        else:
            at += 1


def text_block(shape, text):
    return {**({"type": shape.text_type} if shape.text_type else {}), "text": text}


def summary(shape, text="What was said before, in short."):
    block = text_block(shape, text)
    content = text if shape.plain else block if shape.name == "mcp" else [block]
    return {**({"id": f"summary-{len(text)}"} if shape.name == "aisdk_ui" else {}), "role": "user", shape.joins: content}


def answer(shape, text):
    return {**summary(shape, text), "role": "model" if shape.name == "gemini" else "assistant"}


# ---------------------------------------------------------------- lawful reductions

def shorten(shape, messages):
    """Every result and every argument that may be shorter."""
    messages = copy.deepcopy(messages)
    for at, path in list(places(shape, messages, "text", "json")):
        old = get(messages[at], path)
        if isinstance(old, str) and len(old) > 60:
            put(messages, at, path, old[:20] + " ... " + old[-20:])
    for at, path in list(places(shape, messages, "media")):
        if exists(messages[at], path):
            put(messages, at, path, text_block(shape, "image/png, 200 bytes"))
    for at, path in list(places(shape, messages, "output")):
        put(messages, at, path, {"type": "text", "value": "rows"})
    return messages


def drop_old(shape, messages):
    """The first half of the turns becomes a summary."""
    users = users_of(shape, messages)
    if len(users) < 3:
        return None
    first, then = users[0], users[len(users) // 2]
    kept = copy.copy(messages)
    if shape.alternates:
        joined = {**kept[then], shape.joins: summary(shape)[shape.joins] + kept[then][shape.joins]}
        return [*kept[:first], joined, *kept[then + 1:]]
    return [*kept[:first], summary(shape), *kept[then:]]


def drop_middle(shape, messages):
    """All between the first and the last that the user said becomes a summary, joined where roles have to alternate."""
    users = users_of(shape, messages)
    if len(users) < 3:
        return None
    first, last = users[0], users[-1]
    if not shape.alternates:
        return [*messages[:first + 1], summary(shape), *messages[last:]]
    key = shape.joins
    joined = {**messages[first], key: messages[first][key] + summary(shape)[key] + messages[last][key]}
    before_answer = {**messages[first], key: messages[first][key] + summary(shape)[key]}
    if shape.role(messages[last - 1]) == "assistant" and not shape.has_calls(messages[last - 1]):
        return [*messages[:first], before_answer, *messages[last - 1:]]
    return [*messages[:first], joined, *messages[last + 1:]]


def join(shape, one, other):
    """The summary and a message of the user, or the other way round, as one message."""
    key = shape.joins
    first, then = one[key], other[key]
    if isinstance(first, str) and isinstance(then, str):
        both = first + "\n\n" + then
    elif isinstance(first, dict) and isinstance(then, dict):
        both = {"type": "text", "text": first["text"] + "\n\n" + then["text"]}
    else:
        both = [block for content in (first, then)
                for block in ([text_block(shape, content)] if isinstance(content, str)
                              else [content] if isinstance(content, dict) else content)]
    own = {**one, **other} if shape.role(one) == "user" and one == summary(shape) else {**other, **one}
    return {**own, key: both}


def drop_before_last(shape, messages):
    """All before what the user said last becomes a summary, joined to it."""
    users = users_of(shape, messages)
    if len(users) < 2:
        return None
    joined = join(shape, summary(shape), messages[users[-1]])
    return [*messages[:users[0]], joined, *messages[users[-1] + 1:]]


def drop_reasoning(shape, messages, everywhere=False):
    """All reasoning is gone before the newest round, or in it as well."""
    newest = () if everywhere else shape.open_round(messages)
    out = [m if at in newest else shape.without_reasoning(m) for at, m in enumerate(messages)]
    return out if dump(out) != dump(messages) else None


def settled(shape, old, new):
    """Without what was signed behind another beginning."""
    out = []
    for at, m in enumerate(new):
        if at >= len(old) or m is not old[at] and shape.without_bound(m) != shape.without_bound(old[at]):
            rest = [shape.without_bound(each) for each in new[at + 1:]]
            return [*out, m, *(each for each in rest if not shape.BOUND or each.get(shape.BOUND[0]) != [])]
        out.append(m)
    return out


# ---------------------------------------------------------------- planted violations

def rounds(shape, messages):
    """The first round that is closed."""
    yield from itertools.islice(closed_rounds(shape, messages), 1)


def spots(*kinds, results=None):
    """Places that may change in one of these ways; `results`: only in results, or only in calls."""
    def found(shape, messages):
        for at, path in places(shape, messages, *kinds):
            if results in (None, shape.has_results(messages[at]) or path[-1] in ("output", "errorText")):
                yield at, path
    return found


def turns(least):
    """The places of what the user said, where that was so often."""
    def found(shape, messages):
        users = users_of(shape, messages)
        if len(users) >= least:
            yield users,
    return found


def each_message(shape, messages):
    yield from enumerate(messages)


def once(shape, messages):
    yield ()


def plant(what, rules, shapes, candidates, change):
    """`change` spoils the messages at the first candidate that it can: it returns False where it cannot, a list where
    that is what the messages are to be. Of the rules one must be found, and it has to apply in each of the shapes."""
    def spoil(shape, messages):
        for found in candidates(shape, messages):
            changed = change(shape, messages, *found)
            if changed is not False:
                return changed if isinstance(changed, list) else messages
        return None
    return what, set(rules.split()), set(shapes), spoil


def doubled_result(shape, messages, _, end):
    m = messages[end - 1]
    holder = m.get("content") if shape.joins == "content" or shape.name == "aisdk" else m.get("parts")
    if isinstance(holder, list) and shape.name not in ("openai", "responses", "ollama"):
        holder.append(copy.deepcopy(holder[0]))
    else:
        messages.insert(end, copy.deepcopy(m))


def answer_to_another(shape, messages, _, end):
    keys = ("tool_call_id", "call_id", "tool_use_id", "toolUseId", "toolCallId", "tool_name", "name")
    for path, value in leaves(messages[end - 1]):
        if path[-1] in keys and (path[-1] != "name" or shape.name in ("openai", "gemini")):
            return put(messages, end - 1, path, value + "x")
    return False


def results_in_another_order(shape, messages, begin, end):
    if shape.name == "gemini":
        parts = messages[begin + 1]["parts"]
        if len(parts) < 2 or parts[0]["functionResponse"]["name"] == parts[1]["functionResponse"]["name"]:
            return False
        parts[0], parts[1] = parts[1], parts[0]
    else:
        if end - begin < 3 or messages[begin + 1]["tool_name"] == messages[begin + 2]["tool_name"]:
            return False
        messages[begin + 1], messages[begin + 2] = messages[begin + 2], messages[begin + 1]
    return None


def without_search_result(shape, messages, _, m):
    for block in objects(m["content"]):
        if block["type"] == "web_search_tool_result":
            return m["content"].remove(block)
    return False


def reasoning_without_its_item(shape, messages, at, m):
    follows = at < len(messages) - 2 and shape.kind(m) == "reasoning" and messages[at + 1].get("role") == "assistant"
    return messages.pop(at + 1) if follows else False


def document_alone(shape, messages, _, m):
    if not any("document" in block for block in m["content"]):
        return False
    m["content"] = [block for block in m["content"] if "text" not in block]
    return None


def empty_result(shape, messages, at, path):
    if shape.name == "bedrock" and isinstance(get(messages[at], path), dict):
        return False
    return put(messages, at, path, {"type": "text", "value": ""} if shape.name == "aisdk" and path[-1] == "output"
               else {} if shape.name == "gemini" else "")


def empty_summary(shape, messages, users):
    if len(users) > 2 and not shape.alternates:
        return [*messages[:users[0]], summary(shape, " "), *messages[users[1]:]]
    return [summary(shape, ""), *messages[users[0] + 2:]]


def shorter_system(shape, messages, at, m):
    if not shape.is_system(m):
        return False
    path, value = next((path, value) for path, value in leaves(m) if len(value) > 40)
    return put(messages, at, path, value[:30])


def another_in_the_joined(shape, messages):
    at = last_user(shape, messages)
    path, text = next((path, text) for path, text in leaves(messages[at]) if path[0] == shape.joins and " " in text)
    put(messages, at, path, text[:-8] + " or not.")
    return drop_before_last(shape, messages) or False


def joined_without_the_last(shape, messages):
    shorter = drop_before_last(shape, messages)
    if shorter is None:
        return False
    at = last_user(shape, shorter)
    shorter[at] = {**shorter[at], shape.joins: summary(shape)[shape.joins]}
    return shorter


def shorter_last(shape, messages):
    at = last_user(shape, messages)
    path, value = max(leaves(messages[at]), key=lambda each: (each[1][:4] != "data", " " in each[1], len(each[1])))
    put(messages, at, path, value[:-5])


def exchanged(shape, messages, users):
    messages[users[0]], messages[users[1]] = messages[users[1]], messages[users[0]]


def shorter_answer(shape, messages, at, m):
    if shape.role(m) in ("assistant", "model") and not shape.has_results(m):
        sealed = [*shape.editable(m), *shape.thinking(m)]
        for path, value in leaves(m):
            if path[-1] in ("text", "content") and len(value) > 30 and not under(path, sealed):
                return put(messages, at, path, value[:-6])
    return False


def call_without_a_member(shape, messages, at, m):
    if shape.has_calls(m) or (shape.name == "aisdk_ui" and shape.role(m) == "assistant"):
        found = [path for path, _ in leaves(m) if path[-1] in ("name", "toolName", "state")
                 and not under(path, [*shape.editable(m), *shape.thinking(m)])]
        if found:
            return get(m, found[-1][:-1]).pop(found[-1][-1])
    return False


def without_a_block(shape, messages, at, m):
    holder = next((m[key] for key in ("parts", "content", "tool_calls")
                   if isinstance(m.get(key), list) and len(m[key]) > 1), None)
    if holder is None or at in {last_user(shape, messages), *shape.open_round(messages)} \
            or shape.thinking(m) and shape.thinking(m)[0][-1] == len(holder) - 1:
        return False
    return holder.pop()


def renamed(value, name):
    if isinstance(value, dict):
        return {key: renamed(each, name) for key, each in value.items()}
    if isinstance(value, list):
        return [renamed(each, name) for each in value]
    return name + "0" if value == name else value


def another_id(shape, messages, at, m):
    if shape.has_calls(m) or shape.name == "aisdk_ui" and shape.role(m) == "assistant":
        key = {"ollama": "name", "gemini": "name", "responses": "call_id", "bedrock": "toolUseId",
               "aisdk": "toolCallId", "aisdk_ui": "toolCallId"}.get(shape.name, "id")
        for path, value in leaves(m):
            if path[-1] == key or (m.get("function_call") and path[-1] == "name"):
                return renamed(messages, value)
    return False


def signed(shape, messages):
    for at, m in enumerate(messages):
        for place in shape.thinking(m):
            yield at, place


def before_bound(shape, messages):
    newest = max((at for at, m in enumerate(messages) if shape.bound(m)), default=-1)
    yield from ((at, path) for at, path in places(shape, messages, "text") if at < newest)


def shorter_before_bound(shape, messages, at, path):
    old = get(messages[at], path)
    return put(messages, at, path, old[:20] + " ... ") if isinstance(old, str) and len(old) > 60 else False


def shorter_thinking(shape, messages, at, place):
    for path, value in leaves(get(messages[at], place)):
        if len(value) > 20:
            return put(messages, at, place + path, value[:-4])
    return False


def without_thinking(shape, messages, at, place):
    block = get(messages[at], place[:-1])
    return block.pop(place[-1]) if len(block) > 1 else False


def longer_result(shape, messages, at, path):
    value = get(messages[at], path)
    put(messages, at, path, value + " and more than there was" if isinstance(value, str)
        else {**value, "more": "than there was"})


def no_object(shape, messages, at, path):
    value = get(messages[at], path)
    put(messages, at, path, value[:-1] if isinstance(value, str) else "{}")


def other_bytes(shape, messages, at, path):
    for inner, value in leaves(get(messages[at], path)):
        if len(value) > 60:
            return put(messages, at, path + inner, value[:-9] + "AAAA" + value[-5:])
    return False


def texts_or_objects(shape, messages):
    """Of results; the texts of calls of `aisdk_ui`, whose results are no text, come last."""
    yield from ((at, path) for at, path in places(shape, messages, "text", "object", "output")
                if shape.has_results(messages[at]))
    if shape.name == "aisdk_ui":
        yield from places(shape, messages, "text")


PLANTS = (
    plant("the call is gone and its result is there", "pairs", ALL - UI, rounds, lambda _, m, begin, end: m.pop(begin)),
    plant("the result is gone and its call is there", "pairs", ALL - UI, rounds, lambda _, m, begin, end: m.pop(end - 1)),
    plant("a result stands twice", "pairs", ALL - UI, rounds, doubled_result),
    plant("a summary between a call and its result", "pairs", ALL - UI - ITEMS, rounds,
          lambda shape, m, begin, end: m.insert(begin + 1, summary(shape))),
    plant("a result answers another call", "pairs", ALL - UI, rounds, answer_to_another),
    plant("parallel results in another order", "pairs", {"gemini", "ollama"}, closed_rounds, results_in_another_order),
    plant("a text before the results of a message", "pairs", {"anthropic", "mcp"}, rounds,
          lambda _, m, begin, end: m[begin + 1]["content"].insert(0, {"type": "text", "text": "Here they are."})),
    plant("the result of a search that the provider ran is gone", "pairs", {"anthropic"}, each_message, without_search_result),
    plant("a call that is done has no output", "pairs", UI, spots("json"),
          lambda _, m, at, path: get(m[at], path[:-1]).pop("output")),
    plant("a call that is open has an output", "pairs", UI, spots("json"),
          lambda _, m, at, path: get(m[at], path[:-1]).update(state="input-available")),
    plant("two messages have one id", "ids", UI, once, lambda _, m: m[2].update(id=m[1]["id"])),
    plant("the first message is the assistant's", "roles", {"anthropic", "bedrock", "gemini"}, once, lambda _, m: m[1:]),
    plant("two messages of the user in turn", "roles", {"bedrock"}, turns(2),
          lambda shape, m, users: [*m[:users[0] + 1], summary(shape), *m[users[1]:]]),
    plant("calls directly behind what the model said", "roles", {"gemini"}, turns(3),
          lambda shape, m, users: m.pop(users[1]) if shape.has_calls(m[users[1] + 1]) else False),
    plant("an item without the reasoning before it", "reasoning", ITEMS, each_message,
          lambda shape, m, at, item: m.pop(at) if shape.kind(item) == "reasoning" else False),
    plant("reasoning without the item behind it", "reasoning", ITEMS, each_message, reasoning_without_its_item),
    plant("a document without a text beside it", "document", {"bedrock"}, each_message, document_alone),
    plant("the text of a result is empty", "empty", ALL, spots("text", "json", "output", "object", results=True), empty_result),
    plant("an image became an empty text", "empty", {"openai", "anthropic", "bedrock", "aisdk", "mcp", "responses"},
          spots("media"), lambda shape, m, at, path: put(m, at, path, text_block(shape, " "))),
    plant("the summary is empty", "empty", ALL, turns(1), empty_summary),
    plant("the system prompt is shorter", "system", SYSTEM_INSIDE, each_message, shorter_system),
    plant("the system prompt is gone", "system", SYSTEM_INSIDE, once, lambda shape, m:
          [each for each in m if not shape.is_system(each)] if any(map(shape.is_system, m)) else False),
    plant("what the user said last is another in the message that it was joined to", "last_user verbatim blocks foreign", ALL,
          once, another_in_the_joined),
    plant("the message that was joined lost what the user said last", "last_user foreign", ALL, once, joined_without_the_last),
    plant("what the user said last is shorter", "last_user", ALL, once, shorter_last),
    plant("what the user said last is gone", "last_user", ALL, once, lambda shape, m: m.pop(last_user(shape, m))),
    plant("the newest round is gone", "open_round", ALL, once, lambda shape, m:
          [each for at, each in enumerate(m) if at not in shape.open_round(m)] if shape.open_round(m) else False),
    plant("two messages changed places", "order", ALL, turns(3), exchanged),
    plant("a message stands twice", "order", ALL, turns(2),
          lambda _, m, users: m.insert(users[-1], copy.deepcopy(m[users[0]]))),
    plant("what the assistant said is shorter", "verbatim", ALL, each_message, shorter_answer),
    plant("a message has one member more", "fields thinking", ALL, once, lambda _, m: m[1].update(extra="none")),
    plant("a call has one member less", "fields", ALL, each_message, call_without_a_member),
    plant("a block of a message is gone", "blocks", ALL - ITEMS, each_message, without_a_block),
    plant("an id, or a name where there are none, is another one wherever it stands", "ids", ALL, each_message, another_id),
    plant("a text that is signed is shorter", "thinking", SIGNED, signed, shorter_thinking),
    plant("thinking is gone and the rest of its message is there", "thinking bound", SIGNED - ITEMS, signed, without_thinking),
    plant("what was signed stays behind a change", "bound", BOUND, before_bound, shorter_before_bound),
    plant("the text of a result is longer", "shortened arguments fields order foreign", ALL,
          spots("text", "json", "object", results=True), longer_result),
    plant("the text of a result is a number", "shortened arguments fields", ALL, texts_or_objects,
          lambda _, m, at, path: put(m, at, path, Number("7"))),
    plant("arguments are no JSON object", "arguments", ALL, spots("json_text", "object", results=False), no_object),
    plant("an image has other bytes", "media", ALL, spots("media", "images"), other_bytes),
    plant("an image is a number", "media", ALL, spots("media", "images"),
          lambda _, m, at, path: put(m, at, path, Number("7"))),
    plant("a message that the assistant never said", "foreign", ALL, turns(1),
          lambda shape, m, users: [*m[:users[-1]], answer(shape, "8 15 16 23 42"), *m[users[-1]:]]),
    plant("two summaries", "summary", ALL, turns(3), lambda shape, m, users:
          [*m[:users[0]], summary(shape), summary(shape, "8 15 16 23 42"), *m[users[1]:]]),
    plant("a summary where nothing is gone", "summary", ALL, turns(1),
          lambda shape, m, users: [*m[:users[-1]], summary(shape), *m[users[-1]:]]),
)


# ---------------------------------------------------------------- of the text itself

def text_plants(body, shape):
    """Violations that are no change of a message."""
    head, tail = body.outside
    messages = ",".join(body.raw)
    first = body.raw[1]
    yield "the text ends early", "json", body.text[:-3]
    yield "a member stands twice", "json", body.text.replace('{"', '{"twice":1,"twice":1,"', 1)
    yield "a number is none", "json", head + "[" + messages + ",NaN]" + tail
    yield "an unchanged message has another space", "bytes", \
        head + "[" + ",".join([body.raw[0], "{ " + first[1:], *body.raw[2:]]) + "]" + tail
    if head or tail:
        other = body.text.replace('"freight', '"frigate').replace("freight tables", "tables", 1)
        if other != body.text and "freight" in head + tail:
            yield "a tool is another one", "outside", other
        yield "a member is new beside the messages", "outside", "{\"none\":0," + body.text.lstrip()[1:]


# What a failed call looks like in each shape, where that is no member of the body.
FAILED = {"openai": '{\\"error\\":', "responses": '{\\"error\\":', "anthropic": '"is_error":', "gemini": '"error":',
          "bedrock": '"status":"error"', "aisdk": '"error-text"', "aisdk_ui": '"output-error"', "mcp": '"isError":',
          "ollama": '"error: '}
THINKING = {"responses": '"encrypted_content":', "anthropic": '"thinking"', "gemini": '"thoughtSignature":',
            "bedrock": '"reasoningText":', "aisdk": '"reasoning"', "aisdk_ui": '"reasoning"', "ollama": '"thinking":'}


def lacking(shape, body):
    """What a conversation is generated for and does not have."""
    text = "".join(dump(m) for m in body.messages)
    wanted = {"a failed call": FAILED[shape.name], "an image": "iVBORw0KGgo", "thinking": THINKING.get(shape.name, "")}
    yield from (what for what, sign in wanted.items() if sign not in text)
    if most_parallel(shape, body.messages) < 2 and '"function_call":' not in text:  # which knows one call at a time
        yield "parallel calls"


def most_parallel(shape, messages):
    """The most calls that a model made at once."""
    if shape.name == "responses":
        return max(end - begin for begin, end in closed_rounds(shape, messages)) // 2
    if shape.name == "aisdk_ui":
        steps = [[]]
        for m in messages:
            for part in [{"type": "step-start"}, *objects(m["parts"])]:
                steps[-1].append(part) if is_tool(part) else steps.append([])
        return max(map(len, steps))
    return max(len(shape.calls(m)) for m in messages)


def bodies(shape):
    for path in sorted((DATA / shape.name).glob("*.json"), key=lambda each: int(each.stem)):
        yield path.stem, Body(path.read_bytes().decode(), shape.list_key)


def selftest():
    failures, planted, passed = [], 0, 0
    for shape in SHAPES.values():
        files = list(bodies(shape))
        if len(files) < 12:
            failures.append(f"{shape.name}: only {len(files)} conversations")
        lawful = 0
        for name, body in files:
            failures += [f"{shape.name}/{name}: has not {what}" for what in lacking(shape, body)]
            shorter = shorten(shape, body.messages)
            for what, messages in (
                    ("nothing", body.messages), ("a shorter text", shorter), ("old turns", drop_old(shape, body.messages)),
                    ("both", drop_old(shape, shorter)), ("the middle", drop_middle(shape, body.messages)),
                    ("all but the last", drop_before_last(shape, body.messages)),
                    ("reasoning", drop_reasoning(shape, body.messages))):
                if messages is not None:
                    lawful += 1
                    messages = settled(shape, body.messages, messages)
                    found = check(shape.name, body.text, body.with_messages(messages), what == "reasoning")
                    failures += [f"{shape.name}/{name}: refused, though lawful: {what}: {finding}" for finding in found]
            # Where reasoning may go alone, that of the newest round may not.
            if shape.name in SIGNED - ITEMS and list(shape.open_round(body.messages)):
                planted += 1
                spoiled = body.with_messages(drop_reasoning(shape, body.messages, everywhere=True))
                if not {"thinking", "blocks", "bound"} & {each.rule for each in check(shape.name, body.text, spoiled, True)}:
                    failures.append(f"{shape.name}/{name}: not found: the reasoning of the newest round is gone")
        passed += lawful
        for what, rules, shapes, spoil in PLANTS:
            if shape.name not in shapes:
                continue
            applied = 0
            for name, body in files:
                messages = spoil(shape, copy.deepcopy(body.messages))
                if messages is None:
                    continue
                applied += 1
                found = {each.rule for each in check(shape.name, body.text, body.with_messages(messages))}
                if not rules & found:
                    failures.append(f"{shape.name}/{name}: not found: {what}; wanted {sorted(rules)}, found {sorted(found)}")
                if applied == FILES_A_PLANT:
                    break
            if not applied:
                failures.append(f"{shape.name}: nothing to plant in: {what}")
            planted += applied
        seen = set()
        for name, body in files[:FILES_A_PLANT]:
            for what, rule, text in text_plants(body, shape):
                seen.add(rule)
                planted += 1
                if rule not in {each.rule for each in check(shape.name, body.text, text)}:
                    failures.append(f"{shape.name}/{name}: not found: {what}")
        if seen != {"json", "bytes", "outside"}:
            failures.append(f"{shape.name}: planted in the text: only {sorted(seen)}")
    planted_rules = {"json", "bytes", "outside"}.union(*(rules for _, rules, _, _ in PLANTS))
    failures += [f"no plant for the rule {rule}" for rule in sorted(planted_rules ^ set(RULES))]
    for each in failures:
        print(each)
    print(f"shapes: {passed} lawful reductions, {planted} planted violations, {len(failures)} failures")
    return 1 if failures else 0
