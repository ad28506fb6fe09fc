# SPDX-License-Identifier: BSL-1.0
"""A provider on this machine that speaks four protocols, whole and streamed, and records what it is sent.

The path is /PEER/VARIANT and then that of the provider: the peer is who asks, the variant what is answered.
"""

import itertools
import json

import local_server
from protocols import Anthropic, Answer, Gemini, OpenAI, Responses, encoded

RESULT = "the result that the peers were told"  # in what is sent after calls: the answer to that has none
WORDS = "Größe, 数量 and \U0001F600 are \"counted\".\nTwice."
REFUSAL = "I cannot do that."
THINKING = "Let me see."
CALLS = (("peer_1", "read_file", {"path": "src/höhe.cpp", "first_line": 7}), ("peer_2", "fetch_log", {}))
ERRORS = {
    "overflow": (400, {
        "openai": "This model's maximum context length is 100 tokens. However, your messages resulted in 120 tokens.",
        "anthropic": "prompt is too long: 120 tokens > 100 maximum",
        "gemini": "The input token count (120) exceeds the maximum number of tokens allowed (100)."}),
    "busy": (503, {"openai": "The server is overloaded.", "anthropic": "Overloaded", "gemini": "The model is overloaded."}),
    "key": (401, {"openai": "Incorrect API key provided.", "anthropic": "invalid x-api-key", "gemini": "API key not valid."}),
    "late": (503, {"openai": "The engine has failed.", "anthropic": "Overloaded", "gemini": "The engine has failed."})}  # in a stream: in its middle
ANSWERS = {"text": Answer(WORDS), "calls": Answer(WORDS, CALLS), "thinking_calls": Answer(None, CALLS, THINKING), "thinking": Answer(WORDS, thinking=THINKING),
           "cut": Answer(WORDS, cut=True), "refusal": Answer(WORDS, refusal=REFUSAL)}
VARIANTS = [*ANSWERS, *ERRORS]


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
            events = itertools.chain(itertools.islice(protocol.events(ANSWERS["text"], body), 4), [protocol.error_event(error)])
        else:
            answer = ANSWERS["text" if RESULT in json.dumps(body) else variant]
            if not streams:
                return self.answer(200, protocol.whole(answer, body))
            events = protocol.events(answer, body)
        self.begin("text/event-stream; charset=utf-8")
        self.send_whole(encoded(events), 997)

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
