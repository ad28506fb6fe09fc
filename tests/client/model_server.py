#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""model_server.py [CERTIFICATE KEY]: servers of four protocols of models, and of a list of models, on this machine, well-behaved or not by the first
word of the path. Prints its port; ends with its standard input. GET /seen gives what came since the last time.
"""

import dataclasses
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
import protocols
from protocols import Answer

TEXT = "R\u00e9sum\u00e9: \u4e16 \U0001F600 done"
INPUT = {"file": "notes.txt"}
OVERFLOW = "This model's maximum context length is 4096 tokens. However, your messages resulted in 5000 tokens."


def shape_of(path):
    path = path.split("?")[0]
    for end, shape in (("/chat/completions", "chat"), ("/responses", "responses"), ("/messages", "anthropic"), ("enerateContent", "gemini")):
        if path.endswith(end):
            return shape
    return ""


PROTOCOLS = {"chat": protocols.OpenAI, "responses": protocols.Responses, "anthropic": protocols.Anthropic, "gemini": protocols.Gemini}
CALLS = (("c1", "read", INPUT),)
KINDS = {"text": Answer(TEXT), "calls": Answer(TEXT, CALLS), "acts": Answer(None, CALLS), "reasons": Answer(thinking="Hmm.", cut=True, shows_thinking=True),
         "refuses": Answer(refusal="I must not."), "long": Answer(TEXT, cut=True)}


def answer_of(shape, kind):
    """These two protocols always show what was thought, and Gemini knows no ids."""
    thinks = {"thinking": "Hmm."} if shape in ("responses", "anthropic") else {}
    calls = {"calls": tuple((None, *call[1:]) for call in KINDS[kind].calls)} if shape == "gemini" else {}
    return dataclasses.replace(KINDS[kind], seal="gAAA" if shape == "responses" else "c2ln", hidden=None, usage=(100, 40, 10, 20, 5), **thinks, **calls)


def whole(shape, kind):
    made = PROTOCOLS[shape].whole(answer_of(shape, kind), {})
    if shape == "chat":  # without what a stream does not have
        message = made["choices"][0]["message"]
        made["choices"][0]["message"] = {name: value for name, value in message.items() if name == "content" or value}
    return made


def events(shape, kind):
    return [event for _, event in PROTOCOLS[shape].events(answer_of(shape, kind), {})]


def events_until(shape, shown):
    """Of a text, up to where its first piece is shown."""
    made = events(shape, "text")
    first = next(at for at, event in enumerate(made) if TEXT[:5] in json.dumps(event, ensure_ascii=False))
    return made[:first + shown]


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

    def send_events(self, events):
        self.begin()
        self.send_whole(protocols.encoded(("x", each) for each in events), 61)

    def mode_ok(self, body, kind="text"):
        if self.stream_wanted(body):
            return self.send_events(events(self.shape, kind))
        self.answer(200, whole(self.shape, kind))

    def mode_whole(self, body, kind="text"):
        """Whatever was asked for."""
        self.answer(200, whole(self.shape, kind))

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
        self.send_events(events_until(self.shape, True) if shown == "shown" else [])

    def mode_cutonce(self, body):
        """Ends before anything is shown, and the next time not."""
        if not self.fails_yet(1):
            return self.mode_ok(body)
        self.send_events(events_until(self.shape, False))

    def mode_cutend(self, _):
        """Everything but the chunk that ends it."""
        local_server.Handler.begin(self)
        self.send(protocols.encoded(PROTOCOLS[self.shape].events(answer_of(self.shape, "acts"), {})))

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
            return self.send_events([*wrong, "[DONE]"])
        self.answer(200, wrong[self.tries % len(wrong)])

    def mode_errorevent(self, _, shown="shown"):
        self.send_events([*(events_until(self.shape, True) if shown == "shown" else []), error_in(self.shape, OVERFLOW)])

    def mode_quoteskey(self, body, later=""):
        sent = " ".join(f"{value} ({value.split()[-1]})" for value in self.headers.values() if "sk-" in value)
        text = f"Incorrect key: {sent} " + "x" * 1990 + sent
        if self.stream_wanted(body) and later:
            return self.send_events([error_in(self.shape, text)])
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

    def mode_folds(self, body, name="compaction"):
        """A history in the place of the one that came."""
        self.answer(200, {"output": [body["input"][0], {"type": name, "encrypted_content": "gAAA"}], "usage": {"input_tokens": 9}})

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
