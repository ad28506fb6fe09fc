#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""model_server.py [CERTIFICATE KEY]: servers of four protocols of models, and of a list of models, on this machine, well-behaved or not by the first
word of the path. Prints its port; ends with its standard input. GET /seen gives what came since the last time.
"""

import email.utils
import json
import os
import ssl
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "support"), os.path.join(HERE, "..", "examples")]

import fake_server
import local_server

TEXT = "R\u00e9sum\u00e9: \u4e16 \U0001F600 done"
INPUT = {"file": "notes.txt"}
OVERFLOW = "This model's maximum context length is 4096 tokens. However, your messages resulted in 5000 tokens."


def pieces(text):
    return [text[:3], text[3:9], text[9:]]


def shape_of(path):
    path = path.split("?")[0]
    for end, shape in (("/chat/completions", "chat"), ("/responses", "responses"), ("/messages", "anthropic"), ("enerateContent", "gemini")):
        if path.endswith(end):
            return shape
    return ""


# A whole answer of each protocol. `kind`: text, calls, acts (calls without a text), reasons (and nothing else), refuses, long (cut by its limit).

STOPS = {"chat": {"calls": "tool_calls", "reasons": "length", "long": "length", "text": "stop"},
         "anthropic": {"calls": "tool_use", "reasons": "max_tokens", "long": "max_tokens", "refuses": "refusal", "text": "end_turn"},
         "gemini": {"reasons": "MAX_TOKENS", "long": "MAX_TOKENS", "refuses": "SAFETY", "text": "STOP"}}


def stop_of(shape, kind):
    return STOPS[shape].get("calls" if kind == "acts" else kind, STOPS[shape]["text"])


def says(kind):
    return TEXT if kind in ("text", "calls", "long") else ""


def whole_chat(kind):
    message = {"role": "assistant", "content": says(kind) or None}
    if kind in ("calls", "acts"):
        message["tool_calls"] = [{"id": "c1", "type": "function", "function": {"name": "read", "arguments": json.dumps(INPUT)}}]
    if kind == "refuses":
        message["refusal"] = "I must not."
    if kind == "reasons":
        message["reasoning_content"] = "Hmm."
    return {"choices": [{"index": 0, "message": message, "finish_reason": stop_of("chat", kind)}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 40}}}


def whole_responses(kind):
    output = [{"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}]
    block = {"type": "refusal", "refusal": "I must not."} if kind == "refuses" else {"type": "output_text", "text": says(kind), "annotations": []}
    if kind != "reasons":
        output.append({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [block]})
    if kind in ("calls", "acts"):
        output.append({"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "read", "arguments": json.dumps(INPUT), "status": "completed"})
    cut = kind in ("reasons", "long")
    return {"id": "resp_1", "object": "response", "status": "incomplete" if cut else "completed", "error": None, "output": output,
            "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
            "usage": {"input_tokens": 100, "input_tokens_details": {"cached_tokens": 40}, "output_tokens": 20}}


def whole_anthropic(kind):
    content = [{"type": "thinking", "thinking": "Hmm.", "signature": "c2ln"}]
    if says(kind):
        content.append({"type": "text", "text": TEXT})
    if kind in ("calls", "acts"):
        content.append({"type": "tool_use", "id": "c1", "name": "read", "input": INPUT})
    return {"id": "msg_1", "type": "message", "role": "assistant", "content": content, "stop_reason": stop_of("anthropic", kind), "stop_sequence": None,
            "usage": {"input_tokens": 50, "cache_read_input_tokens": 40, "cache_creation_input_tokens": 10, "output_tokens": 20}}


def whole_gemini(kind):
    parts = [{"text": "Hmm.", "thought": True}] if kind == "reasons" else []
    if says(kind):
        parts.append({"text": TEXT})
    if kind in ("calls", "acts"):
        parts.append({"functionCall": {"name": "read", "args": INPUT}, "thoughtSignature": "c2ln"})
    answer = {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": stop_of("gemini", kind)}],
              "usageMetadata": {"promptTokenCount": 100, "cachedContentTokenCount": 40, "candidatesTokenCount": 15, "thoughtsTokenCount": 5}}
    return {"promptFeedback": {"blockReason": "SAFETY"}} if kind == "refuses" else answer


WHOLE = {"chat": whole_chat, "responses": whole_responses, "anthropic": whole_anthropic, "gemini": whole_gemini}


# The same as events. What must not come behind a broken connection comes last.

def events_chat(kind):
    whole = whole_chat(kind)
    message = whole["choices"][0]["message"]
    chunk = lambda delta, stop=None: {"choices": [{"index": 0, "delta": delta, "finish_reason": stop}]}
    yield chunk({"role": "assistant", "content": ""})
    for name in ("reasoning_content", "refusal"):
        if name in message:
            yield chunk({name: message[name]})
    for piece in pieces(message["content"] or ""):
        yield chunk({"content": piece})
    for call in message.get("tool_calls", []):
        yield chunk({"tool_calls": [{"index": 0, **call, "function": {"name": "read", "arguments": ""}}]})
        for piece in pieces(call["function"]["arguments"]):
            yield chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
    yield chunk({}, whole["choices"][0]["finish_reason"])
    yield {"choices": [], "usage": whole["usage"]}


def events_responses(kind):
    whole = whole_responses(kind)
    yield {"type": "response.created", "response": {**whole, "status": "in_progress", "output": []}}
    for piece in pieces(says(kind)):
        yield {"type": "response.output_text.delta", "item_id": "msg_1", "delta": piece}
    yield {"type": "response." + whole["status"], "response": whole}


def events_anthropic(kind):
    whole = whole_anthropic(kind)
    yield {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None, "usage": {**whole["usage"], "output_tokens": 1}}}
    yield {"type": "ping"}
    for at, block in enumerate(whole["content"]):
        name, of = {"thinking": ("thinking_delta", "thinking"), "text": ("text_delta", "text"), "tool_use": ("input_json_delta", "input")}[block["type"]]
        start = {key: value for key, value in block.items() if key != "signature"}
        yield {"type": "content_block_start", "index": at, "content_block": {**start, of: {} if of == "input" else ""}}
        for piece in pieces(json.dumps(block[of]) if of == "input" else block[of]):
            yield {"type": "content_block_delta", "index": at, "delta": {"type": name, "partial_json" if of == "input" else of: piece}}
        if "signature" in block:
            yield {"type": "content_block_delta", "index": at, "delta": {"type": "signature_delta", "signature": block["signature"]}}
        yield {"type": "content_block_stop", "index": at}
    yield {"type": "message_delta", "delta": {"stop_reason": whole["stop_reason"]}, "usage": {"output_tokens": 20}}
    yield {"type": "message_stop"}


def events_gemini(kind):
    whole = whole_gemini(kind)
    for candidate in whole.get("candidates", []):
        for part in candidate["content"]["parts"]:
            for piece in pieces(part["text"]) if "text" in part else [None]:
                some = part if piece is None else {**part, "text": piece}
                yield {"candidates": [{"content": {"role": "model", "parts": [some]}}]}
        candidate["content"]["parts"] = [{"text": ""}] if kind == "text" else []
    yield whole


EVENTS = {"chat": events_chat, "responses": events_responses, "anthropic": events_anthropic, "gemini": events_gemini}


def error_in(shape, text, kind="invalid_request_error"):
    if shape == "anthropic":
        return {"type": "error", "error": {"type": kind, "message": text}}
    if shape == "gemini":
        return {"error": {"code": 400, "message": text, "status": "INVALID_ARGUMENT"}}
    return {"error": {"message": text, "type": kind, "param": None, "code": None}}


class Handler(fake_server.Handler):
    def do_GET(self):
        if self.path == "/seen":
            seen, self.server.seen = self.server.seen, []
            return self.answer(200, seen)
        self.play(b"{}")

    def do_POST(self):
        self.play(self.body())

    def play(self, body):
        self.name, _, rest = self.path.strip("/").partition("/")
        self.shape = shape_of(self.path)
        request = {"path": "/" + rest, "mode": self.name, "headers": {key.lower(): ", ".join(self.headers.get_all(key)) for key in self.headers},
                   "body": json.loads(body) if body else None}
        self.server.seen.append(request)
        self.close_connection = True
        name, *words = self.name.split("-")
        self.tries = self.server.tries[self.name] = self.server.tries.get(self.name, 0) + 1
        try:
            self.mode(name)(request["body"], *words)
        except OSError:  # the client has left
            pass

    def stream_wanted(self, body):
        return body.get("stream") or ":stream" in self.path

    def send_events(self, events, end=True):
        data = b"".join(b"event: x\n" + fake_server.event(each) for each in events)
        data += fake_server.DONE if end and self.shape == "chat" else b""
        self.begin()
        self.send_whole(data, 61)

    def mode_ok(self, body, kind="text"):
        if self.stream_wanted(body):
            return self.send_events(EVENTS[self.shape](kind))
        self.answer(200, WHOLE[self.shape](kind))

    def mode_whole(self, body, kind="text"):
        """Whatever was asked for."""
        self.answer(200, WHOLE[self.shape](kind))

    def fails_yet(self, times):
        """True that many times, then once not."""
        if self.tries > int(times):
            self.server.tries[self.name] = 0
        return self.tries <= int(times)

    def mode_flaky(self, body, status, times, *wait):
        """Fails some times; tells how long to wait in seconds, with `ms` in milliseconds, with `date` as a date."""
        if not self.fails_yet(times):
            return self.mode_ok(body)
        headers = {"retry-after-ms" if "ms" in wait else "Retry-After": wait[0]} if wait else {}
        if "date" in wait:
            headers = {"Retry-After": email.utils.formatdate(time.time() + int(wait[0]), usegmt=True)}
        self.answer(int(status), error_in(self.shape, "try later"), **headers)

    def mode_drop(self, body, times):
        """Closes the connection without an answer, some times."""
        if not self.fails_yet(times):
            self.mode_ok(body)

    def mode_error(self, _, status, text="nothing"):
        self.answer(int(status), error_in(self.shape, {"overflow": OVERFLOW}.get(text, text)))

    def mode_raw(self, _, status, text):
        """Bytes that are no JSON."""
        self.answer(int(status), text.encode() * 2000, "text/html")

    def mode_eager(self, _):
        """A server error with the text of llama.cpp for a long prompt, whose figures stand beside the message."""
        self.answer(500, {"error": {"code": 500, "message": "the request exceeds the available context size",
                                    "type": "exceed_context_size_error", "n_prompt_tokens": 5000, "n_ctx": 4096}})

    def mode_cutstream(self, _, shown="shown"):
        """Ends within the text, or before it."""
        self.send_events(list(EVENTS[self.shape]("text"))[:-3] if shown == "shown" else [], False)

    def mode_cutonce(self, body):
        """Ends before anything is shown, and the next time not."""
        if not self.fails_yet(1):
            return self.mode_ok(body)
        self.send_events(list(EVENTS[self.shape]("text"))[:5], False)

    def mode_cutend(self, _):
        """Everything but the chunk that ends it."""
        local_server.Handler.begin(self)
        self.send(b"".join(map(fake_server.event, EVENTS[self.shape]("acts"))) + fake_server.DONE * (self.shape == "chat"))

    def mode_trailer(self, _, size):
        local_server.Handler.begin(self, "text/plain")
        self.send(b"x" * int(size))
        self.wfile.write(b"0\r\nX-Sum: 1\r\n\r\n")

    def mode_cutbody(self, _):
        self.head(200, "application/json", Content_Length="1000")
        self.send(b'{"choices"')

    def mode_garbage(self, body):
        if not self.stream_wanted(body):
            return self.answer(200, b'{"choices": \x1b[2J\xff\xfe\x00}')
        self.begin()
        self.send(b"data: \x00\xff not json\n\n")

    def mode_deepjson(self, body):
        self.begin() if self.stream_wanted(body) else self.begin("application/json")
        self.send((b"data: " if self.stream_wanted(body) else b"") + b"[" * 500000 + b"\n\n")

    def mode_types(self, body):
        """Every member is of another type than it should be."""
        wrong = [7, [], None, "text", {}, {"choices": 3}, {"choices": [[]]}, {"choices": [None]}, {"choices": [{"delta": [], "message": 3}]},
                 {"choices": [{"delta": {"content": 7, "tool_calls": [3, {"index": -1}, {"function": []}]}, "message": {"tool_calls": 7}}]},
                 {"usage": {"prompt_tokens": -5, "completion_tokens": 1e99, "prompt_tokens_details": 3}}, {"output": [3]}, {"output": [{"content": 3}]},
                 {"type": "response.completed", "response": 7}, {"content": [3]}, {"content": [{"type": 3, "text": []}], "usage": 7},
                 {"type": "message_start", "message": 7}, {"type": "content_block_start", "content_block": {"type": "tool_use"}},
                 {"type": "content_block_delta", "index": 0, "delta": 7}, {"type": "message_delta", "delta": [], "usage": []},
                 {"candidates": 7}, {"candidates": [7]}, {"candidates": [{"content": 7}]}, {"candidates": [{"content": {"parts": [{"text": 7}]}}]},
                 {"promptFeedback": 7, "usageMetadata": 7}]
        if self.stream_wanted(body):
            return self.send_events(wrong)
        self.answer(200, wrong[self.tries % len(wrong)])

    def mode_errorevent(self, _, shown="shown"):
        self.send_events(list(EVENTS[self.shape]("text"))[:2] * (shown == "shown") + [error_in(self.shape, OVERFLOW)], False)

    def mode_quoteskey(self, body, later=""):
        sent = " ".join(f"{value} ({value.split()[-1]})" for value in self.headers.values() if "sk-" in value)
        text = f"Incorrect key: {sent} " + "x" * 1990 + sent
        if self.stream_wanted(body) and later:
            return self.send_events([error_in(self.shape, text)], False)
        self.answer(401, json.dumps(error_in(self.shape, text)).replace("-", "\\u002d").encode())

    def mode_slow(self, body, seconds):
        time.sleep(float(seconds))
        self.mode_ok(body)

    def mode_stalls(self, _):
        self.begin()
        self.send(b": nothing yet\n\n")
        time.sleep(30)

    def mode_catalog(self, _, window):
        """A published list of models."""
        self.answer(200, {"openai": {"models": {"gpt-4o": {"limit": {"context": int(window), "output": 100}}}}})

    def mode_echo(self, _, status="200"):
        self.answer(int(status), b"here", **{"Retry-After": " 7 ", "X-Other": "no"})

    def mode_longheader(self, _, size):
        self.answer(200, b"here", **{"X-Long": "x" * int(size)})

    def mode_elsewhere(self, _):
        self.answer(302, b"moved", Location=f"http://localhost:{self.server.server_address[1]}/ok/v1/chat/completions")

    def mode_endlessbody(self, _):
        self.begin("text/plain")
        self.endless(b"x" * 65536)


def main():
    server = local_server.LocalServer(Handler)
    server.seen, server.tries, server.strays = [], {}, []
    if len(sys.argv) > 1:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(*sys.argv[1:])
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    with server:
        print(server.server_address[1], flush=True)
        sys.stdin.read()


main()
