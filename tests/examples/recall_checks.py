# SPDX-License-Identifier: BSL-1.0
"""What the example `recall_server` answers: to the protocol, to hostile lines, and to tools on transcripts, journals and stores."""

import json
import os
import random
import re
import subprocess

from checks import checks_in, expect
from recall_talk import PATIENCE, TOOLS, Server, artifacts_to_database, claude, codex, journal_to_database, request, run, write

NO_JSON, WRONG_REQUEST, UNKNOWN_METHOD, WRONG_PARAMETERS = -32700, -32600, -32601, -32602

def on_transcript(chosen, *more):
    write("talk.jsonl", claude(0, "Where is the harbour key?") + claude(1, [{"type": "text", "text": "Below the mat."}], "assistant"))
    return Server(chosen, "--transcript", "talk.jsonl", *more)

def versions_are_agreed_on(chosen):
    with on_transcript(chosen) as server:
        for wanted, given in [("2024-11-05",) * 2, ("2025-03-26",) * 2, ("2025-06-18",) * 2, ("2099-01-01", "2025-06-18"), ("", "2025-06-18")]:
            result = server.ask("initialize", {"protocolVersion": wanted, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}})
            expect(result["protocolVersion"] == given, f"{wanted}: another version", result)
            expect(result["capabilities"] == {"tools": {}} and result["serverInfo"]["name"] == "recall" and result["serverInfo"]["version"], "initialize", result)
            expect("`search_history`" in result["instructions"] and "read_artifact" not in result["instructions"], "instructions", result["instructions"])
        server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        expect(server.ask("ping") == {} and server.ask("ping", {"_meta": {}}) == {}, "ping")
        tools = server.ask("tools/list", {})["tools"]
        expect([each["name"] for each in tools] == TOOLS[3:], "the tools of a transcript", tools)
        expect(all(each["description"] and each["inputSchema"]["type"] == "object" for each in tools), "definitions", tools)

def errors_have_their_codes(chosen):
    call = lambda **params: request("tools/call", params)
    with on_transcript(chosen) as server:
        for line in [b"{", b"nothing", b'{"jsonrpc":"2.0","id":1,"method":"ping"} {}', b"\xff\xfe", b'{"jsonrpc":"2.0","id":1,"method":"\xc3("}', b"\0"]:
            expect(server.refused(line) == (NO_JSON, None), f"no JSON: {line}")
        for message in [[], 7, "ping", b'"\\ud800"', None, {}, {"id": True}, {"jsonrpc": "2.0"}, {"jsonrpc": "1.0", "method": "ping"}, {"method": "ping"}, {"jsonrpc": 2.0, "method": "ping"},
                        {"jsonrpc": "2.0", "method": 7}, request("ping", key=None), request("ping", key={}), request("ping", key=[1]), request("ping", key=True), {"jsonrpc": "2.0", "id": 1.5e300, "method": "ping"}]:
            expect(server.refused(message) == (WRONG_REQUEST, None), f"no request: {message}")
        expect(server.refused({"jsonrpc": "2.0", "id": "a"}) == (WRONG_REQUEST, "a"), "the id of a request without a method")
        for method in ["", "tools/List", "resources/list", "server/discover", "initialize ", "notifications/initialized", "\x1b[2J", "p" * 100_000]:
            expect(server.refused(request(method)) == (UNKNOWN_METHOD, 1), f"no method: {method[:20]}")
        for message in [request("ping", [1]), request("ping", "x"), request("initialize"), request("initialize", {"protocolVersion": 7}), request("tools/call"), call(), call(name=7),
                        call(name=""), call(name="read_artifact"), call(name="../x"), call(name="mcp__recall__read_message"), call(name="read_message", arguments="{}"),
                        call(name="read_message", arguments=[0])]:
            expect(server.refused(message) == (WRONG_PARAMETERS, 1), f"params: {message}")
        # What is wrong for a tool is told to the model.
        for tool, arguments in [("read_message", {}), ("read_message", {"number": -1}), ("read_message", {"number": 99}), ("search_history", {}), ("search_history", {"query": 7}),
                                ("read_message", {"number": 0, "conversation": "elsewhere"})]:
            expect(server.call(tool, is_error=True, **arguments).startswith("error: "), f"{tool} {arguments}")
        expect("mat" in server.call("read_message", number=1), "it goes on")

def ids_come_back_exactly(chosen):
    with on_transcript(chosen) as server:
        for key in [0, -1, 7, 2**53, 2**63 - 1, -2**63, 2**64 - 1, 1.5, -0.25, "", "7", "\u00fc\U0001F600\"\\\n\u2028", "x" * 1_000_000]:
            server.send(request("ping", key=key))
            found = server.answer()
            expect(found["id"] == key and type(found["id"]) is type(key), f"another id than {str(key)[:40]}", str(found)[:200])
        expect(server.refused(request("ping", key=2**64 + 1)) == (WRONG_REQUEST, None), "a number that cannot be held")

def notifications_and_answers_are_not_answered(chosen):
    with on_transcript(chosen) as server:
        for message in [{"method": "notifications/initialized"}, {"method": "notifications/cancelled", "params": {"requestId": 1}}, {"method": "tools/list"}, {"method": "no/such"},
                        {"method": "ping", "params": [1]}, {"id": 5, "result": {}}, {"id": 5, "error": {"code": 1, "message": "x"}}]:
            server.send({"jsonrpc": "2.0", **message})
        for line in [b"", b"  ", b"\r", b"\t"]:
            server.send(line)
        expect(server.ask("ping") == {}, "what was answered first is the ping")

def batches(chosen):
    with on_transcript(chosen) as server:
        server.send([request("ping", key="a"), {"jsonrpc": "2.0", "method": "notifications/initialized"}, 7, request("no/such", key=2), [request("ping")],
                     request("initialize", {"protocolVersion": "2025-03-26"}, key=3), request("tools/call", {"name": "read_message", "arguments": {"number": 1}}, key=4)])
        found = server.answer()
        expect([(each["id"], each.get("error", {}).get("code")) for each in found] ==
               [("a", None), (None, WRONG_REQUEST), (2, UNKNOWN_METHOD), (None, WRONG_REQUEST), (3, WRONG_REQUEST), (4, None)], "the answers of a batch", found)
        expect("mat" in found[-1]["result"]["content"][0]["text"], "a call in a batch", found)
        server.send([{"jsonrpc": "2.0", "method": "notifications/initialized"}] * 3)
        server.send([request("ping", key=each) for each in range(100)])
        expect([each["id"] for each in server.answer()] == list(range(100)), "a batch of notifications has no answer, one of requests has all")
        expect(server.refused([request("tools/list")] * 101) == (WRONG_REQUEST, None), "a batch whose answer would be much larger")

def long_lines_are_not_held(chosen):
    with on_transcript(chosen) as server:
        server.send(json.dumps(request("ping", {"x": "y" * (16 * 2**20 - 100)})).encode())
        expect("result" in server.answer(), "almost 16 MiB")
        expect(server.refused(b'"' + b"x" * (16 * 2**20) + b'"') == (WRONG_REQUEST, None), "a line over 16 MiB")
        before = server.peak()
        for _ in range(96):  # of one line
            server.child.stdin.write(b"x" * 2**20)
        expect(server.refused(b"") == (WRONG_REQUEST, None), "a line of 96 MiB")
        expect(server.peak() - before < 72 * 2**20, "memory for a line that is refused", server.peak() - before)
        expect(server.ask("ping") == {}, "the next line")

def deep_nesting_is_refused(chosen):
    with on_transcript(chosen) as server:
        for bomb in [b"[" * 1_000_000, b'{"a":' * 1_000_000, b"[" * 5_000 + b"]" * 5_000, b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":' + b'{"a":' * 200 + b"1" + b"}" * 200 + b"}"]:
            expect(server.refused(bomb) == (NO_JSON, None), "a bomb")
        server.send(request("ping", {"x": json.loads("[" * 120 + "]" * 120)}))
        expect("result" in server.answer(), "what is deep, and not too deep")

def damaged_lines_have_one_answer_or_none(chosen):
    chance = random.Random(7)
    whole = [json.dumps(each).encode() for each in (request("initialize", {"protocolVersion": "2025-06-18"}), request("tools/list", key="\u00fc"), [request("ping"), request("ping", key=2)],
                                                    request("tools/call", {"name": "search_history", "arguments": {"query": "harbour", "conversation": "talk.jsonl"}}))]
    with on_transcript(chosen) as server:
        for at in range(400):
            line = bytearray(chance.choice(whole))
            for _ in range(chance.randint(1, 4)):
                place = chance.randrange(len(line))
                line[place:place + chance.randint(0, 3)] = bytes(chance.choice(b'{}[]",:\\0x\xff\x00\x80eE-.') for _ in range(chance.randint(0, 3)))
            server.send(bytes(line).replace(b"\n", b" "))
            server.send(request("ping", key=f"after {at}"))
            seen = server.answer()
            if seen != {"jsonrpc": "2.0", "id": f"after {at}", "result": {}}:
                seen = server.answer()
            expect(seen == {"jsonrpc": "2.0", "id": f"after {at}", "result": {}}, f"more than one answer to {bytes(line)}", seen)

def ends_with_its_input(chosen):
    write("talk.jsonl", claude(0, "x"))
    for given, answers in [(b"", 0), (b"\n", 0), (json.dumps(request("ping")).encode(), 1), (json.dumps(request("ping")).encode() + b"\r\n" + json.dumps(request("ping")).encode() + b"\n", 2), (b"{", 1)]:
        done = subprocess.run([chosen.program, "--transcript", "talk.jsonl"], input=given, capture_output=True, timeout=PATIENCE)
        expect(done.returncode == 0 and done.stderr == b"" and done.stdout.count(b"\n") == answers == len(done.stdout.splitlines()), f"{given}", done)
    # Nobody reads what is said.
    child = subprocess.Popen([chosen.program, "--transcript", "talk.jsonl"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    child.stdout.close()
    child.stdin.write(json.dumps(request("ping")).encode() + b"\n")
    child.stdin.flush()
    expect(child.wait(PATIENCE) == 1 and child.stderr.read() == b"recall_server: standard output cannot be written\n", "it is killed by a pipe, or does not end", child.returncode)
    child.stdin.close()
    child.stderr.close()

def wrong_usage_is_refused(chosen):
    write("talk.jsonl", claude(0, "x"))
    for options in [[], ["--all"], ["--fly"], ["--transcript"], ["--transcript", ""], ["--journal", ""], ["--store", ""], ["--transcript", "talk.jsonl", "--journal", "sessions"],
                    ["--transcript", "talk.jsonl", "--most", "179"], ["--transcript", "talk.jsonl", "--most", "3601"], ["--transcript", "talk.jsonl", "--most", "many"],
                    ["--transcript", "talk.jsonl", "another"], ["--x\x1b[2J", "y"]]:
        done = subprocess.run([chosen.program, *options], input=b"", capture_output=True, timeout=PATIENCE)
        expect(done.returncode == 2 and done.stdout == b"" and b"usage: recall_server " in done.stderr and b"\x1b" not in done.stderr, f"{options}: no reason, or an output", done)
    done = subprocess.run([chosen.program, "--help"], capture_output=True, timeout=PATIENCE)
    expect(done.returncode == 0 and all(each in done.stdout for each in [b"--journal", b"--store", b"--conversation", b"--all", b"--transcript", b"--most"]), "--help", done)

def transcripts_of_agent_programs_are_read(chosen):
    write("claude.jsonl", '{"type":"summary","summary":"Harbour works","leafUuid":"x"}\n' + claude(0, "Look for the \u00fcber key.") + claude(1, [
        {"type": "thinking", "thinking": "hm", "signature": "AbC="}, {"type": "text", "text": "I look."}, {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls harbour"}}], "assistant") +
        claude(2, [{"type": "tool_result", "tool_use_id": "t1", "content": "crane\nmooring\n"}]))
    write("rollout.jsonl", codex({"id": "s", "cwd": "/work"}, "session_meta") + codex({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Count the cranes."}]}) +
          codex({"type": "function_call", "name": "shell", "arguments": '{"command":["ls"]}', "call_id": "c1"}) + codex({"type": "function_call_output", "call_id": "c1", "output": "seven cranes"}) +
          codex({"type": "agent_message", "message": "There are seven."}, "event_msg"))
    write("chat.json", json.dumps({"model": "m", "messages": [{"role": "user", "content": "Which tide?"}, {"role": "assistant", "content": "Low tide."}]}, indent=2))
    write("array.json", json.dumps([{"role": "user", "parts": [{"text": "Which wind?"}]}, {"unheard": {"of": "north-west"}}, "a string"]))
    for name, texts in [("claude.jsonl", ["Harbour works", "user: Look for the \u00fcber key.", "assistant: I look.\nassistant called Bash: {\"command\":\"ls harbour\"}", "result of a call: crane\nmooring"]),
                        ("rollout.jsonl", ["cwd: /work", "user: Count the cranes.", "assistant called shell: {\"command\":[\"ls\"]}", "result of a call: seven cranes", "message: There are seven."]),
                        ("chat.json", ["user: Which tide?", "assistant: Low tide."]), ("array.json", ["user: Which wind?", "of: north-west", "a string"])]:
        with Server(chosen, "--transcript", name) as server:
            for number, text in enumerate(texts):
                seen = server.call("read_message", number=number)
                expect(text in seen and seen.startswith(f"read_message: message {number}, "), f"{name}: message {number}", seen)
                expect("parentUuid" not in seen, "what is no part of the message", seen)
            server.call("read_message", is_error=True, number=len(texts))
            expect(server.call("list_sessions") == f"{name} (this one), {len(texts)} entries\n", "list_sessions", server.call("list_sessions"))
            word = texts[-1].split()[-1]
            expect(f"message {len(texts) - 1}" in server.call("search_history", query=word), f"{name}: {word} is not found")
            expect(server.call("recent_history", count=1).startswith(f"recent_history:\nmessage {len(texts) - 1}: "), f"{name}: the latest")
            expect(server.call("search_history", query="zeppelin") == "search_history:\nnothing holds any of these words", "what is nowhere")

def a_transcript_may_grow(chosen):
    with Server(chosen, "--transcript", "later.jsonl") as server:
        count = lambda: server.call("list_sessions").split(", ")[1].split()[0]
        expect(count() == "0" and server.call("recent_history") == "there are no messages", "a file that is still to come")
        write("later.jsonl", claude(0, "first"))
        expect(count() == "1", "a file that has come")
        last = claude(2, "a line with \u00fc that is torn")
        write("later.jsonl", claude(1, "second") + last[:-30], "a")
        expect(count() == "2" and "torn" not in server.call("search_history", query="torn"), "a torn line")
        write("later.jsonl", last[-30:-1], "a")
        expect(count() == "3" and "message 2" in server.call("search_history", query="torn"), "its rest, still without an end")
        write("later.jsonl", "\n" + claude(3, "fourth").rstrip("\n"), "a")
        expect(count() == "4" and "fourth" in server.call("read_message", number=3), "the line behind it")
        write("later.jsonl", b'\n{"type":"user","message":{"role":"user","content":"ill-formed \xff bytes"}}\nnot JSON\n[1]\n\n7\n' + claude(5, "sixth").encode(), "a")
        expect(count() == "6" and "bytes" in server.call("read_message", number=4) and "sixth" in server.call("read_message", number=5), "damaged lines")
        deep = '{"message":' * 200 + "1" + "}" * 200 + "\n"
        write("later.jsonl", deep + claude(6, "seventh"), "a")
        expect(count() == "7" and "seventh" in server.call("read_message", number=6), "a line that is nested too deep")
        # Another file in its place: of more, of the same, and of less.
        write("later.jsonl", claude(0, "new " + "x" * 5_000) + claude(1, "text"))
        expect(count() == "2" and "message 0" in server.call("search_history", query="new"), "a longer file in its place")
        write("later.jsonl", claude(0, "old " + "x" * 5_000) + claude(1, "text"))
        stamp("later.jsonl")
        expect("message 0" in server.call("search_history", query="old") and "nothing" in server.call("search_history", query="new"), "one of the same size")
        write("later.jsonl", claude(0, "little"))
        expect(count() == "1" and "little" in server.call("read_message", number=0), "a shorter one")
        write("later.jsonl", claude(0, "hidden"))
        stamp("later.jsonl")
        os.chmod("later.jsonl", 0)
        expect(os.access("later.jsonl", os.R_OK) or "little" in server.call("read_message", number=0), "what was read stays when the file cannot be read")
        os.chmod("later.jsonl", 0o600)
        expect("hidden" in server.call("read_message", number=0), "one that can be read again")
        os.remove("later.jsonl")
        expect(count() == "1", "what was read stays when the file goes")
        os.mkdir("later.jsonl")
        expect(count() == "1", "a folder is no file")
        os.rmdir("later.jsonl")
        os.mkfifo("later.jsonl")
        expect(count() == "1", "a pipe is no file, and is not waited for")
    expect(server.log == b"recall_server: later.jsonl: there is no such file yet\n", "what is noted, once", server.log)

def stamp(path):
    """So that the time of its change is another one, however coarse the clock and busy the machine."""
    about = os.stat(path)
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns + 60_000_000_000))

def what_is_read_once_is_not_read_again(chosen):
    write("talk.jsonl", "".join(claude(at, f"step {at}") for at in range(50)))
    with Server(chosen, "--transcript", "talk.jsonl") as server:
        expect("message 0" in server.call("search_history", query="step 0"), "the beginning")
        with open("talk.jsonl", "r+b") as file:  # changed behind its back, where it has been
            file.write(claude(0, "leap 0").encode())
        write("talk.jsonl", claude(50, "step 50"), "a")
        expect("step 50" in server.call("read_message", number=50) and "step 0" in server.call("read_message", number=0), "only what was appended is read")

def a_document_may_grow(chosen):
    messages = [{"role": "user", "content": f"step {at}"} for at in range(3)]
    write("chat.json", json.dumps(messages, indent=1))
    with Server(chosen, "--transcript", "chat.json") as server:
        count = lambda: server.call("list_sessions").split(", ")[1].split()[0]
        expect(count() == "3", "three")
        messages += [{"role": "assistant", "content": "it is done"}]
        whole = json.dumps(messages, indent=1)
        for size in (10, len(whole) // 2, len(whole) - 1):
            write("chat.json", whole[:size])
            expect(count() == "3", f"a document that is being written: {size}")
        rows = "[\n" + ",\n".join(json.dumps(each) for each in messages)  # of which the last one stands alone
        for size in (len(rows) - 5, len(rows)):
            write("chat.json", rows[:size])
            expect(count() == "3", f"a document of a message a line that is being written: {size}")
        write("chat.json", rows + "\n]")
        expect(count() == "4", "its end")
        write("chat.json", whole)
        stamp("chat.json")
        expect(count() == "4" and "it is done" in server.call("read_message", number=3), "four")
        write("chat.json", "[]")
        stamp("chat.json")
        write("chat.json", "")
        expect(count() == "0", "an empty file")

def several_transcripts_are_several_conversations(chosen):
    for folder in ("a", "b", "c"):
        os.mkdir(folder)
    write("a/talk.jsonl", claude(0, "the anchor is in a"))
    write("b/talk.jsonl", claude(0, "the buoy is in b"))
    write("c/other.jsonl", claude(0, "the cable is in c"))
    write("secret.jsonl", claude(0, "the dock is nowhere"))
    with Server(chosen, "--transcript", "a/talk.jsonl", "--transcript", "b/talk.jsonl", "--transcript", "c/other.jsonl") as server:
        sessions = server.call("list_sessions")
        expect(sorted(re.findall(r"^(\S+)(?: \(this one\))?, 1 entries", sessions, re.M)) == ["b/talk.jsonl", "other.jsonl", "talk.jsonl"] and "other.jsonl (this one)" in sessions, "three", sessions)
        stamp("a/talk.jsonl")
        expect(server.call("list_sessions").startswith("talk.jsonl"), "the latest first")
        expect("cable" in server.call("read_message", number=0), "the last one is its own")
        for name, word in [("talk.jsonl", "anchor"), ("b/talk.jsonl", "buoy"), ("other.jsonl", "cable")]:
            expect(word in server.call("search_history", query="the is in", conversation=name), f"{name} is granted")
        for name in ("secret.jsonl", "c/other.jsonl", "", "../a/talk.jsonl"):
            server.call("read_message", is_error=True, number=0, conversation=name)
        expect("anchor" not in server.call("search_history", query="anchor"), "a search is of one conversation")
    with Server(chosen, "--transcript", "a/talk.jsonl", "--transcript", "c/other.jsonl", "--conversation", "mine") as server:
        expect("mine (this one)" in server.call("list_sessions") and "cable" in server.call("read_message", number=0, conversation="mine"), "its own has the name that is given")

def journals_and_stores(chosen):
    run(os.path.join(chosen.examples, "keep_originals"))  # folders `sessions` and `artifacts` of the conversation "logs"
    write("chat.json", json.dumps([{"role": "user", "content": "Where is the lighthouse?"}, {"role": "assistant", "content": "On the pier."}]))
    run(os.path.join(chosen.examples, "reduce_file"), "chat.json", "--journal", "sessions", "--conversation", "lights")  # messages as JSON
    files = {("logs" if os.path.getsize(os.path.join("sessions", each)) > 100_000 else "lights"): os.path.join("sessions", each) for each in os.listdir("sessions")}
    artifacts_to_database("artifacts", "artifacts.db")
    for name in ("logs", "lights"):
        journal_to_database(name, files[name], "sessions.db")
    references = sorted(each for each in os.listdir("artifacts") if len(each) == 24)
    for journal, store in [("sessions", "artifacts"), ("sessions.db", "artifacts.db"), ("sessions", "artifacts.db"), ("sessions.db", "artifacts")]:
        with Server(chosen, "--journal", journal, "--store", store, "--conversation", "logs") as server:
            expect(server.tools() == TOOLS, "the tools", server.tools())
            text = server.ask("initialize", {"protocolVersion": "2025-06-18"})["instructions"]
            expect(all(f"`{each}`" in text for each in TOOLS), "the instructions", text)
            expect("user: Read log 0." in server.call("read_message", number=0) and "assistant called read_log: {}" in server.call("read_message", number=1), "messages")
            expect(re.search(r"^message 119(, [\d :-]+)?: assistant: Nothing unusual\. $", server.call("recent_history"), re.M), "the latest", server.call("recent_history"))
            expect(server.call("search_history", query="log 17").startswith("search_history:\nmessage 68, "), "search_history", server.call("search_history", query="log 17"))
            expect(server.call("list_artifacts").startswith(f"{len(references)} artifacts\n"), "list_artifacts")
            seen, offset = "", 0
            while True:
                page = server.call("read_artifact", reference=references[0], offset=offset)
                expect(len(page) <= 8_000, "a page is too long", len(page))
                seen += page.split(":\n", 1)[1].rsplit("\n[", 1)[0]
                if page.endswith("[the end]"):
                    break
                offset = int(re.search(r"with offset (\d+)\]$", page)[1])
            with open(os.path.join("artifacts", references[0])) as file:
                expect(seen == file.read(), "the pages of an artifact")
            expect(any(each in server.call("search_artifacts", query="c" * 480) for each in references), "search_artifacts", server.call("search_artifacts", query="c" * 480))
            server.call("read_message", is_error=True, number=0, conversation="lights")
            expect(re.match(r"logs \(this one\), 1\d\d entries", server.call("list_sessions")) and "lights" not in server.call("list_sessions"), "list_sessions", server.call("list_sessions"))
        for options in (["--conversation", "lights"], []):  # of another conversation nothing is shown
            with Server(chosen, "--journal", journal, "--store", store, *options) as server:
                expect(server.call("list_artifacts") == "0 artifacts\n" and "logs" not in server.call("list_sessions"), "what there is of another")
                expect(server.call("search_artifacts", query="a" * 12_000).startswith("search_artifacts:\nnothing"), "a search in another's")
                for reference in [*references[:3], "../artifacts/" + references[0], "0" * 24, "sessions.db"]:
                    server.call("read_artifact", is_error=True, reference=reference)
                for tool, more in [("read_message", {"number": 0}), ("recent_history", {}), ("search_history", {"query": "log"})]:
                    server.call(tool, is_error=True, conversation="logs", **more)
                if options:
                    expect("user: Where is the lighthouse?" in server.call("read_message", number=0) and "message 1" in server.call("search_history", query="pier"), "its own", server.call("recent_history"))
        with Server(chosen, "--journal", journal, "--store", store, "--all", "--most", "3600") as server:
            expect(references[0] in server.call("read_artifact", reference=references[0]), "all are granted")
            expect("Read log 0." in server.call("read_message", number=0, conversation="logs") and "pier" in server.call("read_message", number=1, conversation="lights"), "all are granted")
            expect(1_500 < len(server.call("read_artifact", reference=references[0])) <= 8_000, "--most")
    with Server(chosen, "--store", "artifacts", "--conversation", "logs") as server:
        expect(server.tools() == TOOLS[:3], "the tools of a store", server.tools())
    with Server(chosen, "--transcript", "chat.json", "--store", "artifacts", "--conversation", "logs") as server:
        expect(server.tools() == TOOLS and references[0] in server.call("read_artifact", reference=references[0]), "a transcript with a store")
        expect("lighthouse" in server.call("read_message", number=0), "a transcript with a store")
    with Server(chosen, "--transcript", "chat.json", "--store", "artifacts") as server:
        server.call("read_artifact", is_error=True, reference=references[0])
    with Server(chosen, "--journal", "nowhere", "--store", "no/where.db") as server:
        expect(server.call("list_artifacts") == "0 artifacts\n" and server.call("recent_history") == "there are no messages", "what is still to come")
        expect(not os.path.exists("nowhere") and not os.path.exists("no"), "a server that only reads has written")
    write("other.db", "no database")
    with Server(chosen, "--journal", "other.db") as server:
        server.call("recent_history", is_error=True)

ALL = checks_in(globals(), "chosen")
