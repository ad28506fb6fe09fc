# SPDX-License-Identifier: BSL-1.0
"""A provider on this machine that speaks OpenAI's chat and Responses and Anthropic's messages: it counts tokens, refuses what
is over its window in the words of the real one, refuses what is ill-formed, and answers with tool calls. One that `thinks`
signs thinking as the newest models of Claude do: for what stands before it, and for the block before it."""

import hashlib
import json
import threading
import time

import local_server
import protocols

KEY = "sk-test-0123456789abcdef-secret"
TOOLS = ["read_file", "search"]
EVENTS = "text/event-stream; charset=utf-8"
MEMBERS = {"openai": {"role", "content", "refusal", "annotations", "name", "tool_calls", "tool_call_id"}, "anthropic": {"role", "content"}}
PATHS = {"/v1/chat/completions": "openai", "/v1/responses": "responses", "/v1/messages": "anthropic"}
PROTOCOLS = {"openai": protocols.OpenAI, "responses": protocols.Responses, "anthropic": protocols.Anthropic}

class Wrong(Exception):
    pass

def require(holds, what):
    if not holds:
        raise Wrong(what)

def tokens_of(value):
    """A quarter of the bytes; an image costs a thousand, whatever its bytes."""
    if isinstance(value, dict):
        if value.get("type") in ("image_url", "image"):
            return 1000
        return 1 + sum(tokens_of(each) for each in value.values())
    if isinstance(value, list):
        return sum(tokens_of(each) for each in value)
    return len(json.dumps(value, ensure_ascii=False).encode()) // 4

def check_openai(messages):
    """Each result follows its call with nothing but other results between, and each call has one."""
    waiting = []
    for at, message in enumerate(messages):
        require(set(message) <= MEMBERS["openai"], f"messages[{at}]: unknown members {set(message) - MEMBERS['openai']}")
        if message["role"] == "tool":
            require(message["tool_call_id"] in waiting, f"messages[{at}]: a tool message without its call before it")
            waiting.remove(message["tool_call_id"])
            continue
        require(not waiting, f"messages[{at}]: the calls {waiting} have no result")
        require(message["role"] in ("system", "user", "assistant"), f"messages[{at}]: role {message['role']}")
        waiting = [call["id"] for call in message.get("tool_calls", [])]
        for call in message.get("tool_calls", []):
            json.loads(call["function"]["arguments"])
    require(not waiting, "the last calls have no result")
    require(any(message["role"] == "user" for message in messages), "no user message")

def check_anthropic(messages):
    require(messages[0]["role"] == "user", "the first message is not the user's")
    waiting, breakpoints = [], 0
    for at, message in enumerate(messages):
        require(set(message) <= MEMBERS["anthropic"], f"messages[{at}]: unknown members {set(message) - MEMBERS['anthropic']}")
        require(message["role"] in ("user", "assistant"), f"messages[{at}]: role {message['role']}")
        blocks = message["content"] if isinstance(message["content"], list) else [{"type": "text", "text": message["content"]}]
        require(blocks and all(block.get("text") != "" for block in blocks), f"messages[{at}]: empty")
        breakpoints += sum("cache_control" in block for block in blocks)
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        require(sorted(results) == sorted(waiting), f"messages[{at}]: results of {results}, calls before it {waiting}")
        waiting = [block["id"] for block in blocks if block["type"] == "tool_use"]
    require(not waiting, "the last calls have no result")
    require(breakpoints <= 4, f"{breakpoints} breakpoints of the cache")

def check_responses(items):
    """Each call has one output behind it; reasoning stands before what it is of."""
    items = [{"role": "user", "content": items}] if isinstance(items, str) else items
    waiting = []
    for at, item in enumerate(items):
        kind = item.get("type", "message")
        require(kind in ("message", "reasoning", "function_call", "function_call_output"), f"input[{at}]: an item of type {kind}")
        if kind == "function_call":
            json.loads(item["arguments"])
            waiting.append(item["call_id"])
        if kind == "function_call_output":
            require(item["call_id"] in waiting, f"input[{at}]: an output without its call before it")
            waiting.remove(item["call_id"])
        after = items[at + 1] if at + 1 < len(items) else {"role": "user"}
        require(kind != "reasoning" or (after.get("role") != "user" and after.get("type") != "function_call_output"), f"input[{at}]: reasoning of nothing")
    require(not waiting, f"the calls {waiting} have no output")
    require(any(item.get("role") == "user" for item in items), "no user message")

CHECKS = {"openai": check_openai, "responses": check_responses, "anthropic": check_anthropic}

def plain(content):
    """Content without thinking and breakpoints, however it is spelled."""
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return [{key: value for key, value in block.items() if key != "cache_control"} for block in blocks if block["type"] != "thinking"]

def signatures(request):
    """Of each block of thinking in a request: its own, the one that it should have there, and that of the block before it.
    Then what thinking in answer to the request is signed with."""
    hash, previous, found = hashlib.sha256(json.dumps([request.get("system"), request.get("tools")]).encode()), "", []
    for message in request["messages"]:
        for block in message["content"] if isinstance(message["content"], list) else []:
            if block["type"] == "thinking":
                found.append((block["signature"], hash.hexdigest(), previous))
                previous = block["signature"]
        hash.update(json.dumps([message["role"], plain(message["content"])]).encode())
    return found, f"{hash.hexdigest()}.{hashlib.sha256(previous.encode()).hexdigest()}"

def bound_elsewhere(request):
    """A block of thinking is behind another beginning than that which it was written behind, or the one before it is missing."""
    for at, (signature, prefix, previous) in enumerate(signatures(request)[0]):
        signed, before = signature.split(".")
        if signed != prefix or (at != 0 and before != hashlib.sha256(previous.encode()).hexdigest()):
            return True
    return False

def last_is_result(shape, messages):
    if shape == "openai":
        return messages[-1]["role"] == "tool"
    if shape == "responses":
        return not isinstance(messages, str) and messages[-1].get("type") == "function_call_output"
    return isinstance(messages[-1]["content"], list) and any(block["type"] == "tool_result" for block in messages[-1]["content"])

class Handler(local_server.Handler):
    def any(self):
        self.close_connection = True
        body = self.body()
        provider = self.server
        with provider.lock:
            provider.seen.append({"method": self.command, "path": self.path, "body": body, "headers": self.sent_headers()})
            number = len(provider.seen)
        path = self.path.split("?")[0]
        try:
            if self.command == "POST" and path in PATHS:
                self.chat(PATHS[path], body, number)
            else:
                getattr(self, "at_" + path.strip("/").replace("/", "_"), self.at_other)()
        except (BrokenPipeError, ConnectionResetError):
            provider.hung_up.set()

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = any

    # Chats.

    def chat(self, shape, body, number):
        provider = self.server
        error = (lambda kind, text, code=None: {"error": {"message": text, "type": kind, "param": "messages", "code": code}}) if shape != "anthropic" \
            else (lambda kind, text, code=None: {"type": "error", "error": {"type": kind, "message": text}})
        key = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if shape == "anthropic":  # whose clients send it in either
            key = self.headers.get("x-api-key", key)
        if key != KEY:
            return self.answer(401, error("authentication_error", "wrong key"))
        try:
            request = json.loads(body)
            messages = request["input" if shape == "responses" else "messages"]
            size = tokens_of(messages) + sum(tokens_of(request.get(name) or "") for name in ("system", "instructions", "tools"))
            output = request.get("max_tokens") or 0
            provider.sizes.append(size)
            if provider.wordless and provider.wordless in body.decode("utf-8", "replace"):
                return self.answer(400, error("invalid_request_error", "Your input exceeds the context window of this model.", "context_length_exceeded"))
            if size + output > provider.window:
                provider.refused += 1
                if shape != "anthropic":
                    return self.answer(400, error("invalid_request_error", f"This model's maximum context length is {provider.window} tokens. However, you "
                                       f"requested {size + output} tokens ({size} in the messages, {output} in the completion). Please reduce the length "
                                       "of the messages or completion.", "context_length_exceeded"))
                return self.answer(400, error("invalid_request_error", f"prompt is too long: {size + output} tokens > {provider.window} maximum"))
            if shape == "anthropic":
                require(self.headers.get("anthropic-version"), "no anthropic-version")
            require([name for name in provider.tool_names(shape, request)] == TOOLS, "the tools did not arrive")
            CHECKS[shape](messages)
            binding = request.get("thinking", {}).get("block_binding") if shape == "anthropic" else None
            if binding is not None:
                require("thinking-binding-controls-2026-08-01" in self.headers.get_all("anthropic-beta"), "no header of the beta")
                require(binding == {"prefix_mismatch_behavior": "drop_block"}, "an unknown binding")
                provider.dropping += 1
            if provider.thinks and binding is None and bound_elsewhere(request):
                provider.unbound += 1
                return self.answer(400, error("invalid_request_error", "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to "
                                   "a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\"."))
        except (Wrong, AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError) as problem:
            provider.wrong.append(repr(problem))
            return self.answer(400, error("invalid_request_error", f"ill-formed: {problem!r}"))
        with provider.lock:
            provider.accepted.append(request)
        provider.turns -= 1
        calls = [] if provider.turns < 0 and last_is_result(shape, messages) else [
            (f"call_{number}_{at}", tool, {"path": f"src/part_{number}/file_{at}.cpp", "line": number}) for at, tool in enumerate(TOOLS)]
        text = f"Looking at step {number}." if calls else f"Step {number} is done: src/part_{number}/done.cpp holds it. \u00fc\u4e16\U0001F600"
        usage = {"usage": (size, 0, 0, 20, 0)} if provider.counts else {}
        thinking = {"thinking": f"Step {number}, then.", "seal": signatures(request)[1], "hidden": ""} if provider.thinks and shape == "anthropic" else {}
        answer, protocol = protocols.Answer(text, calls, **usage, **thinking), PROTOCOLS[shape]
        if request.get("stream"):
            sent = protocols.encoded(protocol.events(answer, request)).replace(b'"msg_1"', f'"msg_{number}"'.encode())
            self.begin(EVENTS)
            self.send_whole(sent, 97)
        else:
            sent = self.answer(200, json.dumps(protocol.whole(answer, request)).replace('"msg_1"', f'"msg_{number}"').encode(), x_request_id="req_7")
        with provider.lock:
            provider.answers.append(sent)

    # Whatever else there is.

    def at_other(self):
        self.answer(200, {"seen": self.command + " " + self.path}, X_Kept="yes", Connection="X-Dropped", X_Dropped="no")

    def at_redirect(self):
        self.answer(302, b"moved", Location=self.server.url + "/elsewhere")

    def at_limited(self):
        self.answer(429, {"error": {"message": "maximum context length is 8 tokens"}}, Retry_After="17")

    def at_packed(self):
        self.answer(200, b"\x1f\x8b no gzip in truth", Content_Encoding="gzip")

    def at_cut(self):
        self.begin(EVENTS)
        self.send(b"data: first\n\n")

    def at_gated(self):
        """The second half comes when the client has seen the first."""
        self.at_cut()
        self.send_whole(b"data: second\n\n" if self.server.gate.wait(20) else b"", 97)

    def at_cut_plain(self):
        self.head(200, "text/plain", Content_Length="100")
        self.wfile.write(b"not a hundred")

    def at_endless(self):
        self.begin(EVENTS)
        for _ in range(200_000):
            self.send(b"data: again\n\n" * 100)

    def at_quiet(self):
        """One event, then nothing; notices when the other end is closed."""
        self.at_cut()
        self.connection.settimeout(20)
        try:
            if self.connection.recv(1) == b"":
                self.server.hung_up.set()
        except OSError as problem:
            if isinstance(problem, ConnectionResetError):
                self.server.hung_up.set()

    def at_silent(self):
        time.sleep(8)

class Provider(local_server.LocalServer):
    def __init__(self, window=8000):
        super().__init__(Handler)
        self.window = window
        self.lock = threading.Lock()
        self.seen, self.accepted, self.answers, self.wrong = [], [], [], []
        self.refused = 0
        self.turns, self.counts, self.sizes = 0, False, []  # rounds of calls without a word of the user; whether it reports tokens; of all requests
        self.thinks, self.unbound = False, 0  # unbound: requests refused for thinking of another conversation
        self.dropping = 0  # requests that ask to drop such thinking
        self.wordless = ""  # a text in requests that are refused without figures
        self.gate, self.hung_up = threading.Event(), threading.Event()

    @staticmethod
    def tool_names(shape, request):
        return [tool["function"]["name"] if shape == "openai" else tool["name"] for tool in request.get("tools") or []]

    @property
    def url(self):
        return f"http://{self.address}"
