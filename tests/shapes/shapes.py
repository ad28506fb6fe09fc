# SPDX-License-Identifier: BSL-1.0
"""The rules of nine shapes, as their providers document them: where calls and results stand, and what may not be.

`problems` yields (rule, key, text): the key tells the same problem of an original and of what became of it apart from a
new one. Everything is read defensively, because what is checked may be broken in any way.
"""


def listed(value):
    return value if isinstance(value, list) else []


def objects(value):
    return [each for each in listed(value) if isinstance(each, dict)]


def member(value, *path):
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def of(*types):
    """Tells blocks of these types."""
    return lambda block: block.get("type") in types


def having(*names):
    return lambda block: any(name in block for name in names)


def all_blocks(_):
    return True


def reached(value, path, at=()):
    """Where a path leads to: a member by its name, or each block that a function tells, of a list or alone."""
    if not path:
        yield at, value
    elif callable(path[0]):
        blocks = {(): value} if isinstance(value, dict) else {(place,): each for place, each in enumerate(listed(value))}
        for place, block in blocks.items():
            if isinstance(block, dict) and path[0](block):
                yield from reached(block, path[1:], at + place)
    elif isinstance(value, dict) and path[0] in value:
        yield from reached(value[path[0]], path[1:], at + (path[0],))


# What holds texts or blocks; and what is a program's own, in which nothing is looked at.
HOLDERS, OWN = ("content", "output", "parts", "value", "response"), ("input", "args", "arguments", "structuredContent", "json")


def empty_places(value, at=()):
    """Texts without a word, and holders of nothing."""
    if value == {} and at:
        yield at
    for key, each in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        if key == "text" and isinstance(each, str) and not each.strip() or key in HOLDERS and each in ("", [], {}) \
                or key in ("value", "response") and each is None:
            yield at + (key,)
        elif key not in OWN and key not in ("value", "response"):
            yield from empty_places(each, at + (key,))


class Shape:
    name = ""
    list_key = "messages"
    joins = "content"  # the member whose texts or blocks neighbours may be joined in
    plain = True  # whether that may be a text
    text_type, text_extras = "text", ("cache_control",)  # of a block of text, and what it may have beside the text
    summary_extras = ()  # members of a summary beside that and the role
    caller, result_roles = "assistant", ()
    first_user = alternates = False

    # -- what a message is

    def role(self, m):
        return member(m, "role")

    def is_system(self, m):
        return self.role(m) in ("system", "developer")

    def is_user(self, m):
        """True for what a user says, not for results."""
        return self.role(m) == "user" and not self.has_results(m)

    def calls(self, m):
        return []

    def has_calls(self, m):
        return self.role(m) == self.caller and bool(self.calls(m))

    def has_results(self, m):
        return self.role(m) in self.result_roles

    def open_round(self, messages):
        """Places of the newest calls with their results, where no answer follows."""
        at = len(messages)
        while at and self.has_results(messages[at - 1]):
            at -= 1
        if at and self.has_calls(messages[at - 1]):
            at -= 1
        return range(at, len(messages))

    def answered(self, messages):
        """Each message with the results directly behind it, and whether these are the last."""
        at = 0
        while at < len(messages):
            m, begin = messages[at], at + 1
            at = next((end for end in range(begin, len(messages)) if not self.has_results(messages[end])), len(messages))
            yield m, messages[begin:at], at == len(messages)

    # -- what may change

    EDITS = ()  # paths to what may change, and how; a text may where it is one
    SEALED = ()  # a path to what a signature covers
    BOUND = ()  # and to what one covers together with all that stands before it

    def edits(self, m):
        return self.EDITS

    def editable(self, m):
        return dict(sorted((at, kind) for *path, kind in self.edits(m) for at, value in reached(m, path)
                           if kind != "text" or isinstance(value, str)))

    def thinking(self, m):
        return [at for at, _ in reached(m, self.SEALED)] if self.SEALED else []

    def bound(self, m):
        return [at for at, _ in reached(m, self.BOUND)] if self.BOUND else []

    def without_bound(self, m, first=0):
        """A message as it is when its bound blocks are removed, but for the first ones."""
        if not self.bound(m):
            return m
        key = self.BOUND[0]
        gone = {at[1] for at in self.bound(m)[first:]}
        return {**m, key: [block for place, block in enumerate(m[key]) if place not in gone]}

    reasoning_members = ()
    is_reasoning = staticmethod(lambda block: False)

    def without_reasoning(self, m):
        """A message as it is when all its reasoning is removed."""
        key = "parts" if "parts" in m else "content"
        out = {name: value for name, value in m.items() if name not in self.reasoning_members}
        if isinstance(m.get(key), list):
            out[key] = [block for block in m[key] if not (isinstance(block, dict) and self.is_reasoning(block))]
        return out

    def is_text_block(self, block):
        return isinstance(block, dict) and block.get("type") == self.text_type and isinstance(block.get("text"), str) \
            and set(block) <= {"text", *self.text_extras, *(("type",) if self.text_type else ())}

    def summary(self, m):
        """The text of a message of the user that holds only text, else None."""
        if not isinstance(m, dict) or set(m) - set(self.summary_extras) != {"role", self.joins} or m["role"] != "user":
            return None
        said = m[self.joins]
        if isinstance(said, str):
            return said if self.plain else None
        texts = isinstance(said, list) and said and all(map(self.is_text_block, said))
        return "".join(block["text"] for block in said) if texts else None

    # -- rules

    def empty(self, m):
        """What is empty in a message."""
        return [".".join(map(str, at)) for at in empty_places(m)]

    def pairs(self, messages):
        return ()

    def problems(self, messages):
        yield from self.pairs(messages)
        spoken = [m for m in messages if not self.is_system(m)]
        if self.first_user and spoken and self.role(spoken[0]) != "user":
            yield "roles", "first", "the first message is not the user's"
        if self.alternates:
            for place, (one, other) in enumerate(zip(spoken, spoken[1:])):
                if self.role(one) == self.role(other):
                    yield "roles", "alternate", f"messages {place} and {place + 1} have the role {self.role(one)}"


def each_once(wanted, given, what):
    """Problems of the ids of results, which have to be those of the calls before."""
    for call in wanted:
        if given.count(call) != 1:
            yield "pairs", ("call", call), f"the call {call} has {given.count(call)} results {what}"
    for call in given:
        if call not in wanted:
            yield "pairs", ("result", call), f"the result {call} has no call {what}"


class OpenAI(Shape):
    name = "openai"
    reasoning_members = ("reasoning_content",)
    media_types = ("image_url", "input_audio", "file")
    result_roles = ("tool", "function")

    def calls(self, m):
        return [call.get("id") for call in objects(member(m, "tool_calls"))] if self.role(m) == "assistant" else []

    def legacy(self, m):
        return member(m, "function_call", "name") if self.role(m) == "assistant" else None

    def has_calls(self, m):
        return bool(self.calls(m) or self.legacy(m))

    def edits(self, m):
        rows = (("content", of(*self.media_types), "media"), ("tool_calls", having("custom"), "custom", "input", "text"),
                ("tool_calls", lambda call: "custom" not in call, "function", "arguments", "json_text"),
                ("function_call", "arguments", "json_text"), ("reasoning_content", "text"))
        return (*rows, ("content", "text"), ("content", of("text"), "text", "text")) if self.has_results(m) else rows

    def pairs(self, messages):
        for m, answers, at_end in self.answered(messages):
            if self.legacy(m):
                names = [answer.get("name") for answer in answers if self.role(answer) == "function"]
                if names != [self.legacy(m)] or len(answers) != 1:
                    yield "pairs", ("function", self.legacy(m), at_end), \
                        f"the call of function {self.legacy(m)} has the results {names} directly behind"
            else:
                given = [answer.get("tool_call_id") for answer in answers]
                yield from each_once(self.calls(m), given, "directly behind")


class Ollama(Shape):
    name = "ollama"
    reasoning_members = ("thinking",)
    result_roles = ("tool",)

    def calls(self, m):
        calls = objects(member(m, "tool_calls")) if self.role(m) == "assistant" else []
        return [member(call, "function", "name") for call in calls]

    def edits(self, m):
        rows = (("tool_calls", all_blocks, "function", "arguments", "object"), ("thinking", "text"), ("images", "images"))
        kind = "noted" if "images" in m else "text" if self.has_results(m) else None
        return (*rows, ("content", kind)) if kind else rows

    def pairs(self, messages):
        for m, answers, at_end in self.answered(messages):
            calls, names = self.calls(m), [answer.get("tool_name") for answer in answers]
            if names != calls:
                yield "pairs", ("names", tuple(calls), at_end), f"the calls {calls} have the results {names} directly behind"


class Responses(Shape):
    name = "responses"
    list_key = "input"
    text_type, text_extras = "input_text", ()
    summary_extras = ("type",)
    OUTPUT = {"function_call": "function_call_output", "custom_tool_call": "custom_tool_call_output",
              "local_shell_call": "local_shell_call_output", "computer_call": "computer_call_output",
              "shell_call": "shell_call_output", "apply_patch_call": "apply_patch_call_output"}

    def kind(self, m):
        return member(m, "type") or ("message" if self.role(m) else None)

    def is_system(self, m):
        return self.kind(m) == "message" and self.role(m) in ("system", "developer")

    def is_user(self, m):
        return self.kind(m) == "message" and self.role(m) == "user"

    def has_calls(self, m):
        return self.kind(m) in self.OUTPUT

    def has_results(self, m):
        return self.kind(m) in self.OUTPUT.values()

    def of_model(self, m):
        """True for items that a model puts out."""
        return not self.has_results(m) and (self.kind(m) != "message" or self.role(m) == "assistant")

    def open_round(self, messages):
        at = len(messages)
        while at and self.has_results(messages[at - 1]):
            at -= 1
        if at == len(messages):
            return range(at, at)
        while at and self.of_model(messages[at - 1]):
            at -= 1
        return range(at, len(messages))

    def edits(self, m):
        media = of("input_image", "input_file")
        if self.has_results(m):
            return ("output", media, "media"), ("output", of("input_text"), "text", "text"), ("output", "text")
        if self.is_user(m):
            return ("content", media, "media"),
        return {"function_call": (("arguments", "json_text"),), "custom_tool_call": (("input", "text"),)}.get(self.kind(m), ())

    def thinking(self, m):
        return [()] if self.kind(m) == "reasoning" else []

    def summary(self, m):
        return super().summary(m) if self.kind(m) == "message" else None

    def pairs(self, messages):
        for place, m in enumerate(messages):
            kind, call = self.kind(m), member(m, "call_id")
            if kind in self.OUTPUT:
                count = sum(self.kind(other) == self.OUTPUT[kind] and other.get("call_id") == call
                            for other in messages[place + 1:])
                if count != 1:
                    yield "pairs", ("call", call), f"the call {call} has {count} outputs behind it"
            elif self.has_results(m):
                count = sum(self.OUTPUT.get(self.kind(other)) == kind and other.get("call_id") == call
                            for other in messages[:place])
                if count != 1:
                    yield "pairs", ("result", call), f"the output {call} has {count} calls before it"

    def runs(self, messages):
        """The id of each reasoning item with the id of the item behind it, and for each item of a model the id of the
        reasoning that its run begins with."""
        behind, before, reasoning = {}, {}, None
        for place, m in enumerate(messages):
            if self.kind(m) == "reasoning":
                follower = messages[place + 1] if place + 1 < len(messages) else None
                behind[m.get("id")] = follower.get("id") if follower is not None and self.of_model(follower) else None
                reasoning = m.get("id")
            elif self.of_model(m):
                before[m.get("id")] = reasoning
            else:
                reasoning = None
        return behind, before

    def with_original(self, old, new):
        """Rules that need the original to be told: reasoning and the item that it belongs to."""
        old_behind, old_before = self.runs(old)
        new_behind, new_before = self.runs(new)
        for item, follower in new_behind.items():
            if item in old_behind and follower != old_behind[item]:
                yield "reasoning", item, f"the reasoning {item} is followed by {follower}, not by {old_behind[item]}"
        for item, reasoning in new_before.items():
            if item in old_before and reasoning != old_before[item]:
                yield "reasoning", item, f"the item {item} stands without its reasoning {old_before[item]}"


class Blocks(Shape):
    """Calls and results are blocks of messages of assistant and user, and the next message holds all results."""
    results_first = results_alone = False
    CALL = RESULT = ()  # from a block to the id of its call
    contents = None  # the types that content may have, and in words what it then is not

    def blocks(self, m):
        return objects(member(m, "content"))

    def ids(self, block, path):
        return [each for _, each in reached(block, path) if each is not None]

    def calls(self, m):
        return [call for block in self.blocks(m) for call in self.ids(block, self.CALL)]

    def results(self, m):
        return [call for block in self.blocks(m) for call in self.ids(block, self.RESULT)]

    def has_results(self, m):
        return self.role(m) == "user" and bool(self.results(m))

    def pairs(self, messages):
        calls, before = [], None
        for place, m in enumerate([*messages, None]):
            results = self.results(m) if m is not None and self.role(m) == "user" else []
            yield from each_once(calls, results, f"in the next message, {place}")
            if m is None:
                return
            where = [bool(self.ids(each, self.RESULT)) for each in self.blocks(m)]
            if self.role(m) != "user" and any(where):
                yield "pairs", ("role", place), f"message {place} has results and the role {self.role(m)}"
            if any(where) and self.results_alone and not all(where):
                yield "pairs", ("alone", tuple(results)), f"message {place} has something beside results"
            if any(where) and self.results_first and False in where[:sum(where)]:
                yield "pairs", ("first", tuple(results)), f"message {place} has something before results"
            calls, before = (self.calls(m) if self.role(m) == "assistant" else []), m
            if self.role(m) == "user" and self.calls(m):
                yield "pairs", ("role", place), f"message {place} has calls and the role user"

    def problems(self, messages):
        yield from super().problems(messages)
        for place, m in enumerate(messages):
            if self.contents and not isinstance(member(m, "content"), self.contents[0]):
                yield "fields", ("content", place), f"message {place}: content is {self.contents[1]}"


def is_text_document(block):
    return block.get("type") == "document" and member(block, "source", "type") == "text"


class Anthropic(Blocks):
    name = "anthropic"
    first_user = results_first = True
    media_types = ("image", "document")
    is_reasoning = staticmethod(of("thinking", "redacted_thinking"))
    CALL, RESULT = (of("tool_use"), "id"), (of("tool_result"), "tool_use_id")
    EDITS = (("content", of("tool_result"), "content", "text"),
             ("content", of("tool_result"), "content", of("text"), "text", "text"),
             ("content", of("tool_result"), "content", of(*media_types), "media"),
             ("content", of("tool_use"), "input", "object"),
             ("content", lambda block: block.get("type") == "thinking" and not block.get("signature"), "thinking", "text"),
             ("content", is_text_document, "source", "data", "text"),
             ("content", lambda block: block.get("type") in ("image", "document") and not is_text_document(block), "media"))
    SEALED = BOUND = ("content", lambda block: block.get("type") == "redacted_thinking"
                      or block.get("type") == "thinking" and block.get("signature"))

    def pairs(self, messages):
        yield from super().pairs(messages)
        for place, m in enumerate(messages):
            open_calls = []
            for block in self.blocks(m):
                kind = str(block.get("type"))
                if kind in ("server_tool_use", "mcp_tool_use"):
                    open_calls.append(block.get("id"))
                elif kind.endswith("_tool_result"):
                    if block.get("tool_use_id") not in open_calls:
                        yield "pairs", ("server", block.get("tool_use_id")), \
                            f"message {place}: the result {block.get('tool_use_id')} has no call before it"
                    else:
                        open_calls.remove(block.get("tool_use_id"))
            for call in open_calls:
                yield "pairs", ("server", call), f"message {place}: the call {call}, run by the provider, has no result"


class Bedrock(Blocks):
    name = "bedrock"
    plain = False
    text_type, text_extras = None, ()
    first_user = alternates = True
    contents = list, "no array"
    is_reasoning = staticmethod(having("reasoningContent"))
    CALL, RESULT = ("toolUse", "toolUseId"), ("toolResult", "toolUseId")
    MEDIA = having("image", "document", "video", "audio")
    EDITS = (("content", all_blocks, "toolResult", "content", having("text"), "text", "text"),
             ("content", all_blocks, "toolResult", "content", having("json"), "json_block"),
             ("content", all_blocks, "toolResult", "content", MEDIA, "media"),
             ("content", all_blocks, "toolUse", "input", "object"), ("content", MEDIA, "media"),
             ("content", lambda block: not member(block, "reasoningContent", "reasoningText", "signature"),
              "reasoningContent", "reasoningText", "text", "text"))
    SEALED = BOUND = ("content", lambda block: member(block, "reasoningContent", "redactedContent")
                      or member(block, "reasoningContent", "reasoningText", "signature"))

    def empty(self, m):
        blocks = self.blocks(m)
        only_points = blocks and all("cachePoint" in block for block in blocks)
        return super().empty(m) + (["content, but for a cache point"] if only_points else [])

    def problems(self, messages):
        yield from super().problems(messages)
        for place, m in enumerate(messages):
            blocks = self.blocks(m)
            if any("document" in block for block in blocks) and not any("text" in block for block in blocks):
                yield "document", place, f"message {place} has a document and no text beside it"


class MCP(Blocks):
    name = "mcp"
    plain = False
    results_alone = True
    contents = (list, dict), "neither a block nor an array"
    media_types = ("image", "audio", "resource", "resource_link")
    CALL, RESULT = (of("tool_use"), "id"), (of("tool_result"), "toolUseId")

    def blocks(self, m):
        content = member(m, "content")
        return [content] if isinstance(content, dict) else objects(content)

    EDITS = (("content", of("tool_result"), "content", of("text"), "text", "text"),
             ("content", of("tool_result"), "content", of("resource"), "resource", "text", "text"),
             ("content", of("tool_result"), "content", lambda part: part.get("type") in MCP.media_types
              and not isinstance(member(part, "resource", "text"), str), "media"),
             ("content", of("tool_result"), "structuredContent", "object"), ("content", of("tool_use"), "input", "object"),
             ("content", of("image", "audio"), "media"))

    def summary(self, m):
        if isinstance(m, dict) and isinstance(m.get("content"), dict):
            m = {**m, "content": [m["content"]]}
        return super().summary(m)


def either(value, *names):
    """A member that has two spellings."""
    return next((value[name] for name in names if isinstance(value, dict) and name in value), None)


def is_signed(part):
    return either(part, "thoughtSignature", "thought_signature") is not None


class Gemini(Shape):
    name = "gemini"
    list_key = "contents"
    joins = "parts"
    plain = False
    text_type, text_extras = None, ()
    caller = "model"
    first_user = True
    is_reasoning = staticmethod(lambda part: part.get("thought") is True)

    def named(self, m, *names):
        """Name and id of each call or result."""
        found = [either(part, *names) for part in objects(member(m, "parts"))]
        return [(each.get("name"), each.get("id")) for each in found if isinstance(each, dict)]

    def calls(self, m):
        return self.named(m, "functionCall", "function_call")

    def results(self, m):
        return self.named(m, "functionResponse", "function_response")

    def has_results(self, m):
        return bool(self.results(m))

    EDITS = (*(("parts", lambda part: not is_signed(part), *path, "object") for path in
               (("functionResponse", "response"), ("function_response", "response"), ("functionCall", "args"), ("function_call", "args"))),
             ("parts", lambda part: part.get("thought") and not is_signed(part), "text", "text"),
             ("parts", lambda part: having("inlineData", "inline_data", "fileData", "file_data")(part) and not is_signed(part), "media"))
    SEALED = ("parts", is_signed)

    def pairs(self, messages):
        calls = []
        for place, m in enumerate([*messages, None]):
            results = self.results(m) if m is not None else []
            if results != calls:
                key = ("names", tuple(calls or results), m is None)
                yield "pairs", key, f"the calls {calls} have the results {results} in the next content, {place}"
            if m is None:
                return
            calls = self.calls(m)
            if calls and (place == 0 or self.role(messages[place - 1]) not in ("user", "function")):
                yield "roles", ("turn", tuple(calls)), f"the calls of content {place} are behind neither user nor results"
            if calls and self.role(m) != "model":
                yield "roles", ("caller", tuple(calls)), f"content {place} has calls and the role {self.role(m)}"


BINDING = ("signature", "redactedData")  # of Anthropic and Bedrock


def signature(metadata, keys=(*BINDING, "thoughtSignature", "reasoningEncryptedContent", "itemId")):
    """Whether metadata of a provider sign what they stand at."""
    return any(isinstance(each, dict) and any(key in each for key in keys)
               for each in (metadata or {}).values()) if isinstance(metadata, dict) else False


class AISDK(Shape):
    name = "aisdk"
    media_types = ("image", "file", "media", "file-data", "file-url", "image-data", "image-url")
    result_roles = ("tool",)
    is_reasoning = staticmethod(of("reasoning"))

    def own(self, m, kind):
        return [part.get("toolCallId") for part in objects(member(m, "content")) if part.get("type") == kind]

    def calls(self, m):
        return self.own(m, "tool-call")

    EDITS = (("content", of("tool-call"), "input", "object"),
             ("content", lambda part: part.get("type") == "reasoning" and not signature(part.get("providerOptions")), "text", "text"),
             ("content", of(*media_types), "media"))
    SEALED = ("content", lambda part: part.get("type") == "reasoning" and signature(part.get("providerOptions")))
    BOUND = ("content", lambda part: part.get("type") == "reasoning" and signature(part.get("providerOptions"), BINDING))

    def edits(self, m):
        def giving(*types):
            return lambda part: part.get("type") == "tool-result" and member(part, "output", "type") in types
        blocks = ("content", giving("content"), "output", "value")
        return self.EDITS if self.role(m) != "tool" else (
            *self.EDITS, ("content", giving("text", "error-text"), "output", "value", "text"),
            ("content", giving("json", "error-json"), "output", "output"),
            (*blocks, of("text"), "text", "text"), (*blocks, of(*self.media_types), "media"))

    def pairs(self, messages):
        waiting = []
        for place, m in enumerate([*messages, None]):
            if m is not None and self.role(m) == "tool":
                for result in self.own(m, "tool-result"):
                    if result not in waiting:
                        yield "pairs", ("result", result), f"message {place}: the result {result} has no call before it"
                    else:
                        waiting.remove(result)
                continue
            for call in waiting:
                yield "pairs", ("call", call), f"the call {call} has no result before message {place}"
            waiting = []
            if self.role(m) == "assistant":
                here = self.own(m, "tool-result")
                waiting = [call for call in self.calls(m) if call not in here]


def is_tool(part):
    kind = str(part.get("type"))
    return kind.startswith("tool-") or kind == "dynamic-tool"


class AISDKUI(Shape):
    name = "aisdk_ui"
    joins = "parts"
    plain = False
    text_extras = ("state",)
    summary_extras = ("id",)
    is_reasoning = staticmethod(of("reasoning"))

    def open_round(self, messages):
        last = bool(messages) and self.role(messages[-1]) == "assistant"
        return range(len(messages) - last, len(messages))

    EDITS = (("parts", is_tool, "output", "json"), ("parts", is_tool, "errorText", "text"),
             ("parts", is_tool, "input", "object"), ("parts", of("file"), "media"),
             ("parts", lambda part: part.get("type") == "reasoning" and not signature(part.get("providerMetadata")), "text", "text"))
    SEALED = ("parts", lambda part: part.get("type") == "reasoning" and signature(part.get("providerMetadata")))
    BOUND = ("parts", lambda part: part.get("type") == "reasoning" and signature(part.get("providerMetadata"), BINDING))

    def summary(self, m):
        return super().summary(m) if isinstance(member(m, "id"), str) else None

    def empty(self, m):
        return super().empty(m) + ([] if objects(member(m, "parts")) else ["parts"])

    def pairs(self, messages):
        calls = []
        for place, m in enumerate(messages):
            for part in objects(member(m, "parts")):
                if not is_tool(part):
                    continue
                call, state = part.get("toolCallId"), part.get("state")
                wanted = {"output-available": "output", "output-error": "errorText"}.get(state)
                if wanted and wanted not in part:
                    yield "pairs", ("call", call), f"message {place}: the call {call} is {state} without {wanted}"
                if not wanted and ("output" in part or "errorText" in part):
                    yield "pairs", ("result", call), f"message {place}: the call {call} is {state} and has a result"
                if call in calls:
                    yield "pairs", ("twice", call), f"message {place}: the call {call} stands twice"
                calls.append(call)

    def problems(self, messages):
        yield from super().problems(messages)
        ids = [member(m, "id") for m in messages]
        for each in {each for each in ids if each is None or ids.count(each) > 1}:
            yield "ids", each, f"{ids.count(each)} messages have the id {each}"


SHAPES = {shape.name: shape for shape in
          (OpenAI(), Responses(), Anthropic(), Gemini(), Bedrock(), AISDK(), AISDKUI(), MCP(), Ollama())}
