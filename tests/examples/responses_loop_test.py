#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""responses_loop_test.py --program RESPONSES_LOOP: the example against a server on this machine that speaks OpenAI
Responses, refuses what is over its window, and judges every request by the rules of the shape."""

import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "support"), os.path.join(HERE, "..", "shapes")]

from checks import PATIENCE, arguments, checks_in, expect, run_all
import local_server
from shapes import Responses

DAYS, KEY = 40, "sk-test-77aa"
END = "Nothing unusual. \u00fc\u4e16"

class Handler(local_server.Handler):
    def do_POST(self):
        body = json.loads(self.body())
        self.server.seen.append((self.path, self.headers.get("Authorization"), body))
        self.answer(*self.server.mode(self.server, body))

class Server(local_server.LocalServer):
    def __init__(self, mode, window=6_000):
        super().__init__(Handler)
        self.mode, self.window = mode, window
        self.seen, self.items, self.refused, self.day = [], [], 0, 0

    @property
    def url(self):
        return f"http://{self.address}/v1"

    def remember(self, sent):
        """The conversation as it was, of which a later request is judged."""
        known = {item.get("call_id") for item in self.items if item["type"] == "function_call_output"}
        self.items += [item for item in sent if item.get("type") == "function_call_output" and item["call_id"] not in known]

def behave(server, body):
    sent, shape = body["input"], Responses()
    server.remember(sent)
    size = len(json.dumps(body)) // 4
    if size > server.window:
        server.refused += 1
        return 400, {"error": {"code": "context_length_exceeded", "type": "invalid_request_error", "message":
                     f"This model's maximum context length is {server.window} tokens. However, your messages resulted in {size} tokens."}}
    found = [text for _, _, text in [*shape.problems(sent), *shape.with_original(server.items, sent)]]
    found += [f"an unknown member in {item}" for item in sent if "condense" in item]
    found += ["the task is gone"] if not any("forty days" in json.dumps(item) for item in sent) else []
    if found:
        return 422, {"error": {"message": "; ".join(found)}}
    output = [{"type": "reasoning", "id": f"rs_{server.day}", "summary": [], "encrypted_content": "gAAA" * 20}]
    if server.day < DAYS:
        for _ in range(2):
            server.day += 1
            output.append({"type": "function_call", "id": f"fc_{server.day}", "call_id": f"call_{server.day}", "name": "read_log",
                           "arguments": json.dumps({"day": server.day}), "status": "completed"})
    else:
        output.append({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
                       "content": [{"type": "output_text", "text": END, "annotations": []}]})
    server.items += output
    return 200, {"id": "resp_1", "object": "response", "status": "completed", "output": output,
                 "usage": {"input_tokens": size, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 30}}

def run(program, url, *more, key=KEY):
    environment = {**os.environ, "OPENAI_API_KEY": key}
    return subprocess.run([program, "--endpoint", url, "--model", "m", *more], capture_output=True, text=True, timeout=PATIENCE, env=environment)

def a_conversation_stays_inside_the_window(program):
    for more, refusals in (["--window", "5000"], range(0, 1)), ([], range(1, 4)):
        with Server(behave) as server:
            done = run(program, server.url, *more)
            expect(done.returncode == 0 and done.stdout == END + "\n" and done.stderr == "", "no answer", done.stdout + done.stderr)
            expect(server.refused in refusals, f"{more}: {server.refused} refusals")
            expect({(path, key) for path, key, _ in server.seen} == {("/v1/responses", f"Bearer {KEY}")}, "path and key")
            last = server.seen[-1][2]
            expect(len(last["input"]) < len(server.items) / 2, "nothing was reduced", len(last["input"]))
            expect(last["store"] is False and last["tools"][0]["name"] == "read_log" and last["model"] == "m", "the request", last)
            kept = [item for item in last["input"] if item.get("type") == "reasoning"]
            expect(kept and all(item in server.items for item in kept), "reasoning is not as it was", kept)

def what_is_no_answer_ends_the_program(program):
    for status, answer in [(500, {"error": {"message": "\x1b[31mred"}}), (200, b"{"), (200, {"output": []}), (200, {"output": 7}), (200, []),
                           (200, {"output": [{"type": "unheard_of_call"}]}), (200, {"output": ["text"]}), (302, b"moved")]:
        with Server(lambda *_: (status, answer)) as server:
            done = run(program, server.url)
            expect(done.returncode == 1 and done.stdout == "" and done.stderr.startswith("responses_loop: "), f"{answer}: an answer", done.stdout + done.stderr)
            expect("\x1b" not in done.stderr and KEY not in done.stderr, "what is printed", done.stderr)

def keys_go_nowhere_else(program):
    for url in ("http://example.invalid/v1", "ftp://127.0.0.1/", "https://user:secret@127.0.0.1/v1"):
        done = run(program, url)
        expect(done.returncode == 1 and "--endpoint" in done.stderr and "secret" not in done.stderr, url, done.stderr)
    done = subprocess.run([program], capture_output=True, text=True, timeout=PATIENCE)
    expect(done.returncode == 2 and "usage: responses_loop" in done.stderr, "wrong usage", done.stderr)


program = arguments().program
sys.exit(run_all("responses_loop_test", checks_in(globals(), "program"), lambda check: check(program)))
