# SPDX-License-Identifier: BSL-1.0
"""Answers of models as four protocols write them, whole and as the events of a stream: pairs of a name, or None, and a value."""

import json
from dataclasses import dataclass

INPUT, CACHED, OUTPUT, REASONING = 120, 40, 17, 7  # tokens


@dataclass(frozen=True)
class Answer:
    text: str = None
    calls: tuple = ()  # id, name, arguments
    thinking: str = None
    refusal: str = None  # stands for the text, where the protocol knows refusals
    cut: bool = False  # by the limit of its length
    seal: str = "c2lnbmVk"  # the signature of what was thought
    hidden: str = "aGlkZGVu"  # what is thought and not shown
    shows_thinking: bool = False  # in chat completions, too
    usage: tuple = (INPUT, CACHED, 0, OUTPUT, REASONING)  # input, of it read from and written to the cache, output, of it reasoning


def split(text):
    return [text[at:at + 5] for at in range(0, len(text), 5)]


def encoded(events):
    """A stream as it is sent."""
    return b"".join((f"event: {name}\n" if name else "").encode() + b"data: " +
                    (event if isinstance(event, str) else json.dumps(event, ensure_ascii=False)).encode() + b"\n\n"
                    for name, event in events)


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
    def stop(answer):
        return "tool_calls" if answer.calls else "length" if answer.cut else "stop"

    @staticmethod
    def text(answer):
        return None if answer.refusal else answer.text

    @staticmethod
    def usage(answer):
        given, cached, _, output, reasoning = answer.usage
        return {"prompt_tokens": given, "completion_tokens": output, "total_tokens": given + output,
                "prompt_tokens_details": {"cached_tokens": cached, "audio_tokens": 0}, "completion_tokens_details": {"reasoning_tokens": reasoning}}

    @classmethod
    def whole(cls, answer, request):
        message = {"role": "assistant", "content": cls.text(answer), "refusal": answer.refusal, "annotations": []}
        if answer.shows_thinking:
            message["reasoning_content"] = answer.thinking
        if answer.calls:
            message["tool_calls"] = [{"id": key, "type": "function", "function": {"name": name, "arguments": json.dumps(given)}} for key, name, given in answer.calls]
        return {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": request.get("model"), "usage": cls.usage(answer),
                "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": cls.stop(answer)}]}

    @classmethod
    def events(cls, answer, request):
        text = cls.text(answer) or ""
        def chunk(delta, reason=None):
            return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": request.get("model"), "usage": None,
                    "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}]}
        yield None, chunk({"role": "assistant", "content": "" if text else None, "refusal": None})
        if answer.shows_thinking:
            yield None, chunk({"reasoning_content": answer.thinking})
        for piece in split(text):
            yield None, chunk({"content": piece})
        for piece in split(answer.refusal or ""):
            yield None, chunk({"refusal": piece})
        for at, (key, name, given) in enumerate(answer.calls):
            yield None, chunk({"tool_calls": [{"index": at, "id": key, "type": "function", "function": {"name": name, "arguments": ""}}]})
            for piece in split(json.dumps(given)):
                yield None, chunk({"tool_calls": [{"index": at, "function": {"arguments": piece}}]})
        yield None, chunk({}, cls.stop(answer))
        yield None, {**chunk({}), "choices": [], "usage": cls.usage(answer)}
        yield None, "[DONE]"


class Responses:
    name = "openai"
    error = OpenAI.error

    @staticmethod
    def error_event(error):
        return "error", {**error["error"], "type": "error", "sequence_number": 999}

    @staticmethod
    def output(answer):
        items = []
        if answer.thinking:
            items.append({"id": "rs_1", "type": "reasoning", "summary": [{"type": "summary_text", "text": answer.thinking}], "encrypted_content": answer.seal})
        if answer.text is not None or answer.refusal:
            block = {"type": "refusal", "refusal": answer.refusal} if answer.refusal else {"type": "output_text", "text": answer.text, "annotations": [], "logprobs": []}
            items.append({"id": "msg_1", "type": "message", "role": "assistant", "status": "incomplete" if answer.cut else "completed", "content": [block]})
        return items + [{"id": f"fc_{key}", "type": "function_call", "status": "completed", "call_id": key, "name": name, "arguments": json.dumps(given)}
                        for key, name, given in answer.calls]

    @classmethod
    def whole(cls, answer, request, output=None, status=None):
        cut = answer.cut and status is None
        given, cached, _, written, reasoning = answer.usage
        return {"id": "resp_1", "object": "response", "created_at": 1, "status": status or ("incomplete" if cut else "completed"), "model": request.get("model"), "error": None,
                "incomplete_details": {"reason": "max_output_tokens"} if cut else None, "instructions": None, "metadata": {}, "parallel_tool_calls": True,
                "tool_choice": "auto", "tools": [], "output": cls.output(answer) if output is None else output,
                "usage": None if status else {"input_tokens": given, "input_tokens_details": {"cached_tokens": cached}, "output_tokens": written,
                                              "output_tokens_details": {"reasoning_tokens": reasoning}, "total_tokens": given + written}}

    @classmethod
    def events(cls, answer, request):
        numbers = iter(range(1000))
        def event(kind, **members):
            return kind, {"type": kind, "sequence_number": next(numbers), **members}
        yield event("response.created", response=cls.whole(answer, request, [], "in_progress"))
        for at, item in enumerate(cls.output(answer)):
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
        yield event("response.incomplete" if answer.cut else "response.completed", response=cls.whole(answer, request))


class Anthropic:
    name = "anthropic"
    KINDS = {400: "invalid_request_error", 401: "authentication_error"}

    @classmethod
    def error(cls, status, text):
        return {"type": "error", "error": {"type": cls.KINDS.get(status, "overloaded_error"), "message": text}, "request_id": "req_1"}

    @staticmethod
    def error_event(error):
        return "error", error

    @staticmethod
    def stop(answer):
        return "tool_use" if answer.calls else "max_tokens" if answer.cut else "refusal" if answer.refusal else "end_turn"

    @staticmethod
    def blocks(answer):
        blocks = [{"type": "thinking", "thinking": answer.thinking, "signature": answer.seal}] if answer.thinking else []
        if answer.thinking and answer.hidden:
            blocks.append({"type": "redacted_thinking", "data": answer.hidden})
        if answer.text is not None:
            blocks.append({"type": "text", "text": answer.refusal or answer.text})
        return blocks + [{"type": "tool_use", "id": key, "name": name, "input": given} for key, name, given in answer.calls]

    @staticmethod
    def usage(answer):
        given, cached, written, output, _ = answer.usage
        return {"input_tokens": given - cached - written, "cache_creation_input_tokens": written, "cache_read_input_tokens": cached, "output_tokens": output}

    @classmethod
    def whole(cls, answer, request):
        return {"id": "msg_1", "type": "message", "role": "assistant", "model": request.get("model"), "content": cls.blocks(answer),
                "stop_reason": cls.stop(answer), "stop_sequence": None, "usage": cls.usage(answer)}

    @classmethod
    def events(cls, answer, request):
        def event(kind, **members):
            return kind, {"type": kind, **members}
        yield event("message_start", message={**cls.whole(answer, request), "content": [], "stop_reason": None, "usage": {**cls.usage(answer), "output_tokens": 1}})
        yield event("ping")
        for at, block in enumerate(cls.blocks(answer)):
            kind = block["type"]
            begun = {"text": {"text": ""}, "thinking": {"thinking": "", "signature": ""}, "tool_use": {"input": {}}}.get(kind, {})
            yield event("content_block_start", index=at, content_block={**block, **begun})
            deltas = []
            if kind == "text":
                deltas = [{"type": "text_delta", "text": piece} for piece in split(block["text"])]
            elif kind == "thinking":
                deltas = [{"type": "thinking_delta", "thinking": piece} for piece in split(answer.thinking)] + [{"type": "signature_delta", "signature": block["signature"]}]
            elif kind == "tool_use":
                deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in ["", *(split(json.dumps(block["input"])) if block["input"] else [])]]
            for delta in deltas:
                yield event("content_block_delta", index=at, delta=delta)
            yield event("content_block_stop", index=at)
        yield event("message_delta", delta={"stop_reason": cls.stop(answer), "stop_sequence": None}, usage={"output_tokens": answer.usage[3]})
        yield event("message_stop")


class Gemini:
    name = "gemini"
    error_event = OpenAI.error_event
    STATES = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED"}

    @classmethod
    def error(cls, status, text):
        return {"error": {"code": status, "message": text, "status": cls.STATES.get(status, "UNAVAILABLE")}}

    @staticmethod
    def parts(answer, pieces):
        parts = [{"text": answer.thinking, "thought": True}] if answer.thinking else []
        parts += [{"text": piece} for piece in pieces]
        return parts + [{"functionCall": {**({"id": key} if key else {}), "name": name, "args": given}, **({} if at else {"thoughtSignature": answer.seal})}
                        for at, (key, name, given) in enumerate(answer.calls)]

    @staticmethod
    def chunk(answer, parts, stop=None):
        given, cached, _, output, reasoning = answer.usage
        return {"candidates": [{"index": 0, "content": {"role": "model", "parts": parts}, **({"finishReason": stop} if stop else {})}], "modelVersion": "gemini",
                "usageMetadata": {"promptTokenCount": given, "cachedContentTokenCount": cached, "totalTokenCount": given + output,
                                  **({"candidatesTokenCount": output - reasoning, "thoughtsTokenCount": reasoning} if stop else {})}}

    @classmethod
    def whole(cls, answer, _):
        if answer.refusal and answer.text is None:
            return {"promptFeedback": {"blockReason": "SAFETY"}}
        return cls.chunk(answer, cls.parts(answer, [answer.text] if answer.text else []), "MAX_TOKENS" if answer.cut else "STOP")

    @classmethod
    def events(cls, answer, _):
        parts = cls.parts(answer, split(answer.text or ""))
        for at, part in enumerate(parts):
            yield None, cls.chunk(answer, [part], None if at + 1 < len(parts) else "MAX_TOKENS" if answer.cut else "STOP")
        if not parts:
            yield None, cls.whole(answer, _)
