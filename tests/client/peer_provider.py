# SPDX-License-Identifier: BSL-1.0
"""A provider on this machine that speaks four protocols, whole and streamed, and records what it is sent.

The path is /PEER/VARIANT and then that of the provider: the peer is who asks, the variant what is answered.
"""

import itertools
import json

import local_server

RESULT = "the result that the peers were told"  # in what is sent after calls: the answer to that has none
WORDS = "Größe, 数量 and \U0001F600 are \"counted\".\nTwice."
REFUSAL = "I cannot do that."
THINKING = "Let me see."
CALLS = [("peer_1", "read_file", {"path": "src/höhe.cpp", "first_line": 7}), ("peer_2", "fetch_log", {})]
INPUT, CACHED, OUTPUT, REASONING = 120, 40, 17, 7
ERRORS = {
    "overflow": (400, {
        "openai": "This model's maximum context length is 100 tokens. However, your messages resulted in 120 tokens.",
        "anthropic": "prompt is too long: 120 tokens > 100 maximum",
        "gemini": "The input token count (120) exceeds the maximum number of tokens allowed (100)."}),
    "busy": (503, {"openai": "The server is overloaded.", "anthropic": "Overloaded", "gemini": "The model is overloaded."}),
    "key": (401, {"openai": "Incorrect API key provided.", "anthropic": "invalid x-api-key", "gemini": "API key not valid."}),
    "late": (503, {"openai": "The engine has failed.", "anthropic": "Overloaded", "gemini": "The engine has failed."})}  # in a stream: in its middle
VARIANTS = ["text", "calls", "thinking_calls", "thinking", "cut", "refusal", *ERRORS]


def split(text):
    return [text[at:at + 5] for at in range(0, len(text), 5)]


class OpenAI:
    """Chat completions."""
    name = "openai"
    KINDS = {400: ("invalid_request_error", "context_length_exceeded"), 401: ("invalid_request_error", "invalid_api_key")}

    @classmethod
    def error(cls, status, text):
        kind, code = cls.KINDS.get(status, ("server_error", None))
        return {"error": {"message": text, "type": kind, "param": None, "code": code}}

    @staticmethod
    def error_event(error):
        return None, error

    @staticmethod
    def parts(variant):
        calls = CALLS if variant.endswith("calls") else []
        refusal = REFUSAL if variant == "refusal" else None
        return (None if refusal or variant == "thinking_calls" else WORDS), refusal, calls, "tool_calls" if calls else "length" if variant == "cut" else "stop"

    USAGE = {"prompt_tokens": INPUT, "completion_tokens": OUTPUT, "total_tokens": INPUT + OUTPUT,
             "prompt_tokens_details": {"cached_tokens": CACHED, "audio_tokens": 0}, "completion_tokens_details": {"reasoning_tokens": REASONING}}

    @classmethod
    def whole(cls, variant, request):
        text, refusal, calls, stop = cls.parts(variant)
        message = {"role": "assistant", "content": text, "refusal": refusal, "annotations": []}
        if calls:
            message["tool_calls"] = [{"id": key, "type": "function", "function": {"name": name, "arguments": json.dumps(given)}} for key, name, given in calls]
        return {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": request["model"], "usage": cls.USAGE,
                "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": stop}]}

    @classmethod
    def events(cls, variant, request):
        text, refusal, calls, stop = cls.parts(variant)
        def chunk(delta, reason=None):
            return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": request["model"], "usage": None,
                    "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}]}
        yield None, chunk({"role": "assistant", "content": "" if text else None, "refusal": None})
        for piece in split(text or ""):
            yield None, chunk({"content": piece})
        for piece in split(refusal or ""):
            yield None, chunk({"refusal": piece})
        for at, (key, name, given) in enumerate(calls):
            yield None, chunk({"tool_calls": [{"index": at, "id": key, "type": "function", "function": {"name": name, "arguments": ""}}]})
            for piece in split(json.dumps(given)):
                yield None, chunk({"tool_calls": [{"index": at, "function": {"arguments": piece}}]})
        yield None, chunk({}, stop)
        yield None, {**chunk({}), "choices": [], "usage": cls.USAGE}
        yield None, "[DONE]"


class Responses:
    name = "openai"
    error = OpenAI.error

    @staticmethod
    def error_event(error):
        return "error", {**error["error"], "type": "error", "sequence_number": 999}

    @staticmethod
    def output(variant):
        items = []
        if variant.startswith("thinking"):
            items.append({"id": "rs_1", "type": "reasoning", "summary": [{"type": "summary_text", "text": THINKING}], "encrypted_content": "c2VhbGVk"})
        if variant != "thinking_calls":
            block = {"type": "refusal", "refusal": REFUSAL} if variant == "refusal" else {"type": "output_text", "text": WORDS, "annotations": [], "logprobs": []}
            items.append({"id": "msg_1", "type": "message", "role": "assistant", "status": "incomplete" if variant == "cut" else "completed", "content": [block]})
        if variant.endswith("calls"):
            items += [{"id": f"fc_{key}", "type": "function_call", "status": "completed", "call_id": key, "name": name, "arguments": json.dumps(given)}
                      for key, name, given in CALLS]
        return items

    @classmethod
    def whole(cls, variant, request, output=None, status=None):
        cut = variant == "cut" and status is None
        return {"id": "resp_1", "object": "response", "created_at": 1, "status": status or ("incomplete" if cut else "completed"), "model": request["model"], "error": None,
                "incomplete_details": {"reason": "max_output_tokens"} if cut else None, "instructions": None, "metadata": {}, "parallel_tool_calls": True,
                "tool_choice": "auto", "tools": [], "output": cls.output(variant) if output is None else output,
                "usage": None if status else {"input_tokens": INPUT, "input_tokens_details": {"cached_tokens": CACHED}, "output_tokens": OUTPUT,
                                              "output_tokens_details": {"reasoning_tokens": REASONING}, "total_tokens": INPUT + OUTPUT}}

    @classmethod
    def events(cls, variant, request):
        numbers = iter(range(1000))
        def event(kind, **members):
            return kind, {"type": kind, "sequence_number": next(numbers), **members}
        yield event("response.created", response=cls.whole(variant, request, [], "in_progress"))
        for at, item in enumerate(cls.output(variant)):
            where = {"output_index": at, "item_id": item["id"]}
            yield event("response.output_item.added", output_index=at, item={**item, "status": "in_progress", **({"content": []} if "content" in item else {}),
                                                                             **({"arguments": ""} if "arguments" in item else {})})
            for place, block in enumerate(item.get("content", [])):
                kind = "refusal" if "refusal" in block else "output_text"
                member = "refusal" if "refusal" in block else "text"
                yield event("response.content_part.added", **where, content_index=place, part={**block, member: ""})
                for piece in split(block[member]):
                    yield event(f"response.{kind}.delta", **where, content_index=place, delta=piece, **({} if "refusal" in block else {"logprobs": []}))
                yield event(f"response.{kind}.done", **where, content_index=place, **{member: block[member]}, **({} if "refusal" in block else {"logprobs": []}))
                yield event("response.content_part.done", **where, content_index=place, part=block)
            if "arguments" in item:
                for piece in split(item["arguments"]):
                    yield event("response.function_call_arguments.delta", **where, delta=piece)
                yield event("response.function_call_arguments.done", **where, arguments=item["arguments"], name=item["name"])
            yield event("response.output_item.done", output_index=at, item=item)
        yield event("response.incomplete" if variant == "cut" else "response.completed", response=cls.whole(variant, request))


class Anthropic:
    name = "anthropic"
    KINDS = {400: "invalid_request_error", 401: "authentication_error"}
    STOPS = {"calls": "tool_use", "thinking_calls": "tool_use", "cut": "max_tokens", "refusal": "refusal"}

    @classmethod
    def error(cls, status, text):
        return {"type": "error", "error": {"type": cls.KINDS.get(status, "overloaded_error"), "message": text}, "request_id": "req_1"}

    @staticmethod
    def error_event(error):
        return "error", error

    @staticmethod
    def blocks(variant):
        blocks = [{"type": "thinking", "thinking": THINKING, "signature": "c2lnbmVk"}, {"type": "redacted_thinking", "data": "aGlkZGVu"}] if variant.startswith("thinking") else []
        if variant != "thinking_calls":
            blocks.append({"type": "text", "text": REFUSAL if variant == "refusal" else WORDS})
        if variant.endswith("calls"):
            blocks += [{"type": "tool_use", "id": key, "name": name, "input": given} for key, name, given in CALLS]
        return blocks

    USAGE = {"input_tokens": INPUT - CACHED, "cache_creation_input_tokens": 0, "cache_read_input_tokens": CACHED, "output_tokens": OUTPUT}

    @classmethod
    def whole(cls, variant, request):
        return {"id": "msg_1", "type": "message", "role": "assistant", "model": request["model"], "content": cls.blocks(variant),
                "stop_reason": cls.STOPS.get(variant, "end_turn"), "stop_sequence": None, "usage": cls.USAGE}

    @classmethod
    def events(cls, variant, request):
        def event(kind, **members):
            return kind, {"type": kind, **members}
        yield event("message_start", message={**cls.whole(variant, request), "content": [], "stop_reason": None, "usage": {**cls.USAGE, "output_tokens": 1}})
        yield event("ping")
        for at, block in enumerate(cls.blocks(variant)):
            kind = block["type"]
            begun = {"text": {"text": ""}, "thinking": {"thinking": "", "signature": ""}, "tool_use": {"input": {}}}.get(kind, {})
            yield event("content_block_start", index=at, content_block={**block, **begun})
            deltas = []
            if kind == "text":
                deltas = [{"type": "text_delta", "text": piece} for piece in split(block["text"])]
            elif kind == "thinking":
                deltas = [{"type": "thinking_delta", "thinking": piece} for piece in split(THINKING)] + [{"type": "signature_delta", "signature": block["signature"]}]
            elif kind == "tool_use":
                deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in ["", *(split(json.dumps(block["input"])) if block["input"] else [])]]
            for delta in deltas:
                yield event("content_block_delta", index=at, delta=delta)
            yield event("content_block_stop", index=at)
        yield event("message_delta", delta={"stop_reason": cls.STOPS.get(variant, "end_turn"), "stop_sequence": None}, usage={"output_tokens": OUTPUT})
        yield event("message_stop")


class Gemini:
    name = "gemini"
    error_event = OpenAI.error_event
    STATES = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED"}

    @classmethod
    def error(cls, status, text):
        return {"error": {"code": status, "message": text, "status": cls.STATES.get(status, "UNAVAILABLE")}}

    @staticmethod
    def parts(variant, pieces):
        parts = [{"text": THINKING, "thought": True}] if variant.startswith("thinking") else []
        if variant != "thinking_calls":
            parts += [{"text": piece} for piece in pieces]
        if variant.endswith("calls"):
            parts += [{"functionCall": {"id": key, "name": name, "args": given}, **({} if at else {"thoughtSignature": "c2lnbmVk"})}
                      for at, (key, name, given) in enumerate(CALLS)]
        return parts

    @staticmethod
    def chunk(parts, stop=None):
        return {"candidates": [{"index": 0, "content": {"role": "model", "parts": parts}, **({"finishReason": stop} if stop else {})}], "modelVersion": "gemini",
                "usageMetadata": {"promptTokenCount": INPUT, "cachedContentTokenCount": CACHED, "totalTokenCount": INPUT + OUTPUT,
                                  **({"candidatesTokenCount": OUTPUT - REASONING, "thoughtsTokenCount": REASONING} if stop else {})}}

    @classmethod
    def whole(cls, variant, _):
        return cls.chunk(cls.parts(variant, [WORDS]), "MAX_TOKENS" if variant == "cut" else "STOP")

    @classmethod
    def events(cls, variant, _):
        parts = cls.parts(variant, split(WORDS))
        for at, part in enumerate(parts):
            yield None, cls.chunk([part], None if at + 1 < len(parts) else "MAX_TOKENS" if variant == "cut" else "STOP")


class Handler(local_server.Handler):
    def do_POST(self):
        body = json.loads(self.body() if "Content-Length" in self.headers else self.read_chunks())
        _, peer, variant, path = self.path.split("/", 3)
        self.server.seen[peer].append({"path": path, "headers": self.sent_headers(), "body": body})
        kind = "gemini" if "models/" in path else path.split("?")[0].rsplit("/", 1)[-1]
        protocol = {"completions": OpenAI, "responses": Responses, "messages": Anthropic, "gemini": Gemini}[kind]
        streams = body.get("stream") or "streamGenerateContent" in path
        if variant in ERRORS:
            status, texts = ERRORS[variant]
            error = protocol.error(status, texts[protocol.name])
            if variant != "late" or not streams:
                return self.answer(status, error)
            events = itertools.chain(itertools.islice(protocol.events("text", body), 4), [protocol.error_event(error)])
        else:
            variant = "text" if RESULT in json.dumps(body) else variant
            if not streams:
                return self.answer(200, protocol.whole(variant, body))
            events = protocol.events(variant, body)
        data = b"".join((f"event: {name}\n" if name else "").encode() + b"data: " +
                        (event if isinstance(event, str) else json.dumps(event, ensure_ascii=False)).encode() + b"\n\n"
                        for name, event in events)
        self.begin("text/event-stream; charset=utf-8")
        self.send_whole(data, 997)

    def read_chunks(self):
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body


class Provider(local_server.LocalServer):
    def __init__(self):
        super().__init__(Handler)
        self.seen = {"ours": [], "theirs": []}
