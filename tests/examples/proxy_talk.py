# SPDX-License-Identifier: BSL-1.0
"""The example `proxy` as a running process, raw HTTP to it, and the conversation that goes through it."""

import base64
import hashlib
import json
import http.client
import re
import subprocess
import threading
import time

from checks import PATIENCE, effort, expect
from fake_provider import KEY

TURNS = 80 if effort() >= 1000 else 40

class Proxy:
    def __init__(self, program, forward, *options):
        self.child = subprocess.Popen([program, "--forward", forward, *([] if "--listen" in options else ["--listen", "127.0.0.1:0"]), *options], stderr=subprocess.PIPE)
        self.lines, self.said = [], threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()
        self.wait_for(lambda lines: lines, "the proxy does not say where it listens")
        found = re.match(r"listens on http://[\d.]+:(\d+) for ", self.lines[0])
        expect(found, "the first line is not where it listens", self.lines)
        self.port = int(found[1])
        self.url = f"http://127.0.0.1:{self.port}"

    def read(self):
        for line in self.child.stderr:
            with self.said:
                self.lines.append(line.decode("utf-8"))
                self.said.notify_all()

    def wait_for(self, holds, what):
        with self.said:
            expect(self.said.wait_for(lambda: holds(self.lines), PATIENCE), what, "".join(self.lines))

    @property
    def log(self):
        return "".join(self.lines)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.child.terminate()
        try:
            status = self.child.wait(30)
        except subprocess.TimeoutExpired:
            self.child.kill()
            raise
        expect(kind is not None or status == 0, f"the proxy ends with status {status}", self.log)

    def open(self, method, target, body=None, headers=None):
        """The answer, to be read piece by piece."""
        there = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        there.request(method, target, body=body, headers=headers or {}, encode_chunked=True)
        answer = there.getresponse()
        answer.there = there
        return answer

    def ask(self, method, target, body=None, headers=None):
        answer = self.open(method, target, body, headers)
        whole = answer.read()
        answer.there.close()
        return answer, whole

def noise(name, size):
    """Text of that size that is always the same for a name."""
    words, at = [], 0
    while sum(len(word) + 1 for word in words) < size:
        words.append(hashlib.sha256(f"{name}/{at}".encode()).hexdigest()[:3 + at % 6])
        at += 1
    return " ".join(words)[:size]

def image_of(turn):
    return base64.b64encode(hashlib.sha256(str(turn).encode()).digest() * 40).decode()

TOOLS = {"read_file": {"type": "object", "properties": {"path": {"type": "string"}, "line": {"type": "integer"}}, "required": ["path"]},
         "search": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}}
SYSTEM = "You work on the program in src. " + noise("system", 300)

class Shape:
    @classmethod
    def said(cls, turn, text):
        return {"role": "user", "content": [{"type": "text", "text": text}, cls.image(image_of(turn))] if turn % 9 == 4 else text}

class OpenAI(Shape):
    path = "/v1/chat/completions"
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}

    @staticmethod
    def start():
        return [{"role": "system", "content": SYSTEM}]

    @staticmethod
    def image(data):
        return {"type": "image_url", "image_url": {"url": "data:image/png;base64," + data}}

    @staticmethod
    def request(messages, stream):
        return {"model": "a-model-of-tests", "max_tokens": 500, "messages": messages,
                "tools": [{"type": "function", "function": {"name": name, "description": "Does it.", "parameters": form}} for name, form in TOOLS.items()],
                **({"stream": True} if stream else {})}

    @staticmethod
    def take(messages, answer):
        """Appends an answer; gives the calls in it."""
        message = json.loads(answer)["choices"][0]["message"]
        messages.append(message)
        return [(call["id"], call["function"]["name"]) for call in message.get("tool_calls", [])]

    @staticmethod
    def results(results):
        return [{"role": "tool", "tool_call_id": key, "content": text} for key, text in results]

    @staticmethod
    def read_stream(data):
        """The answer that the events of a stream make."""
        text, calls = "", []
        for event in re.findall(rb"^data: (\{.*\})$", data, re.M):
            delta = next((choice["delta"] for choice in json.loads(event)["choices"]), {})  # the usage has no choice
            text += delta.get("content") or ""
            for piece in delta.get("tool_calls", []):
                if piece["index"] == len(calls):
                    calls.append({"id": piece["id"], "type": "function", "function": {"name": piece["function"]["name"], "arguments": ""}})
                calls[piece["index"]]["function"]["arguments"] += piece["function"]["arguments"]
        return json.dumps({"choices": [{"message": {"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}}]})

class Anthropic(Shape):
    path = "/v1/messages"
    headers = {"x-api-key": KEY, "anthropic-version": "2023-06-01", "Content-Type": "application/json"}

    @staticmethod
    def start():
        return []

    @staticmethod
    def image(data):
        return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}

    @staticmethod
    def request(messages, stream):
        return {"model": "a-model-of-tests", "max_tokens": 500, "system": SYSTEM, "messages": messages,
                "tools": [{"name": name, "description": "Does it.", "input_schema": form} for name, form in TOOLS.items()],
                **({"stream": True} if stream else {})}

    @staticmethod
    def take(messages, answer):
        content = json.loads(answer)["content"]
        messages.append({"role": "assistant", "content": content})
        return [(block["id"], block["name"]) for block in content if block["type"] == "tool_use"]

    @staticmethod
    def results(results):
        return [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": key, "content": text} for key, text in results]}]

    @staticmethod
    def read_stream(data):
        content = []
        for event in re.findall(rb"^data: (\{.*\})$", data, re.M):
            event = json.loads(event)
            if event["type"] == "content_block_start":
                content.append({**event["content_block"], "partial": ""})
            elif event["type"] == "content_block_delta":
                content[event["index"]]["partial"] += event["delta"].get("text", event["delta"].get("partial_json", ""))
        return json.dumps({"content": [{"type": "text", "text": block["partial"]} if block["type"] == "text" else
                                       {"type": "tool_use", "id": block["id"], "name": block["name"], "input": json.loads(block["partial"])}
                                       for block in content]})

class AnthropicCached(Anthropic):
    """As Anthropic, with a breakpoint of the cache that moves to the newest message."""

    @staticmethod
    def request(messages, stream):
        newest = messages[-1]
        content = newest["content"] if isinstance(newest["content"], list) else [{"type": "text", "text": newest["content"]}]
        content = [*content[:-1], {**content[-1], "cache_control": {"type": "ephemeral"}}]
        return Anthropic.request([*messages[:-1], {**newest, "content": content}], stream)

def checks_of(conversations, call):
    """A check for each row of a table: `call` with a program and what stands in the row."""
    def named(name, row):
        def check(program):
            call(program, *row)
        check.__name__ = name
        return check
    return [named(*each) for each in conversations.items()]

def result_of(key, name):
    return f"{name} of {key}: " + noise(key + name, 900)
def task(turn):
    return f"Turn {turn}: look at step {turn} and say what is there. " + noise(turn, 120)

def newest_text(message):
    return message["content"] if isinstance(message["content"], str) else message["content"][0].get("text", "")

def check_requests(provider, shape, turns):
    """What arrived of a conversation of so many turns, of two requests each."""
    expect(not provider.wrong, "the provider got what is ill-formed", provider.wrong[:3])
    expect(len(provider.accepted) == 2 * turns, f"{len(provider.accepted)} requests were accepted, not {2 * turns}")
    kept = 0
    for at, request in enumerate(provider.accepted):
        messages = request["messages"]
        turn = at // 2
        users = [message for message in messages if message["role"] == "user" and newest_text(message).startswith(f"Turn {turn}:")]
        expect(len(users) == 1 and newest_text(users[0]) == task(turn), f"request {at} lacks the latest user message", messages)
        image = turn % 9 != 4 or image_of(turn) in json.dumps(users[0])
        expect(image, f"request {at} lacks the image")
        if at % 2 == 1:
            expect(all(noise(key + name, 900) in json.dumps(messages[-2:]) for key, name in calls_in(messages)),
                   f"request {at} lacks the newest results", messages[-3:])
        system = messages[0]["content"] if shape is OpenAI else request["system"]
        expect(system == SYSTEM, f"request {at} lacks the system prompt", system)
        expect(request["tools"] == shape.request([{"content": "x"}], False)["tools"], f"request {at} has other tools")
        before = provider.accepted[at - 1]["messages"] if at else []
        kept += plain(messages[:len(before)]) == plain(before)
    reduced = max(len(request["messages"]) for request in provider.accepted)
    expect(reduced < 3 * turns, f"nothing was reduced: {reduced} messages")
    expect(kept >= 0.65 * len(provider.accepted), f"only {kept} of {len(provider.accepted)} requests begin as the one before: no cache serves that")

def plain(messages):
    """Without breakpoints, and a lone text as a string."""
    made = json.loads(json.dumps(messages))
    for message in made:
        if isinstance(message["content"], list):
            for block in message["content"]:
                block.pop("cache_control", None)
            if len(message["content"]) == 1 and message["content"][0]["type"] == "text":
                message["content"] = message["content"][0]["text"]
    return made

def calls_in(messages):
    """The calls of the newest assistant message."""
    newest = [message for message in messages if message["role"] == "assistant"][-1]
    return [(call["id"], call["function"]["name"]) for call in newest.get("tool_calls", [])] or \
        [(block["id"], block["name"]) for block in newest["content"] if isinstance(block, dict) and block["type"] == "tool_use"]

def converse(proxy, provider, shape, turns, stream):
    """Of each turn two requests; every answer is byte for byte what the provider sent. Gives the messages."""
    messages = shape.start()
    for turn in range(turns):
        messages.append(shape.said(turn, task(turn)))
        for round in range(2):
            answer, whole = proxy.ask("POST", shape.path, json.dumps(shape.request(messages, stream)), shape.headers)
            expect(answer.status == 200, f"turn {turn}: status {answer.status}", whole)
            deadline = time.monotonic() + 5
            while len(provider.answers) < 2 * turn + round + 1 and time.monotonic() < deadline:
                time.sleep(0.001)
            expect(whole == provider.answers[-1], f"turn {turn}: the answer is another than the provider's", whole)
            expect(answer.getheader("Content-Type") == ("text/event-stream; charset=utf-8" if stream else "application/json"),
                   "another content type", answer.getheader("Content-Type"))
            calls = shape.take(messages, shape.read_stream(whole) if stream else whole)
            expect(len(calls) == (2 if round == 0 else 0), f"turn {turn}: {len(calls)} calls")
            if calls:
                messages += shape.results([(key, result_of(key, name)) for key, name in calls])
    return messages
