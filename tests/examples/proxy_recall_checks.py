# SPDX-License-Identifier: BSL-1.0
"""A model that reads its past through the example `proxy`, in each protocol: the client sees nothing of it, and every later request repeats it."""

import json
import re
import shutil
import socket
import subprocess
import tempfile
import time

import local_server
import protocols
from checks import checks_in, effort, expect
from fake_provider import Provider
from proxy_talk import OpenAI, AnthropicCached, Proxy, check_requests, converse, noise, plain
from recall_talk import TOOLS

OWN = {"type": "object", "properties": {"path": {"type": "string"}}}

class Handler(local_server.Handler):
    def do_POST(self):
        self.close_connection = True
        self.server.seen.append(self.body())
        request, shape = json.loads(self.server.seen[-1]), SHAPES[self.path]
        answer = self.server.script.pop(0)
        if isinstance(answer, str):
            return self.answer(200, answer.encode(), "text/event-stream")
        if isinstance(answer, int):
            return self.answer(answer, shape.protocol.error(answer, "It is overloaded."))
        own = lambda text: re.sub(rb'"(msg|rs)_1"', b'"\\1_%d"' % len(self.server.seen), text)
        if not request.get("stream"):
            return self.answer(200, own(json.dumps(shape.protocol.whole(answer, request)).encode()))
        self.begin("text/event-stream")
        self.send_whole(own(protocols.encoded(shape.protocol.events(answer, request))), 61)

class Scripted(local_server.LocalServer):
    def __init__(self, *script):
        super().__init__(Handler)
        self.script, self.seen = list(script), []

    @property
    def url(self):
        return f"http://{self.address}"

    def messages(self, at, member="messages"):
        """As they came, each as its text."""
        return [json.dumps(each) for each in json.loads(self.seen[at])[member]]

class Chat:
    protocol, member = protocols.OpenAI, "messages"
    tool = {"type": "function", "function": {"name": "read_file", "parameters": OWN}}
    call = staticmethod(lambda key, name: {"role": "assistant", "content": None, "tool_calls": [{"id": key, "type": "function", "function": {"name": name, "arguments": "{}"}}]})
    result = staticmethod(lambda key, text: {"role": "tool", "tool_call_id": key, "content": text})
    names = staticmethod(lambda request: [tool["function"]["name"] for tool in request["tools"]])

    @staticmethod
    def read(whole, stream):
        """An answer as the client takes it: messages to be sent back, its text, and its calls."""
        message = {"role": "assistant", "content": ""}
        if not stream:
            message = {key: value for key, value in json.loads(whole)["choices"][0]["message"].items() if key in ("role", "content", "tool_calls")}
        for line in whole.split("\n\n") if stream else []:
            for choice in json.loads(line[6:])["choices"] if line.startswith("data: {") else []:
                message["content"] += choice["delta"].get("content") or ""
                for piece in choice["delta"].get("tool_calls", []):
                    if piece["index"] == len(message.setdefault("tool_calls", [])):
                        message["tool_calls"].append({"id": piece["id"], "type": "function", "function": {"name": piece["function"]["name"], "arguments": ""}})
                    message["tool_calls"][piece["index"]]["function"]["arguments"] += piece["function"]["arguments"]
        return [message], message["content"] or "", [(call["id"], call["function"]["name"]) for call in message.get("tool_calls", [])]

class Messages(Chat):
    protocol = protocols.Anthropic
    tool = {"name": "read_file", "input_schema": OWN}
    call = staticmethod(lambda key, name: {"role": "assistant", "content": [{"type": "tool_use", "id": key, "name": name, "input": {}}]})
    result = staticmethod(lambda key, text: {"role": "user", "content": [{"type": "tool_result", "tool_use_id": key, "content": text}]})
    names = staticmethod(lambda request: [tool["name"] for tool in request["tools"]])

    @staticmethod
    def read(whole, stream):
        content = [] if stream else json.loads(whole)["content"]
        for event in [json.loads(block.split("data: ")[1]) for block in whole.split("\n\n") if "data: " in block] if stream else []:
            if event["type"] == "content_block_start":
                expect(event["index"] == len(content), "an index is left out", whole)
                content.append({**event["content_block"], "partial": ""})
            for key, value in event.get("delta", {}).items() if event["type"] == "content_block_delta" else []:
                key = {"partial_json": "partial"}.get(key, key)
                content[event["index"]][key] = value if key in ("type", "signature") else content[event["index"]][key] + value
            if event["type"] == "content_block_stop":
                block, kind = content[event["index"]], {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "thinking", "input_json_delta": "tool_use"}
                block["type"] = kind.get(block["type"], block["type"])
                partial = block.pop("partial")
                if partial:
                    block["input"] = json.loads(partial)
        return ([{"role": "assistant", "content": content}], "".join(block["text"] for block in content if block["type"] == "text"),
                [(block["id"], block["name"]) for block in content if block["type"] == "tool_use"])

class Items(Chat):
    protocol, member = protocols.Responses, "input"
    tool = {"type": "function", "name": "read_file", "parameters": OWN}
    call = staticmethod(lambda key, name: {"type": "function_call", "call_id": key, "name": name, "arguments": "{}"})
    result = staticmethod(lambda key, text: {"type": "function_call_output", "call_id": key, "output": text})
    names = staticmethod(lambda request: [tool["name"] for tool in request["tools"]])

    @staticmethod
    def read(whole, stream):
        events = [json.loads(block.split("data: ")[1]) for block in whole.split("\n\n") if "data: " in block] if stream else []
        output = (events[-1]["response"] if stream else json.loads(whole))["output"]
        if stream:
            done = [event["item"] for event in events if event["type"] == "response.output_item.done"]
            expect(done == output, "the items of the events are others than those at the end", (done, output))
            expect([event["output_index"] for event in events if event["type"] == "response.output_item.added"] == list(range(len(output))), "an index is left out", whole)
            expect([event["sequence_number"] for event in events] == list(range(len(events))), "numbers of events", whole)
        return (output, "".join(block["text"] for item in output if item["type"] == "message" for block in item["content"]),
                [(item["call_id"], item["name"]) for item in output if item["type"] == "function_call"])

SHAPES = {"/v1/chat/completions": Chat, "/v1/messages": Messages, "/v1/responses": Items}

class Client:
    """A conversation whose beginning does not fit, with a word that stands there alone."""

    def __init__(self, proxy, path, stream):
        self.proxy, self.path, self.stream, self.shape, self.status = proxy, path, stream, SHAPES[path], 200
        self.messages = [{"role": "user", "content": "Look at the files."}]
        for at in range(8):
            word = " the harbour is called zanzibar, they say " if at == 1 else " "
            self.messages += [self.shape.call(f"old{at}", "read_file"), self.shape.result(f"old{at}", noise(at, 3000) + word + noise(at + 9, 3000))]
        self.say("What was the harbour called?")

    def say(self, text):
        self.messages.append({"role": "user", "content": text})

    def ask(self):
        """The text and calls of the answer, which becomes a part of the conversation."""
        request = {"model": "a-model-of-tests", "max_tokens": 500, self.shape.member: self.messages, "tools": [self.shape.tool], "store": False, **({"stream": True} if self.stream else {})}
        answer, whole = self.proxy.ask("POST", self.path, json.dumps(request), {"Authorization": "Bearer k", "anthropic-version": "2023-06-01"})
        self.status = answer.status
        if answer.status != 200:
            return whole.decode(), []
        made, text, calls = self.shape.read(whole.decode(), self.stream)
        self.messages += made
        return text, calls

WAYS = [(path, stream) for path in SHAPES for stream in (False, True)]
LOOKS = protocols.Answer("Let me look. ", (("h1", "search_history", {"query": "harbour called"}),), thinking="Hm.")

def the_client_sees_nothing_of_it(program):
    for path, stream in WAYS:
        both = protocols.Answer("And more. ", (("h2", "read_message", {"number": 4, "offset": 3000}), ("c1", "read_file", {"path": "a"})), thinking="Well.")
        with tempfile.TemporaryDirectory() as folder, Scripted(LOOKS, both, protocols.Answer("It was that."), protocols.Answer("Yes.")) as provider:
            with Proxy(program, provider.url, "--window", "12000", "--keep", folder, "--recall") as proxy:
                client = Client(proxy, path, stream)
                text, calls = client.ask()
                expect((text, calls) == ("Let me look. And more. " if stream else "And more. ", [("c1", "read_file")]), f"{path} {stream}: the client sees", (text, calls))
                client.messages.append(client.shape.result("c1", "A file."))
                expect(client.ask() == ("It was that.", []), "another answer", proxy.log)
                client.say("Are you sure?")
                expect(client.ask() == ("Yes.", []), "another answer", proxy.log)
                asked = [provider.messages(at, client.shape.member) for at in range(4)]
                for at in range(3):
                    expect(asked[at + 1][:len(asked[at])] == asked[at], f"{path} {stream}: request {at + 1} does not begin as the one before", (asked[at], asked[at + 1]))
                    expect(json.loads(provider.seen[at + 1])["tools"] == json.loads(provider.seen[0])["tools"], "other tools")
                expect(client.shape.names(json.loads(provider.seen[0])) == ["read_file", *TOOLS], "the tools", provider.seen[0])
                expect("zanzibar" not in "".join(asked[0]) and "zanzibar" in asked[1][-1], f"{path} {stream}: nothing was read", asked[1][-1])
                rest = "".join(asked[2][len(asked[1]):])
                for part in ("h2", "c1", "A file.", "zanzibar", "And more."):
                    expect(part in rest, f"{path} {stream}: '{part}' is missing", rest)
                expect(json.loads(proxy.ask("GET", "/condense/status")[1])["recalls"] == 2, "it is not counted")

def a_client_may_ask_again(program):
    """Where an answer broke off behind a round, the next request goes on from there; a client that has changed what it got keeps its own."""
    for path, stream in WAYS:
        with tempfile.TemporaryDirectory() as folder, Scripted(LOOKS, 529, protocols.Answer("It was that."), protocols.Answer("Yes.")) as provider:
            with Proxy(program, provider.url, "--window", "12000", "--keep", folder, "--recall") as proxy:
                client = Client(proxy, path, stream)
                try:
                    client.ask()
                    expect(client.status == 529 and not stream, f"{path} {stream}: status {client.status}")
                except Exception as problem:  # what was begun is cut
                    expect(stream, f"{path}: {problem!r}")
                expect(client.ask()[0] == "It was that.", "another answer", proxy.log)
                expect(provider.messages(1, client.shape.member) == provider.messages(2, client.shape.member), f"{path} {stream}: it is another request")
                client.messages[-1] = json.loads(json.dumps(client.messages[-1]).replace("that", "this"))
                client.say("Are you sure?")
                client.ask()
                last = provider.messages(3, client.shape.member)
                expect(last[:len(provider.messages(2, client.shape.member))] == provider.messages(2, client.shape.member) and "It was this." in last[-2], f"{path} {stream}", last[-3:])

def a_model_that_only_reads_is_stopped(program):
    for path, stream in WAYS:
        with tempfile.TemporaryDirectory() as folder, Scripted(*[LOOKS] * 9, protocols.Answer("Yes.")) as provider:
            with Proxy(program, provider.url, "--window", "12000", "--keep", folder, "--recall") as proxy:
                client = Client(proxy, path, stream)
                text, calls = client.ask()
                expect(text == "Let me look. " * (9 if stream else 1) and not calls and len(provider.seen) == 9, f"{path} {stream}: {len(provider.seen)} requests", text)
                client.say("And?")
                expect(client.ask() == ("Yes.", []), "another answer", proxy.log)
                expect("too many calls" in "".join(provider.messages(9, client.shape.member)[-2:]), f"{path} {stream}", provider.messages(9, client.shape.member)[-3:])

def nobody_reads_another_conversation(program):
    """Conversations of one key that begin alike are apart, with a server as without one."""
    for path, stream in WAYS[::2]:
        with tempfile.TemporaryDirectory() as folder, Redis(folder) as redis, Scripted() as provider:
            for where in (("--keep", folder + "/k"), ("--redis", redis.url)) if shutil.which("redis-server") else ():
                reads = lambda key: protocols.Answer(None, ((key, "recent_history", {}),))
                provider.script, provider.seen = [reads("g1"), protocols.Answer("One."), reads("g2"), protocols.Answer("Two."), *[protocols.Answer("Yes.")] * 2, reads("g3"), protocols.Answer("No.")], []
                with Proxy(program, provider.url, "--recall", *where) as proxy:
                    one, two = (Client(proxy, path, stream) for _ in range(2))
                    for client, words in ((one, ""), (two, ""), (one, "My word is walrus."), (two, "Mine is zebra."), (two, "And?")):
                        client.messages = client.messages if words else [{"role": "user", "content": "Hi."}]
                        if words:
                            client.say(words)
                        client.ask()
                    asked = ["".join(provider.messages(at, client.shape.member)) for at in range(8)]
                    expect("g1" in asked[4] and "g2" not in asked[4] and "g2" in asked[5] and "g1" not in asked[5], f"{path} {where[0]}: rounds of another conversation", asked[4:6])
                    expect("zebra" in asked[7] and "walrus" not in asked[7], f"{path} {where[0]}: the words of another conversation", asked[7])

def answers_that_are_cut_or_wrong_end_there(program):
    search = {"type": "tool_use", "id": "h", "name": "search_history", "input": {}}
    block = lambda *events: "".join(f"data: {json.dumps(each)}\n\n" for each in events)
    cut = block({"type": "content_block_start", "index": 0, "content_block": search}, {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": '{"que'}})
    for path, answer in (("/v1/messages", cut + block({"type": "message_delta", "delta": {"stop_reason": "max_tokens"}}, {"type": "message_stop"})),
                         ("/v1/messages", cut + block({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded."}})),
                         ("/v1/responses", block({"type": "response.output_item.done"}, {"type": "response.output_item.added", "output_index": 2**64 - 1, "item": 7}, {"type": "response.failed"})),
                         ("/v1/chat/completions", block({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 2**64 - 1, "id": "h", "function": {"name": "search_history", "arguments": "{"}}, 7]}}]}))):
        with tempfile.TemporaryDirectory() as folder, Scripted(answer, protocols.Answer("Fine.")) as provider, Proxy(program, provider.url, "--keep", folder, "--recall") as proxy:
            client = Client(proxy, path, True)
            _, whole = proxy.ask("POST", path, json.dumps({"model": "a-model-of-tests", "stream": True, "max_tokens": 9, client.shape.member: client.messages}), {"Authorization": "Bearer k"})
            expect(len(provider.seen) == 1 and b"search_history" not in whole, f"{path}: it goes on", whole)
            expect(client.ask()[0] == "Fine." and "search_history" not in "".join(provider.messages(1, client.shape.member)), f"{path}: the call is repeated", provider.seen[-1])

class Redis:
    """A server that keeps what it has confirmed."""

    def __init__(self, folder):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.folder, self.url = folder, f"redis://127.0.0.1:{self.port}/1"

    def __enter__(self):
        self.child = subprocess.Popen(["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--dir", self.folder, "--appendonly", "yes", "--appendfsync", "always", "--save", ""],
                                      stdout=subprocess.DEVNULL)
        for _ in range(1000):
            with socket.socket() as there:
                if there.connect_ex(("127.0.0.1", self.port)) == 0:
                    there.sendall(b"PING\r\n")
                    if there.recv(9) == b"+PONG\r\n":
                        return self
            time.sleep(0.01)
        expect(False, "the server does not start")

    def __exit__(self, *_):
        self.child.kill()
        self.child.wait()

class Turns:
    """Several proxies that are asked by turns; one of them is killed and replaced now and then."""

    def __init__(self, count, kill_at, *start):
        self.all, self.asked, self.kill_at, self.start = [Proxy(*start) for _ in range(count)], 0, kill_at, start

    def ask(self, *request):
        self.asked += 1
        at = self.asked % len(self.all)
        if self.asked % self.kill_at == 0:
            self.all[at].child.kill()
            self.all[at] = Proxy(*self.start)
        return self.all[at].ask(*request)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for each in self.all:
            each.child.kill()
            each.child.wait()

def breaks_of(provider):
    asked = [plain(request["messages"]) for request in provider.accepted]
    return sum(after[:len(before)] != before for before, after in zip(asked, asked[1:]))

def proxies_serve_a_conversation_by_turns(program):
    if shutil.which("redis-server") is None:
        return print("skipped: two proxies at one Redis server: there is no redis-server")
    for shape, stream in ((OpenAI, True), (AnthropicCached, False)):
        breaks, turns = [], 40 if effort() >= 100 else 20
        for count in (1, 3):
            with tempfile.TemporaryDirectory() as folder, Redis(folder) as redis, Provider() as provider:
                provider.thinks = shape is AnthropicCached and not stream
                with Turns(count, 7 if count == 3 else 10**6, program, provider.url, "--window", "8000", "--redis", redis.url) as proxies:
                    converse(proxies, provider, shape, turns, stream)
                    check_requests(provider, shape, turns)
                    expect(provider.unbound == 0 and provider.refused == 0, f"{count}: {provider.unbound}, {provider.refused}")
                    breaks.append(breaks_of(provider))
        expect(breaks[0] == breaks[1] > 0, "more beginnings change where several take turns", breaks)

def what_one_has_hidden_another_repeats(program):
    for path, stream in WAYS[::1 if effort() >= 100 else 2] if shutil.which("redis-server") else ():
        with tempfile.TemporaryDirectory() as folder, Redis(folder) as redis, Scripted(LOOKS, *[protocols.Answer("It was that.")] * 4) as provider:
            options = (program, provider.url, "--window", "12000", "--redis", redis.url, "--recall")
            with Turns(2, 10**6, *options) as proxies:
                client = Client(proxies, path, stream)
                for _ in range(3):
                    expect(client.ask()[0].endswith("It was that."), "another answer")
                    client.say("Are you sure?")
                asked = [provider.messages(at, client.shape.member) for at in range(4)]
                for before, after in zip(asked, asked[1:]):
                    expect(after[:len(before)] == before, f"{path} {stream}: a request does not begin as the one before", (before, after))
                redis.child.kill()  # a conversation goes on in the process that has it
                expect(client.ask()[0] == "It was that.", "no answer without the server")
                expect("not kept: Redis" in "".join(each.log for each in proxies.all), "it is not said")

ALL = checks_in(globals(), "program")
