# SPDX-License-Identifier: BSL-1.0
"""A server of OpenAI's chat protocol on this machine, well-behaved or hostile by the first word of the path."""

import functools
import json
import threading
import time

import local_server

def event(value):
    return b"data: " + json.dumps(value).encode() + b"\n\n"

def event_of_lines(value):
    """An event whose data stands on several lines."""
    return b"".join(b"data: " + line.encode() + b"\n" for line in json.dumps(value, indent=1).split("\n")) + b"\n"

def piece(**delta):
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}

ENDED = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
USAGE = {"choices": [], "usage": {"prompt_tokens": 1000, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 400}}}
DONE = b"data: [DONE]\n\n"

def pieces_of_a_call():
    yield piece(role="assistant", content=None, tool_calls=[{"index": 0, "id": "c1", "type": "function", "function": {"name": "read", "arguments": ""}}])
    yield piece(tool_calls=[{"index": 1, "id": "c2", "type": "function", "function": {"name": "search", "arguments": '{"text":'}}])
    for text in ['{"fi', 'le":"no', 'tes.txt"}']:
        yield piece(tool_calls=[{"index": 0, "function": {"arguments": text}}])
    yield piece(tool_calls=[{"index": 1, "function": {"arguments": '"needle"}'}}])

CALL = {"role": "assistant", "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"file":"notes.txt"}'}}]}


# Hostile modes: the events of one, and of those without an end the kind, the status, the beginning and what comes again and again.
SAID = {
    "cut": event(piece(content="It begins")),
    "notjson": b"data: {\"choices\": \x1b[2J\xff\xfe\x00}\n\n" + DONE,
    "wrongtypes": b"data\ndata:\nid: 3\nevent\n\n\n\r\r" + b"".join(map(event, [
        7, [], None, "text", {"choices": 3}, {"choices": [[]]}, {"choices": [None]}, {"choices": [{"delta": []}]},
        piece(content=["x"]), piece(tool_calls={}), piece(tool_calls=[3]), piece(tool_calls=[{"index": -1}]),
        {"usage": {"prompt_tokens": -5, "completion_tokens": 1e99, "prompt_tokens_details": 3}}, piece(content="still fine"), ENDED])) + DONE,
    "manycalls": event(piece(tool_calls=[{"index": 4000000000, "id": "c", "function": {"name": "list", "arguments": "{}"}}])) + DONE,
    "deep": b"data: " + b"[" * 500000 + b"\n\n" + DONE,
    "controls": b"".join(event(piece(content=text)) for text in ["\x1b", "[2J\x1b]0;owned\x07", "\x9b31m", "\u202e", "\r\n\x00\x7f"]) +
                b"data: {\"choices\":[{\"delta\":{\"content\":\"raw \xff\xfe bytes\"}}]}\n\n" + event(ENDED) + DONE,
    "halfpair": event(piece(content="\ud800")) + event(ENDED) + DONE,
    "errorevent": event({"error": {"message": "out of \x1b[1mluck", "code": 500}}),
    "loops": event(piece(tool_calls=[{"id": "", "function": {"name": "list", "arguments": "{}"}}])) + event(ENDED) + DONE}
ENDLESS = {
    "endlessline": ("text/event-stream", 200, b"data: ", b"x" * 65536),
    "endlessevents": ("text/event-stream", 200, b"", event(piece(content="again ")) * 500),
    "endlesscomments": ("text/event-stream", 200, b"", b": still here\n\n" * 5000),
    "endlessjson": ("application/json", 200, b"{", b" " * 65536),
    "endlesserror": ("text/html", 500, b"", b"<b>sorry</b>" * 5000)}

class Handler(local_server.Handler):
    def do_GET(self):
        self.server.strays.append(self.path)
        self.answer(404, {})

    def do_POST(self):
        body = self.body()
        mode, _, rest = self.path.strip("/").partition("/")
        self.server.seen.append({"path": "/" + rest, "mode": mode, "headers": self.sent_headers(), "body": json.loads(body), "size": len(body)})
        self.close_connection = True
        self.asked = len(self.server.seen)
        try:
            self.mode(mode)(json.loads(body))
        except (BrokenPipeError, ConnectionResetError):
            self.server.hung_up.append(mode)

    def mode(self, name):
        """What is done in a mode, with the body of the request."""
        return getattr(self, "mode_" + name, None) or functools.partial(self.say, name)

    def say(self, name, _):
        kind, status, first, again = ENDLESS.get(name) or ("text/event-stream", 200, SAID[name], b"")
        self.begin(kind, status)
        self.endless(again, first) if again else self.send(first)

    def begin(self, kind="text/event-stream", status=200):
        super().begin(kind, status, chunked=False)

    def endless(self, data, first=b""):
        """Until the client has had enough; a client that never has is left at 64 megabytes."""
        self.send(first)
        for _ in range((64 << 20) // len(data)):
            self.send(data)

    # Well-behaved.

    def mode_stream(self, body):
        self.begin()
        if body["messages"][-1]["role"] != "tool":
            events = [event(each) for each in pieces_of_a_call()]
        else:
            events = [event_of_lines(piece(content=text)) for text in ["The file s", "ays \u00fc\u4e16\U0001F600", " beta."]]
        data = b": a comment\r\n\r\n" + b"".join(events).replace(b"\n", b"\r\n") + event(ENDED) + event(USAGE) + DONE
        self.send_whole(data, 7)

    def mode_plain(self, body):
        message = CALL if body["messages"][-1]["role"] == "user" else {"role": "assistant", "content": "It says beta."}
        self.answer(200, {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": USAGE["usage"]})

    def mode_overflow(self, body):
        large = sum(len(json.dumps(each)) for each in body["messages"])
        if large > 12000 and not self.server.overflowed:
            self.server.overflowed = True
            return self.answer(400, {"error": {
                "message": f"This model's maximum context length is {large // 8} tokens. However, your messages resulted in {large // 4} "
                           "tokens. Please reduce the length of the messages.",
                "type": "invalid_request_error", "param": "messages", "code": "context_length_exceeded"}})
        self.begin()
        self.send(event(piece(content="Understood.")) + event(ENDED) + DONE)

    # Hostile.

    def mode_redirect(self, _):
        self.answer(302, b"", Location=self.server.elsewhere + "/v1/chat/completions")

    def mode_endlessheaders(self, _):
        self.send(b"HTTP/1.1 200 OK\r\n")
        self.endless(b"X-More: " + b"y" * 1000 + b"\r\n")

    def mode_silent(self, _):
        self.server.waiting.set()
        time.sleep(20)

    def mode_stalls(self, _):
        self.begin()
        self.send(event(piece(content="It begins")))
        self.server.waiting.set()
        time.sleep(20)

    def mode_quoteskey(self, _):
        key = self.headers.get("Authorization", "")
        self.answer(401, {"error": {"message": f"\x1b[31mIncorrect key: {key}", "code": "invalid_api_key"}})

class Server(local_server.LocalServer):
    def __init__(self, tls=None):
        super().__init__(Handler)
        if tls is not None:
            self.socket = tls.wrap_socket(self.socket, server_side=True)
        self.scheme = "https" if tls is not None else "http"
        self.seen, self.strays, self.hung_up = [], [], []
        self.overflowed = False
        self.waiting = threading.Event()
        self.elsewhere = ""

    def url(self, mode):
        return f"{self.scheme}://{self.address}/{mode}/v1"
