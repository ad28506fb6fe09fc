# SPDX-License-Identifier: BSL-1.0
"""A checker that cannot fail is a defect: lawful reductions pass, and every planted violation is found.

A plant takes the messages of a conversation and spoils them; it returns None where it does not apply. The table says
which rule has to find it, and in which shapes it has to apply to some conversation.
"""

import copy
from pathlib import Path

from body import Body, Number, dump
from check_shape import RULES, check
from shapes import SHAPES, objects

DATA = Path(__file__).resolve().parent / "data"
FILES_A_PLANT = 3

ALL = frozenset(SHAPES)
SIGNED = {"responses", "anthropic", "gemini", "bedrock", "aisdk", "aisdk_ui"}
SYSTEM_INSIDE = {"openai", "responses", "aisdk", "aisdk_ui", "ollama"}
UI, ITEMS = {"aisdk_ui"}, {"responses"}
PLANTS = []


def plant(*rules, shapes=ALL):
    """Registers a plant: the rules of which one must be found, and the shapes in which it applies."""
    def register(spoil):
        PLANTS.append((spoil.__doc__, set(rules), set(shapes), spoil))
        return spoil
    return register


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


def leaves(value, path=()):
    """Every text of a message."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from leaves(each, path + (key,))
    elif isinstance(value, list):
        for place, each in enumerate(value):
            yield from leaves(each, path + (place,))
    elif isinstance(value, str):
        yield path, value


def under(path, others):
    return any(path[:len(other)] == other for other in others)


def last_user(shape, messages):
    return max(at for at, m in enumerate(messages) if shape.is_user(m))


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


def first_round(shape, messages):
    return next(closed_rounds(shape, messages), None)


def summary(shape, text="What was said before, in short."):
    return {"gemini": lambda: {"role": "user", "parts": [{"text": text}]},
            "bedrock": lambda: {"role": "user", "content": [{"text": text}]},
            "mcp": lambda: {"role": "user", "content": {"type": "text", "text": text}},
            "aisdk_ui": lambda: {"id": f"summary-{len(text)}", "role": "user",
                                 "parts": [{"type": "text", "text": text}]}
            }.get(shape.name, lambda: {"role": "user", "content": text})()


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
            text = {"responses": {"type": "input_text"}, "gemini": {}, "bedrock": {}}.get(shape.name, {"type": "text"})
            put(messages, at, path, {**text, "text": "image/png, 200 bytes"})
    for at, path in list(places(shape, messages, "output")):
        put(messages, at, path, {"type": "text", "value": "rows"})
    return messages


def drop_old(shape, messages):
    """The first half of the turns becomes a summary."""
    users = [at for at, m in enumerate(messages) if shape.is_user(m)]
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
    users = [at for at, m in enumerate(messages) if shape.is_user(m)]
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
        word = "input_text" if shape.name == "responses" else "text"
        both = [block for content in (first, then)
                for block in ([{"type": word, "text": content}] if isinstance(content, str)
                              else [content] if isinstance(content, dict) else content)]
    own = {**one, **other} if shape.role(one) == "user" and one == summary(shape) else {**other, **one}
    return {**own, key: both}


def drop_before_last(shape, messages):
    """All before what the user said last becomes a summary, joined to it."""
    users = [at for at, m in enumerate(messages) if shape.is_user(m)]
    if len(users) < 2:
        return None
    joined = join(shape, summary(shape), messages[users[-1]])
    return [*messages[:users[0]], joined, *messages[users[-1] + 1:]]


def drop_reasoning(shape, messages, everywhere=False):
    """All reasoning is gone before the newest round, or in it as well."""
    newest = () if everywhere else shape.open_round(messages)
    out = [m if at in newest else shape.without_reasoning(m) for at, m in enumerate(messages)]
    return out if dump(out) != dump(messages) else None


# ---------------------------------------------------------------- planted violations

@plant("pairs", shapes=ALL - UI)
def _(shape, messages):
    """the call is gone and its result is there"""
    if found := first_round(shape, messages):
        del messages[found[0]]
        return messages


@plant("pairs", shapes=ALL - UI)
def _(shape, messages):
    """the result is gone and its call is there"""
    if found := first_round(shape, messages):
        del messages[found[1] - 1]
        return messages


@plant("pairs", shapes=ALL - UI)
def _(shape, messages):
    """a result stands twice"""
    if not (found := first_round(shape, messages)):
        return None
    m = messages[found[1] - 1]
    holder = m.get("content") if shape.joins == "content" or shape.name == "aisdk" else m.get("parts")
    if isinstance(holder, list) and shape.name not in ("openai", "responses", "ollama"):
        holder.append(copy.deepcopy(holder[0]))
    else:
        messages.insert(found[1], copy.deepcopy(m))
    return messages


@plant("pairs", shapes=ALL - UI - ITEMS)
def _(shape, messages):
    """a summary between a call and its result"""
    if found := first_round(shape, messages):
        messages.insert(found[0] + 1, summary(shape))
        return messages


@plant("pairs", shapes=ALL - UI)
def _(shape, messages):
    """a result answers another call"""
    keys = ("tool_call_id", "call_id", "tool_use_id", "toolUseId", "toolCallId", "tool_name", "name")
    if not (found := first_round(shape, messages)):
        return None
    for path, value in leaves(messages[found[1] - 1]):
        if path[-1] in keys and (path[-1] != "name" or shape.name in ("openai", "gemini")):
            put(messages, found[1] - 1, path, value + "x")
            return messages


@plant("pairs", shapes={"gemini", "ollama"})
def _(shape, messages):
    """parallel results in another order"""
    for begin, end in closed_rounds(shape, messages):
        if shape.name == "gemini":
            parts = messages[begin + 1]["parts"]
            if len(parts) > 1 and parts[0]["functionResponse"]["name"] != parts[1]["functionResponse"]["name"]:
                parts[0], parts[1] = parts[1], parts[0]
                return messages
        elif end - begin > 2 and messages[begin + 1]["tool_name"] != messages[begin + 2]["tool_name"]:
            messages[begin + 1], messages[begin + 2] = messages[begin + 2], messages[begin + 1]
            return messages


@plant("pairs", shapes={"anthropic", "mcp"})
def _(shape, messages):
    """a text before the results of a message"""
    if found := first_round(shape, messages):
        messages[found[0] + 1]["content"].insert(0, {"type": "text", "text": "Here they are."})
        return messages


@plant("pairs", shapes={"anthropic"})
def _(shape, messages):
    """the result of a search that the provider ran is gone"""
    for m in messages:
        for block in objects(m["content"]):
            if block["type"] == "web_search_tool_result":
                m["content"].remove(block)
                return messages


@plant("pairs", shapes=UI)
def _(shape, messages):
    """a call that is done has no output"""
    for at, path in places(shape, messages, "json"):
        del get(messages[at], path[:-1])["output"]
        return messages


@plant("pairs", shapes=UI)
def _(shape, messages):
    """a call that is open has an output"""
    for at, path in places(shape, messages, "json"):
        get(messages[at], path[:-1])["state"] = "input-available"
        return messages


@plant("ids", shapes=UI)
def _(shape, messages):
    """two messages have one id"""
    messages[2]["id"] = messages[1]["id"]
    return messages


@plant("roles", shapes={"anthropic", "bedrock", "gemini"})
def _(shape, messages):
    """the first message is the assistant's"""
    return messages[1:]


@plant("roles", shapes={"bedrock"})
def _(shape, messages):
    """two messages of the user in turn"""
    users = [at for at, m in enumerate(messages) if shape.is_user(m)]
    if len(users) > 1:
        return [*messages[:users[0] + 1], summary(shape), *messages[users[1]:]]


@plant("roles", shapes={"gemini"})
def _(shape, messages):
    """calls directly behind what the model said"""
    users = [at for at, m in enumerate(messages) if shape.is_user(m)]
    if len(users) > 2 and shape.has_calls(messages[users[1] + 1]):
        del messages[users[1]]
        return messages


@plant("reasoning", shapes=ITEMS)
def _(shape, messages):
    """an item without the reasoning before it"""
    del messages[next(at for at, m in enumerate(messages) if shape.kind(m) == "reasoning")]
    return messages


@plant("reasoning", shapes=ITEMS)
def _(shape, messages):
    """reasoning without the item behind it"""
    for at, m in enumerate(messages[:-2]):
        if shape.kind(m) == "reasoning" and messages[at + 1].get("role") == "assistant":
            del messages[at + 1]
            return messages


@plant("document", shapes={"bedrock"})
def _(shape, messages):
    """a document without a text beside it"""
    for m in messages:
        if any("document" in block for block in m["content"]):
            m["content"] = [block for block in m["content"] if "text" not in block]
            return messages


@plant("empty")
def _(shape, messages):
    """the text of a result is empty"""
    for at, path in places(shape, messages, "text", "json", "output", "object"):
        if shape.has_results(messages[at]) or shape.name == "aisdk_ui":
            value = get(messages[at], path)
            if shape.name == "bedrock" and isinstance(value, dict):
                continue
            put(messages, at, path, {"type": "text", "value": ""} if shape.name == "aisdk" and path[-1] == "output"
                else {} if shape.name == "gemini" else "")
            return messages


@plant("empty", shapes={"openai", "anthropic", "bedrock", "aisdk", "mcp", "responses"})
def _(shape, messages):
    """an image became an empty text"""
    text = {"bedrock": {}, "responses": {"type": "input_text"}}.get(shape.name, {"type": "text"})
    for at, path in places(shape, messages, "media"):
        put(messages, at, path, {**text, "text": " "})
        return messages


@plant("empty")
def _(shape, messages):
    """the summary is empty"""
    users = [at for at, m in enumerate(messages) if shape.is_user(m)]
    if len(users) > 2 and not shape.alternates:
        return [*messages[:users[0]], summary(shape, " "), *messages[users[1]:]]
    return [summary(shape, ""), *messages[users[0] + 2:]]


@plant("system", shapes=SYSTEM_INSIDE)
def _(shape, messages):
    """the system prompt is shorter"""
    for at, m in enumerate(messages):
        if shape.is_system(m):
            path, value = next((path, value) for path, value in leaves(m) if len(value) > 40)
            put(messages, at, path, value[:30])
            return messages


@plant("system", shapes=SYSTEM_INSIDE)
def _(shape, messages):
    """the system prompt is gone"""
    kept = [m for m in messages if not shape.is_system(m)]
    return kept if len(kept) < len(messages) else None


@plant("last_user", "verbatim", "blocks", "foreign")
def _(shape, messages):
    """what the user said last is another in the message that it was joined to"""
    at = last_user(shape, messages)
    path, text = next((path, text) for path, text in leaves(messages[at]) if path[0] == shape.joins and " " in text)
    put(messages, at, path, text[:-8] + " or not.")
    return drop_before_last(shape, messages)


@plant("last_user", "foreign")
def _(shape, messages):
    """the message that was joined lost what the user said last"""
    shorter = drop_before_last(shape, messages)
    if shorter is not None:
        at = last_user(shape, shorter)
        shorter[at] = {**shorter[at], shape.joins: summary(shape)[shape.joins]}
    return shorter


@plant("last_user")
def _(shape, messages):
    """what the user said last is shorter"""
    at = last_user(shape, messages)
    path, value = max(leaves(messages[at]), key=lambda each: (each[1][:4] != "data", " " in each[1], len(each[1])))
    put(messages, at, path, value[:-5])
    return messages


@plant("last_user")
def _(shape, messages):
    """what the user said last is gone"""
    at = last_user(shape, messages)
    return [*messages[:at], *messages[at + 1:]]


@plant("open_round")
def _(shape, messages):
    """the newest round is gone"""
    newest = shape.open_round(messages)
    return [m for at, m in enumerate(messages) if at not in newest] if newest else None


@plant("order")
def _(shape, messages):
    """two messages changed places"""
    users = [at for at, m in enumerate(messages) if shape.is_user(m)]
    if len(users) < 3:
        return None
    messages[users[0]], messages[users[1]] = messages[users[1]], messages[users[0]]
    return messages


@plant("order")
def _(shape, messages):
    """a message stands twice"""
    users = [at for at, m in enumerate(messages) if shape.is_user(m)]
    messages.insert(users[-1], copy.deepcopy(messages[users[0]]))
    return messages if len(users) > 1 else None


@plant("verbatim")
def _(shape, messages):
    """what the assistant said is shorter"""
    for at, m in enumerate(messages):
        if shape.role(m) in ("assistant", "model") and not shape.has_results(m):
            sealed = [*shape.editable(m), *shape.thinking(m)]
            for path, value in leaves(m):
                if path[-1] in ("text", "content") and len(value) > 30 and not under(path, sealed):
                    put(messages, at, path, value[:-6])
                    return messages


@plant("fields", "thinking")
def _(shape, messages):
    """a message has one member more"""
    messages[1]["extra"] = "none"
    return messages


@plant("fields")
def _(shape, messages):
    """a call has one member less"""
    for at, m in enumerate(messages):
        if shape.has_calls(m) or (shape.name == "aisdk_ui" and shape.role(m) == "assistant"):
            spots = [path for path, _ in leaves(m) if path[-1] in ("name", "toolName", "state")
                     and not under(path, [*shape.editable(m), *shape.thinking(m)])]
            if spots:
                del get(m, spots[-1][:-1])[spots[-1][-1]]
                return messages


@plant("blocks", shapes=ALL - ITEMS)
def _(shape, messages):
    """a block of a message is gone"""
    newest = {last_user(shape, messages), *shape.open_round(messages)}
    for at, m in enumerate(messages):
        holder = next((m[key] for key in ("parts", "content", "tool_calls")
                       if isinstance(m.get(key), list) and len(m[key]) > 1), None)
        if holder is None or at in newest:
            continue
        if shape.thinking(m) and shape.thinking(m)[0][-1] == len(holder) - 1:
            continue
        del holder[-1]
        return messages


@plant("ids")
def _(shape, messages):
    """an id, or a name where there are none, is another one wherever it stands"""
    for at, m in enumerate(messages):
        if shape.has_calls(m) or shape.name == "aisdk_ui" and shape.role(m) == "assistant":
            key = {"ollama": "name", "gemini": "name", "responses": "call_id", "bedrock": "toolUseId",
                   "aisdk": "toolCallId", "aisdk_ui": "toolCallId"}.get(shape.name, "id")
            found = [value for path, value in leaves(m)
                     if path[-1] == key or (m.get("function_call") and path[-1] == "name")]
            for each in found[:1]:
                def renamed(value):
                    if isinstance(value, dict):
                        return {k: renamed(v) for k, v in value.items()}
                    if isinstance(value, list):
                        return [renamed(v) for v in value]
                    return each + "0" if value == each else value
                return [renamed(one) for one in messages]


@plant("thinking", shapes=SIGNED)
def _(shape, messages):
    """a text that is signed is shorter"""
    for at, m in enumerate(messages):
        for place in shape.thinking(m):
            for path, value in leaves(get(m, place)):
                if len(value) > 20:
                    put(messages, at, place + path, value[:-4])
                    return messages


@plant("thinking", shapes=SIGNED - ITEMS)
def _(shape, messages):
    """thinking is gone and the rest of its message is there"""
    for m in messages:
        for place in shape.thinking(m):
            holder = get(m, place[:-1])
            if len(holder) > 1:
                del holder[place[-1]]
                return messages


@plant("shortened", "arguments", "fields", "order", "foreign")
def _(shape, messages):
    """the text of a result is longer"""
    for at, path in places(shape, messages, "text", "json", "object"):
        if shape.has_results(messages[at]) or shape.name == "aisdk_ui":
            value = get(messages[at], path)
            put(messages, at, path, value + " and more than there was" if isinstance(value, str)
                else {**value, "more": "than there was"})
            return messages


@plant("shortened", "arguments", "fields")
def _(shape, messages):
    """the text of a result is a number"""
    for at, path in places(shape, messages, "text", "object", "output"):
        if shape.has_results(messages[at]):
            put(messages, at, path, Number("7"))
            return messages
    if shape.name == "aisdk_ui":
        for at, path in places(shape, messages, "text"):
            put(messages, at, path, Number("7"))
            return messages


@plant("arguments")
def _(shape, messages):
    """arguments are no JSON object"""
    for at, path in places(shape, messages, "json_text", "object"):
        if not shape.has_results(messages[at]):
            value = get(messages[at], path)
            put(messages, at, path, value[:-1] if isinstance(value, str) else "{}")
            return messages


@plant("media", shapes=ALL)
def _(shape, messages):
    """an image has other bytes"""
    for at, path in places(shape, messages, "media", "images"):
        for inner, value in leaves(get(messages[at], path)):
            if len(value) > 60:
                put(messages, at, path + inner, value[:-9] + "AAAA" + value[-5:])
                return messages


@plant("media", shapes=ALL)
def _(shape, messages):
    """an image is a number"""
    for at, path in places(shape, messages, "media", "images"):
        put(messages, at, path, Number("7"))
        return messages


@plant("foreign")
def _(shape, messages):
    """a message that the assistant never said"""
    users = [at for at, m in enumerate(messages) if shape.is_user(m)]
    made = answer(shape, "8 15 16 23 42")
    return [*messages[:users[-1]], made, *messages[users[-1]:]]


@plant("summary")
def _(shape, messages):
    """two summaries"""
    users = [at for at, m in enumerate(messages) if shape.is_user(m)]
    if len(users) > 2:
        return [*messages[:users[0]], summary(shape), summary(shape, "8 15 16 23 42"), *messages[users[1]:]]


@plant("summary")
def _(shape, messages):
    """a summary where nothing is gone"""
    users = [at for at, m in enumerate(messages) if shape.is_user(m)]
    return [*messages[:users[-1]], summary(shape), *messages[users[-1]:]]


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
                steps[-1].append(part) if shape.is_tool(part) else steps.append([])
        return max(map(len, steps))
    calls = shape.calls if hasattr(shape, "calls") else lambda m: shape.own(m, "tool-call")
    return max(len(calls(m)) for m in messages)


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
            for messages in (body.messages, shorten(shape, body.messages), drop_old(shape, body.messages),
                             drop_old(shape, shorten(shape, body.messages)), drop_middle(shape, body.messages),
                             drop_before_last(shape, body.messages)):
                if messages is None:
                    continue
                lawful += 1
                for finding in check(shape.name, body.text, body.with_messages(messages)):
                    failures.append(f"{shape.name}/{name}: a lawful reduction is refused: {finding}")
            # Where reasoning may go alone, that of the newest round may not.
            without = drop_reasoning(shape, body.messages)
            if without is not None:
                lawful += 1
                for finding in check(shape.name, body.text, body.with_messages(without), True):
                    failures.append(f"{shape.name}/{name}: reasoning that may go: {finding}")
            if shape.name in SIGNED - ITEMS and list(shape.open_round(body.messages)):
                planted += 1
                spoiled = body.with_messages(drop_reasoning(shape, body.messages, everywhere=True))
                if not {"thinking", "blocks"} & {each.rule for each in check(shape.name, body.text, spoiled, True)}:
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
                findings = check(shape.name, body.text, body.with_messages(messages))
                if not rules & {each.rule for each in findings}:
                    failures.append(f"{shape.name}/{name}: not found: {what}; wanted {'/'.join(sorted(rules))}, "
                                    f"found {sorted({each.rule for each in findings})}")
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
