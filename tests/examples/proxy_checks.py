# SPDX-License-Identifier: BSL-1.0
"""What the example `proxy` does with raw HTTP: conversations, all that passes through, and hostile ends."""

import gzip
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import time

from checks import checks_in, expect
from fake_provider import KEY, Provider
from proxy_talk import PATIENCE, TURNS, Anthropic, AnthropicCached, OpenAI, Proxy, check_requests, checks_of, converse, noise, plain, task

def long_conversation(program, shape, stream, options, refusals):
    with Provider() as provider, Proxy(program, provider.url, *options) as proxy:
        converse(proxy, provider, shape, TURNS, stream)
        check_requests(provider, shape, TURNS)
        lines = re.findall(r"^POST \S+ 200: messages (\d+) to (\d+), tokens ([\d,]+) to ([\d,]+)(?:, refused (\d))?$", proxy.log, re.M)
        expect(len(lines) == 2 * TURNS, "not a line for each request", proxy.log)
        expect(int(lines[-1][1]) < int(lines[-1][0]), "the log does not say what was reduced", lines[-1])
        expect(sum(int(line[4] or 0) for line in lines) == provider.refused, "the log says other refusals than there were", proxy.log)
        expect(KEY not in proxy.log, "a key is in the log")
        expect(provider.refused in refusals, f"the provider refused {provider.refused} times")

GIVEN, TO_LEARN = (("--window", "8000"), range(0, 6)), ((), range(1, 8))
CONVERSATIONS = {  # a shape, whether it streams, options, and how often the provider may refuse
    "openai_within_a_given_window": (OpenAI, False, *GIVEN),
    "anthropic_within_a_given_window": (Anthropic, False, *GIVEN),
    "openai_streams_with_a_window_to_learn": (OpenAI, True, *TO_LEARN),
    "anthropic_streams_with_a_window_to_learn": (Anthropic, True, *TO_LEARN),
    "breakpoints_of_the_cache_may_move": (AnthropicCached, False, *GIVEN),
    "no_model_is_asked": (OpenAI, False, ("--window", "8000", "--mix", "no_model"), range(0, 6)),
    "a_window_alone": (OpenAI, False, ("--window", "8000", "--mix", "window"), range(0, 6))}

def long_talk(turns, size, first="Go on.", name=lambda turn: turn):
    """Messages that no tool takes part in."""
    messages = [{"role": "user", "content": first}]
    for turn in range(turns):
        messages += [{"role": "assistant", "content": noise(name(turn), size)}, {"role": "user", "content": task(turn)}]
    return messages

def post(proxy, shape, messages, stream=False):
    return proxy.ask("POST", shape.path, json.dumps(shape.request(messages, stream)), shape.headers)

def thinking_of(request):
    return [block for message in request["messages"] if isinstance(message["content"], list) for block in message["content"] if block["type"] == "thinking"]

def bound_thinking_leaves_with_what_stood_before_it(program):
    with Provider() as provider, Proxy(program, provider.url, "--window", "8000") as proxy:
        provider.thinks = True
        messages = converse(proxy, provider, AnthropicCached, TURNS, False)
        check_requests(provider, Anthropic, TURNS)
        expect(provider.unbound == 0, f"{provider.unbound} of {2 * TURNS} requests were refused for thinking of another conversation")
        kept = sum(len(thinking_of(request)) for request in provider.accepted)
        expect(kept >= 2 * TURNS, f"only {kept} blocks of thinking in {2 * TURNS} requests")
        # A proxy that does not know what was sent before is refused once, and takes the thinking out.
        with Proxy(program, provider.url, "--window", "8000") as other:
            answer, whole = post(other, Anthropic, [*messages, {"role": "user", "content": "Once more."}])
            expect(answer.status == 200 and provider.unbound <= 1, f"status {answer.status}, {provider.unbound} refused", whole)
        # So is any whose client has changed what it said.
        messages[0]["content"] = "Another task."
        answer, whole = post(proxy, Anthropic, [*messages[:8], {"role": "user", "content": "Go on."}])
        expect(answer.status == 200 and provider.unbound >= 1, f"status {answer.status}, {provider.unbound} refused", whole)
        expect(thinking_of(provider.accepted[-1]) == [], "thinking was left")
    # It can have the provider drop it, where the model binds it and the request thinks.
    for model, thinking, asked in [("claude-opus-5-5", {"type": "adaptive"}, 1), ("claude-opus-5-5", {}, 1), ("claude-opus-5-5", {"type": "disabled"}, 0),
                                   ("claude-opus-5-5", None, 0), ("claude-sonnet-4-5", {"type": "adaptive"}, 0)]:
        with Provider() as provider, Proxy(program, provider.url, "--window", "8000", "--drop-bound") as proxy:
            request = Anthropic.request(messages, False) | {"model": model}
            if thinking is not None:
                request["thinking"] = thinking
            answer, whole = proxy.ask("POST", Anthropic.path, json.dumps(request), Anthropic.headers)
            expect(answer.status == 200 and provider.dropping == asked, f"{model}, {thinking}: status {answer.status}, asked {provider.dropping}", whole)
            kept = len(thinking_of(provider.accepted[-1]))
            expect(not asked or kept > 0, "nothing was left to the provider")

def breakpoints_stay_at_the_end(program):
    with Provider() as provider, Proxy(program, provider.url, "--window", "8000") as proxy:
        converse(proxy, provider, AnthropicCached, 20, False)
        for request in provider.accepted:
            newest = request["messages"][-1]["content"]
            expect(isinstance(newest, list) and newest[-1].get("cache_control") == {"type": "ephemeral"}, "no breakpoint at the end", newest)

def a_learnt_window_serves_other_conversations(program):
    with Provider() as provider, Proxy(program, provider.url) as proxy:
        for number in range(3):
            answer, whole = post(proxy, OpenAI, long_talk(60, 900, f"Conversation {number}.", lambda turn: (number, turn)))
            expect(answer.status == 200, f"conversation {number}: status {answer.status}", whole)
            if number == 0:
                first = provider.refused
        expect(first > 0 and provider.refused == first, f"{first} refusals of the first conversation, {provider.refused - first} of two others")

def a_refusal_without_figures_is_of_its_conversation_alone(program):
    """A provider that says only that it is too much, of a request that counts as little here."""
    with Provider(window=10**9) as provider, Proxy(program, provider.url, "--window", "200000") as proxy:
        provider.wordless = "data:application/pdf"
        file = {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64," + "A" * 240_000}}
        answer, whole = post(proxy, OpenAI, [{"role": "user", "content": [{"type": "text", "text": "Describe it."}, file]}])
        expect(answer.status == 400 and b"exceeds the context window" in whole, "the refusal is lost", whole)
        other = long_talk(40, 900, "Another conversation.")
        post(proxy, OpenAI, other)
        expect(json.loads(provider.seen[-1]["body"])["messages"] == other, "another conversation was reduced", proxy.log)

def another_conversation_gets_nothing_of_this(program):
    with Provider() as provider, Proxy(program, provider.url, "--window", "8000") as proxy:
        messages = converse(proxy, provider, OpenAI, 20, False)
        branch = [*messages[:3], {**messages[3], "content": "another result"}, *messages[4:], {"role": "user", "content": "And now?"}]
        foreign = [{"role": "user" if at % 2 == 0 else "assistant", "content": f"Foreign {at}."} for at in range(len(messages) + 2)]
        for other in (branch, foreign):
            answer, whole = post(proxy, OpenAI, other)
            expect(answer.status == 200 and not provider.wrong, "it is not served", (whole, provider.wrong))
        expect(provider.accepted[-1]["messages"] == foreign, "a conversation has messages of another", provider.accepted[-1]["messages"])

def what_fits_is_sent_byte_for_byte(program):
    odd = b' {"model" : "m", "messages":[{"role":"user","content":"\\u0041 \xc3\xbc", "x": 1.50e1}],"temperature":1e0, "max_tokens":100}\n'
    with Provider() as provider, Proxy(program, provider.url) as proxy:
        for path in (OpenAI.path, Anthropic.path, "/v1/responses"):
            proxy.ask("POST", path, odd, OpenAI.headers)
            expect(provider.seen[-1]["body"] == odd, "the body is another", provider.seen[-1]["body"])

def what_is_changed_keeps_the_rest(program):
    members = '"seed":12345678901234567890123, "temperature":0.70'
    with Provider() as provider, Proxy(program, provider.url, "--window", "2000") as proxy:
        messages = long_talk(30, 500)
        proxy.ask("POST", "/v1/chat/completions", f'{{{members}, "messages": {json.dumps(messages)}, "max_tokens":100}}', OpenAI.headers)
        body = provider.seen[-1]["body"].decode()
        expect(members in body and len(json.loads(body)["messages"]) < len(messages), "other members have changed", body)
        expect(json.dumps(messages[-1]) in body, "a message that stays is spelt in another way", body)

def what_is_fixed_is_said(program):
    system, members = noise("system", 13_000), '"seed":1.50, "max_tokens" : 3000'
    body = f'{{"model": "m", {members}, "messages": {json.dumps([{"role": "system", "content": system}, *long_talk(3, 100)])}}}'
    for options, advice in ((("--window", "16000"), True), (("--window", "16000", "--least-free", "5"), False), (("--window", "16000", "--max-output", "200"), False),
                            (("--window", "9000"), True)):
        with Provider(window=10**9) as provider, Proxy(program, provider.url, *options) as proxy:
            for _ in range(2):
                answer, _ = proxy.ask("POST", OpenAI.path, body, OpenAI.headers)
            said = answer.getheader("X-Condense") or ""
            expect(bool(said) == advice and 2 >= proxy.log.count("for messages; raise --window") >= advice, f"{options}: what is fixed", (said, proxy.log))
            expect(said.startswith("does not fit: ") == ("9000" in options) and (not advice or " is the largest with " in said or "fixed " in said), "what does not fit", said)
            sent = provider.seen[-1]["body"].decode()
            expect(sent == (body.replace("3000", "200") if "--max-output" in options else body) or "9000" in options, "another body", sent[-500:])

def a_system_text_may_change(program):
    with Provider() as provider, Proxy(program, provider.url, "--window", "8000") as proxy:
        talk = long_talk(60, 900)
        for at in (-4, -2, None):
            post(proxy, OpenAI, [{"role": "system", "content": f"It is {at} o'clock."}, *talk[:at]])
        before, after = (request["messages"] for request in provider.accepted[-2:])
        expect(len(after) < 40 and after[1:len(before)] == before[1:] and "None o'clock" in after[0]["content"], "it is reduced anew", after)

def it_says_what_it_has_done(program):
    with Provider() as provider, Proxy(program, provider.url, "--window", "8000") as proxy:
        converse(proxy, provider, OpenAI, 20, False)
        proxy.ask("GET", "/v1/models")
        lines = [[int(figure.replace(",", "")) for figure in found] for found in re.findall(r"tokens ([\d,]+) to ([\d,]+)", proxy.log)]
        seen = json.loads(proxy.ask("GET", "/condense/status?x=1")[1])
        expect((seen["conversations"], seen["requests"], seen["chats"]) == (1, 41, 40), "other requests", seen)
        expect((seen["tokens"], seen["tokens_sent"]) == tuple(map(sum, zip(*lines))), "other tokens than the log has", (seen, lines))
        kept = sum(plain(after["messages"][:len(before["messages"])]) == plain(before["messages"]) for before, after in zip(provider.accepted, provider.accepted[1:]))
        expect(seen["breaks"] == 39 - kept > 0, f"{39 - kept} requests begin in another way", seen)
        answer, whole = proxy.ask("GET", "/condense/status", headers={"Accept": "text/html,*/*"})
        expect(answer.getheader("Content-Type").startswith("text/html") and b"41, 40 of them chats" in whole, "the page", whole)
        expect(all("condense" not in request["path"] for request in provider.seen), "it was forwarded")

def roles_alternate_where_that_is_asked_for(program):
    messages = long_talk(30, 500)
    for shape in (OpenAI, Anthropic):
        with Provider() as provider, Proxy(program, provider.url, "--window", "2000", "--alternate") as proxy:
            post(proxy, shape, messages)
            sent = json.loads(provider.seen[-1]["body"])["messages"]
            roles = [m["role"] for m in sent if m["role"] != "system"]
            expect(len(sent) < len(messages), "nothing was reduced", sent)
            expect(all(one != other for one, other in zip(roles, roles[1:])), "roles do not alternate", roles)
            expect(sent[-1]["content"].endswith("\n\n" + messages[-1]["content"]), "what the user said last is not there", sent[-1])

def what_is_not_understood_passes(program):
    bodies = [b"", b"no JSON", b"{", b"[]", b"{}", b'{"messages":7}', b'{"messages":[]}', b'{"messages":[7]}', b"\xff\xfe",
              b'{"messages":[{"role":"user","parts":[{"text":"x"}]}]}', b"[" * 100_000,
              b'{"model":7,"max_tokens":-1,"system":7,"tools":7,"messages":[{"role":"user","content":"x"}]}']
    with Provider() as provider, Proxy(program, provider.url) as proxy:
        for body in bodies:
            answer, whole = proxy.ask("POST", OpenAI.path, body, OpenAI.headers)
            expect(provider.seen[-1]["body"] == body and answer.status == 400 and b"ill-formed" in whole, "it did not pass", (body[:99], whole))
        expect(len(provider.seen) == len(bodies), "a request was sent twice")
        reasons = re.findall(r" 400: passed on, (.*)$", proxy.log, re.M)
        expect(len(reasons) == len(bodies) - 2, "the log says why", proxy.log)  # two are understood
        for reason in ("parse_json", "an array of messages is wanted", "it has no messages", "message 0 with members"):
            expect(any(reason in each for each in reasons), f"the log does not say: {reason}", proxy.log)

def what_cannot_fit_is_refused_by_the_provider(program):
    with Provider() as provider, Proxy(program, provider.url) as proxy:
        messages = [{"role": "user", "content": noise("long", 80_000)}]
        answer, whole = post(proxy, OpenAI, messages)
        expect(answer.status == 400 and b"context_length_exceeded" in whole, "the provider's refusal is lost", whole)
        expect(json.loads(provider.seen[-1]["body"])["messages"] == messages, "the latest user message was changed")
        expect(provider.refused <= 5, f"{provider.refused} tries")

def other_requests_pass(program):
    with Provider() as provider, Proxy(program, provider.url + "/base/") as proxy:
        for method in ("GET", "DELETE", "OPTIONS", "POST", "PUT", "PATCH"):
            answer, whole = proxy.ask(method, "/v1/models/a%20b?limit=2&after=x%2Fy")
            expect(answer.status == 200 and json.loads(whole) == {"seen": method + " /base/v1/models/a%20b?limit=2&after=x%2Fy"}, method, whole)
        answer, whole = proxy.ask("HEAD", "/v1/models")
        expect(answer.status == 200 and whole == b"" and int(answer.getheader("Content-Length")) > 10, "HEAD", answer.getheaders())
    with Provider() as provider, Proxy(program, provider.url) as proxy:
        answer, _ = proxy.ask("GET", "/v1/models")
        expect(answer.getheader("X-Kept") == "yes" and answer.getheader("X-Dropped") is None, "headers of the answer", answer.getheaders())
        answer, whole = proxy.ask("GET", "/redirect")
        expect(answer.status == 302 and answer.getheader("Location") == provider.url + "/elsewhere" and whole == b"moved", "a redirection", whole)
        expect(provider.seen[-1]["path"] == "/redirect", "it was followed", provider.seen[-1])
        answer, whole = proxy.ask("POST", "/limited", b"{}", OpenAI.headers)
        expect(answer.status == 429 and answer.getheader("Retry-After") == "17", "a rate limit", whole)
        answer, whole = proxy.ask("GET", "/packed")
        expect(answer.getheader("Content-Encoding") == "gzip" and whole == b"\x1f\x8b no gzip in truth", "a packed answer", whole)
        answer, whole = proxy.ask("POST", OpenAI.path, json.dumps(OpenAI.request(OpenAI.start() + [OpenAI.said(0, "x")], False)))
        expect(answer.status == 401, "a wrong key", whole)

def bodies_of_any_kind_pass(program):
    form = b'--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n\x00\xff\r\n--b--\r\n'
    with Provider() as provider, Proxy(program, provider.url) as proxy:
        for kind, body, more in (("multipart/form-data; boundary=b", form, {}), ("application/x-www-form-urlencoded", b"a=" + b"b" * 20_000, {}),
                                 ("application/json", gzip.compress(b'{"messages":[]}'), {"Content-Encoding": "gzip"}), ("audio/wav", bytes(range(256)), {})):
            proxy.ask("POST", "/v1/files", body, {"Content-Type": kind, **more})
            seen = provider.seen[-1]
            expect(seen["body"] == body and seen["headers"]["content-type"] == kind, "a body has changed", seen)
            expect(seen["headers"].get("content-encoding") == more.get("Content-Encoding"), "its encoding is lost", seen)
        proxy.ask("POST", "/v1/files", iter([b"in ", b"pieces"]), {"Transfer-Encoding": "chunked"})
        expect(provider.seen[-1]["body"] == b"in pieces", "a body in chunks", provider.seen[-1])

def headers_pass_but_for_those_of_the_connection(program):
    with Provider() as provider, Proxy(program, provider.url) as proxy:
        answer, _ = proxy.ask("POST", "/v1/x?key=" + KEY, b"{}", {
            "Authorization": "Bearer " + KEY, "x-api-key": KEY, "anthropic-version": "2023-06-01", "anthropic-beta": "a,b", "OpenAI-Organization": "org",
            "Accept-Encoding": "gzip, br", "Connection": "X-Hop, close", "X-Hop": "1", "Keep-Alive": "timeout=5", "TE": "trailers",
            "Proxy-Authorization": "Basic x", "Upgrade": "h2c", "X-Inject": "a%0d%0aX-Injected: 1", "REMOTE_ADDR": "1.2.3.4"})
        expect(answer.status == 200, "it did not pass")
        seen = provider.seen[-1]["headers"]
        given = {"authorization": "Bearer " + KEY, "x-api-key": KEY, "anthropic-version": "2023-06-01", "anthropic-beta": "a,b", "openai-organization": "org",
                 "host": provider.url.removeprefix("http://"), "content-length": "2", "x-inject": "a%0d%0aX-Injected: 1", "remote_addr": "1.2.3.4"}
        expect(seen == given, "other headers arrived", seen)
        expect(KEY not in proxy.log, "a key is in the log", proxy.log)

def streams_arrive_as_they_come(program):
    with Provider() as provider, Proxy(program, provider.url) as proxy:
        answer = proxy.open("POST", "/gated", b"{}")
        expect(answer.readline() == b"data: first\n", "the first event does not come alone")
        expect(not provider.gate.is_set(), "")
        provider.gate.set()
        expect(answer.read() == b"\ndata: second\n\n", "the second event does not come")

def what_is_cut_does_not_look_whole(program):
    with Provider() as provider, Proxy(program, provider.url) as proxy:
        for path in ("/cut", "/cut/plain"):
            answer = proxy.open("GET", path)
            try:
                whole = answer.read()
            except (http.client.IncompleteRead, ConnectionResetError):
                continue
            expect(False, f"{path} looks whole", whole)

def a_client_that_leaves_ends_the_request(program):
    for path in ("/endless", "/quiet"):
        with Provider() as provider, Proxy(program, provider.url) as proxy:
            answer = proxy.open("POST", path, b"{}")
            expect(answer.readline().startswith(b"data: "), "no event")
            answer.close()
            answer.there.close()
            expect(provider.hung_up.wait(10), f"{path} goes on without its client")

def a_silent_provider_is_given_up(program):
    with Provider() as provider, Proxy(program, provider.url, "--silence", "1") as proxy:
        began = time.monotonic()
        answer, whole = proxy.ask("GET", "/silent")
        expect(answer.status == 502 and time.monotonic() - began < 7 and json.loads(whole)["error"]["type"] == "proxy_error", "it waits", whole)
    with Proxy(program, "http://127.0.0.1:9") as proxy:
        answer, whole = proxy.ask("POST", OpenAI.path, b"{}", OpenAI.headers)
        expect(answer.status == 502 and "message" in json.loads(whole)["error"], "nobody is there", whole)
        expect(" 502" in proxy.log or proxy.wait_for(lambda lines: " 502" in lines[-1], "no line") is None, "no line")

def large_bodies_are_refused(program):
    with Provider() as provider, Proxy(program, provider.url, "--most", "1") as proxy:
        answer, whole = proxy.ask("POST", OpenAI.path, b" " * (1 << 20), OpenAI.headers)
        expect(answer.status == 400, "a megabyte is allowed", whole)
        seen = len(provider.seen)
        for head, piece in ((b"Content-Length: 3000000\r\n\r\n", b""), (b"Transfer-Encoding: chunked\r\n\r\n", b"10000\r\n" + b"x" * 65536 + b"\r\n")):
            with socket.create_connection(("127.0.0.1", proxy.port), PATIENCE) as there:
                there.sendall(b"POST /v1/messages HTTP/1.1\r\nHost: x\r\n" + head)
                try:
                    for _ in range(1000 if piece else 0):
                        there.sendall(piece)
                except (BrokenPipeError, ConnectionResetError):
                    continue
                got = there.recv(100)
                expect(got.startswith(b"HTTP/1.1 413 "), "not refused as too large", got)
        proxy.wait_for(lambda lines: "".join(lines).count(" 413") == 2, "not two refusals")
        expect(len(provider.seen) == seen, "it was forwarded")

def paths_stay_under_the_base(program):
    with Provider() as provider, Proxy(program, provider.url + "/base") as proxy:
        for target in ("/../x", "/v1/../../x", "/v1/%2e%2E/x", "/v1/.%2e", "/./x", "/v1%2f..%2fx", "/v1/..", "/..\\x", "/%5c..%5cx", "http://127.0.0.1:9/x",
                       "@127.0.0.1:9/x", "/" + "x" * 8500):
            with socket.create_connection(("127.0.0.1", proxy.port), PATIENCE) as there:
                there.sendall(f"GET {target} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
                got = there.recv(100)
            expect(got.startswith(b"HTTP/1.1 4"), f"{target[:50]} is not refused", got)
        expect(not provider.seen, "it was forwarded", provider.seen)
        proxy.ask("GET", "//evil/x")
        expect(provider.seen[-1]["path"] == "/base//evil/x", "another host", provider.seen[-1])
        proxy.ask("GET", "/" + "x" * 7990)
        expect(provider.seen[-1]["path"] == "/base/" + "x" * 7990, "a long path does not pass")

def a_connection_has_one_request(program):
    """So nothing that is left of its body is taken for another."""
    with Provider() as provider, Proxy(program, provider.url) as proxy:
        for head in (b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", b"Content-Length: 0\r\nContent-Length: 90\r\n\r\n", b"\r\n"):
            with socket.create_connection(("127.0.0.1", proxy.port), PATIENCE) as there:
                there.sendall(b"POST /v1/x HTTP/1.1\r\nHost: x\r\n" + head)
                try:
                    got = there.recv(4096)
                    there.sendall(b"GET /v1/smuggled HTTP/1.1\r\nHost: x\r\n\r\n")
                    while got:
                        got = there.recv(4096)
                except (BrokenPipeError, ConnectionResetError):
                    pass
        expect({seen["path"] for seen in provider.seen} == {"/v1/x"}, "a second request was read", provider.seen)

def many_clients_at_a_time(program):
    import concurrent.futures
    with Provider() as provider, Proxy(program, provider.url, "--window", "3000", "--threads", "8") as proxy:
        def talk(number):
            messages = [{"role": "user", "content": f"I am {number % 5}."}]  # some say the same
            for turn in range(12):
                answer, whole = post(proxy, OpenAI, messages, turn % 2 == 1)
                if answer.status != 200 or json.loads(json.dumps(provider.wrong)):
                    return whole
                messages += [{"role": "assistant", "content": noise((number, turn), 900)}, {"role": "user", "content": f"{task(turn)} I am {number % 5}."}]
            return b""
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            expect(set(pool.map(talk, range(16))) == {b""}, "not all are answered", provider.wrong)
        for request in provider.accepted:
            first, last = request["messages"][0]["content"], request["messages"][-1]["content"]
            expect(first.startswith("I am ") and last.endswith(first), "the task is lost, or another's", (first, last))

def others_cannot_reach_it_by_default(program):
    for options, status in ((["--listen", "0.0.0.0:0"], 2), (["--listen", "192.168.1.1:80"], 2), (["--listen", "127.0.0.1"], 2), (["--listen", ":80"], 2),
                            (["--forward", "ftp://x"], 2), (["--forward", "http://user:word@x"], 2), (["--forward", "https://x?y"], 2), (["--mix", "x"], 2), (["--keep", "/proc/none"], 2)):
        done = subprocess.run([program, "--forward", "https://example.com", *options], capture_output=True, timeout=PATIENCE)
        expect(done.returncode == status and done.stderr.count(b"\n") == 1, f"{options}: {done.returncode}", done.stderr)
    with Provider() as provider, Proxy(program, provider.url, "--listen", "0.0.0.0:0", "--public") as proxy:
        done = subprocess.run([program, "--forward", "https://example.com", "--listen", f"0.0.0.0:{proxy.port}", "--public"], capture_output=True, timeout=PATIENCE)
        expect(done.returncode == 1, "two listen on one port", done.stderr)

def a_signal_before_it_listens_ends_it(program):
    def terminated():
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
        os.kill(os.getpid(), signal.SIGTERM)
    for _ in range(20):
        done = subprocess.run([program, "--forward", "https://example.com", "--listen", "127.0.0.1:0"], capture_output=True, timeout=30, preexec_fn=terminated)
        expect(done.returncode == 0, f"status {done.returncode}", done.stderr)

def little_room_holds_what_matters(program):
    """Instructions take most of the input: the task, the user's newest words, a record and names, the ends of the newest result stay."""
    rows = lambda k: [f"row {i} of {k}: path /srv/data/file_{k}_{i}.txt" for i in range(60)]
    for fixed in (8_000, 14_000, 17_500):
        with Provider(window=10**6) as provider, Proxy(program, provider.url, "--window", "32000") as proxy:
            talk = [{"role": "system", "content": "rule word " * (fixed // 2)}, {"role": "user", "content": "Change the port in server.toml to 8443."}]
            for k in range(14):
                if k == 9:
                    talk += [{"role": "assistant", "content": "Half of it is read."}, {"role": "user", "content": "Leave deploy.yaml alone."}]
                talk += [{"role": "assistant", "content": None, "tool_calls": [{"id": f"c{k}", "type": "function", "function": {"name": "read_file", "arguments": '{"path":"src/part_%d.cpp"}' % k}}]},
                         {"role": "tool", "tool_call_id": f"c{k}", "content": "\n".join(rows(k))}]
                proxy.ask("POST", OpenAI.path, json.dumps({"model": "gpt-4o", "max_tokens": 8_000, "messages": talk}), OpenAI.headers)
            sent = json.loads(provider.seen[-1]["body"])["messages"]
            whole = "\n".join(message.get("content") or "" for message in sent[1:])
            for wanted in ("Change the port in server.toml", "Leave deploy.yaml alone", "part_12.cpp", "file_12_", rows(13)[0], rows(13)[-1]):
                expect(wanted in whole, f"{fixed} words of instructions: '{wanted}' is not in what is sent", whole)

def what_is_cut_is_kept_where_that_is_asked_for(program):
    big = noise("log", 40_000)
    talk = [{"role": "user", "content": "Read it."}, {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "c", "content": big}]
    recall = {"type": "function", "function": {"name": "mcp__recall__read_artifact", "parameters": {"type": "object"}}}
    with Provider() as provider, tempfile.TemporaryDirectory() as folder:
        for options, tools, marker in [((), [], "ask for it again"), (("--keep", folder), [], "the whole is stored as"), (("--keep", folder), [recall], "read_artifact gives the whole of")]:
            with Proxy(program, provider.url, "--window", "12000", *options) as proxy:
                request = OpenAI.request(talk, False)
                request["tools"] += tools
                proxy.ask("POST", OpenAI.path, json.dumps(request), OpenAI.headers)
                sent = json.loads(provider.seen[-1]["body"])["messages"][2]["content"]  # it takes no other tools than its own
                expect(marker in sent and len(sent) < 20_000, f"{options}, {len(tools)} tools: the newest result is not cut so", sent[:300] + sent[-300:] + str(re.findall(r"\[[^]]*\]", sent)))
        expect([stored for _, _, names in os.walk(os.path.join(folder, "store")) for stored in names], "nothing is stored")
        asked = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}}},
                 {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "search_history", "arguments": {"query": big.split()[2_000]}}}]
        server = [os.path.join(os.path.dirname(program), "recall_server"), "--journal", folder + "/journal", "--store", folder + "/store", "--latest", "--all"]
        if os.path.exists(server[0]):
            found = subprocess.run(server, input="".join(json.dumps(line) + "\n" for line in asked), capture_output=True, timeout=PATIENCE, text=True)
            expect(big.split()[2_000] in found.stdout, "recall_server does not find it", found.stdout[:2_000] + found.stderr)

def a_history_that_the_provider_keeps_passes(program):
    body = b'{"model":"a-model-of-tests","previous_response_id":"r1","input":"Go on.", "store":true}'
    for options, sent in (((), body), (("--compact-at", "9000"), b'{"context_management":[{"type":"compaction","compact_threshold":9000}],' + body[1:])):
        with Provider() as provider, Proxy(program, provider.url, *options) as proxy:
            answer, _ = proxy.ask("POST", "/v1/responses", body, OpenAI.headers)
            expect(provider.seen[-1]["body"] == sent, f"{options}: it is changed otherwise", provider.seen[-1])
            expect("kept by the provider (previous_response_id)" in answer.headers["X-Condense"], "it is not said", answer.headers)

def a_client_is_started_with_its_base_url(program):
    asks = "import http.client, os, sys; there = http.client.HTTPConnection(os.environ['ANTHROPIC_BASE_URL'].split('//')[1]); there.request('GET', '/v1/models'); " \
           "ok = there.getresponse().status == 200 and os.environ['OPENAI_BASE_URL'] == os.environ['ANTHROPIC_BASE_URL'] + '/v1'; sys.exit(7 if ok else 1)"
    with Provider() as provider:
        with Proxy(program, provider.url) as one:  # ends with the second signal, where the client ignores the first
            stubborn = subprocess.Popen([program, "wrap", "--forward", one.url, "--", "sh", "-c", "trap '' TERM; sleep 60 & wait; sleep 60"])
            time.sleep(0.5)
            stubborn.terminate()
            time.sleep(0.5)
            stubborn.terminate()
            expect(stubborn.wait(PATIENCE) == 137, "a second signal does not end it")
        for command, status in ((["python3", "-c", asks], 7), (["sh", "-c", "kill -9 $$"], 137), (["/none"], 127), ([], 2)):
            done = subprocess.run([program, "wrap", "--forward", provider.url, "--", *command], capture_output=True, timeout=PATIENCE)
            expect(done.returncode == status and done.stderr.count(b"\n") == (1 if status in (2, 127) else 0), f"{command}: {done.returncode}", done.stderr)

ALL = [*checks_of(CONVERSATIONS, long_conversation), *checks_in(globals(), "program")]
