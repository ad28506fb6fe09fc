# SPDX-License-Identifier: BSL-1.0
"""The example `chat` against a server on this machine that behaves well, or badly in many ways."""

import os
import re
import shutil
import signal
import ssl
import subprocess
import time

from checks import checks_in, expect
from fake_server import Server
from scripted_checks import write
from talk import Chat, figures, only_text

KEY = "sk-test-5e1d0c"

def built_with_curl(chat):
    done = subprocess.run([chat.program, "--endpoint", "http://127.0.0.1:1/v1", "/"], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    return b"without libcurl" not in done.stderr

def with_key(chat):
    return Chat(chat.program, {"OPENAI_API_KEY": KEY})

def well_formed(messages):
    """A system message first; every result follows its call, and every call has its result."""
    expect(messages[0]["role"] == "system", "the system message comes first", str(messages[0]))
    waiting = set()
    for each in messages:
        expect("condense" not in each, "a mark was sent", str(each))
        if each["role"] == "tool":
            expect(each["tool_call_id"] in waiting, "a result without its call", str(messages))
            waiting.discard(each["tool_call_id"])
        else:
            expect(not waiting, "a call without its result", str(messages))
        waiting |= {call["id"] for call in each.get("tool_calls") or []}
    expect(not waiting, "a call without its result", str(messages))

def refused(server, chat, folder, mode, more=(), lines=("hello",)):
    """Runs against a mode that gives no answer; says why there is none."""
    out = chat.run(["--endpoint", server.url(mode), *more, folder], lines)
    found = re.search(r"\[no answer: (.*)\]\n\[", out)
    expect(found is not None, f"{mode}: there is an answer", out)
    return found.group(1)

def streams_answers_and_calls(chat, root, folder):
    with Server() as server:
        out = with_key(chat).run(["--endpoint", server.url("stream"), "--model", "tiny-model", folder], ["what does it say?", "/tokens"])
        expect("The file says \u00fc\u4e16\U0001F600 beta.\n" in out and "tiny-model answers" in out, "the answer, in order", out)
        expect('[read {"file":"notes.txt"}: 24 bytes]' in out and '[search {"text":"needle"}: ' in out, "both tools ran", out)
        expect("counted 1200 tokens in, 800 from its cache, 14 out" in out, "the provider's counts", out)
        expect([each["path"] for each in server.seen] == ["/v1/chat/completions"] * 2, "the path", str(server.seen))
        for each in server.seen:
            expect(each["headers"]["authorization"] == "Bearer " + KEY, "the key is sent")
            expect(each["body"]["model"] == "tiny-model" and each["body"]["stream"] is True, "the request", str(each["body"]))
            expect({tool["function"]["name"] for tool in each["body"]["tools"]} == {"list", "read", "search", "stored", "search_history", "read_message", "recent_history"}, "the tools are named")
            well_formed(each["body"]["messages"])
        results = [each["content"] for each in server.seen[1]["body"]["messages"] if each["role"] == "tool"]
        expect(results[0].startswith("alpha\nbeta needle") and "notes.txt:2: beta needle" in results[1], "the results are sent", str(results))
        expect(KEY not in out, "the key was printed")

def answers_whole_as_well(chat, root, folder):
    with Server() as server:
        for more in [["--no-stream"], []]:  # a server may also ignore that a stream was asked for
            out = chat.run(["--endpoint", server.url("plain") + "/", *more, folder], ["what does it say?"])
            expect(out.count("It says beta.\n") == 1 and "[read " in out, "the answer, once", out)
        expect([each["body"]["stream"] for each in server.seen] == [False, False, True, True], "streams only where asked for")
        expect(all("authorization" not in each["headers"] for each in server.seen), "no key, no header")

def recovers_once(chat, root, folder):
    with Server() as server:
        lines = [f"{each}: " + "words and words " * 100 for each in range(12)]
        out = chat.run(["--endpoint", server.url("overflow"), folder], lines)
        expect(server.overflowed and out.count("[recovered from: This model's maximum context length") == 1, "one recovery", out)
        expect(out.count("Understood.") == 12 and "no answer" not in out, "all is answered", out)
        seen = [each for each in server.seen if "tools" in each["body"]]  # the others ask for a summary
        sizes = [each["size"] for each in seen]
        expect(len(sizes) == 13, "one request more", str(sizes))
        again = next(at for at in range(1, 13) if lines_equal(seen[at - 1], seen[at]))
        expect(sizes[again] < sizes[again - 1], "the second request is smaller", str(sizes))
        for each in server.seen:
            well_formed(each["body"]["messages"])

def lines_equal(one, other):
    """Whether both requests end with the same message."""
    return one["body"]["messages"][-1] == other["body"]["messages"][-1]

def stays_in_the_window(chat, root, folder):
    write(folder, "notes.txt", "beta needle\n" + "a line of some length\n" * 400)
    with Server() as server:
        out = chat.run(["--endpoint", server.url("stream"), "--window", "4000", folder], ["again"] * 30)
        expect(all(used <= limit for used, limit in figures(out)), "the window was exceeded", out)
        for each in server.seen:
            well_formed(each["body"]["messages"])
        expect(max(each["size"] for each in server.seen) < 30_000, "large requests", str([each["size"] for each in server.seen]))
        expect(len(server.seen[-1]["body"]["messages"]) < 30 * 4, "everything is sent")

def follows_no_redirect(chat, root, folder):
    with Server() as other, Server() as server:
        server.elsewhere = other.url("stream").replace("127.0.0.1", "localhost")
        said = refused(server, with_key(chat), folder, "redirect")
        expect("302" in said and "redirect" in said, "the redirect is told", said)
        expect(not other.seen and not other.strays and len(server.seen) == 1, "the redirect was followed")

def bounds_what_is_sent(chat, root, folder):
    with Server() as server:
        for mode in ["endlessline", "endlessevents", "endlesscomments", "endlessjson", "endlessheaders"]:
            said = refused(server, chat, folder, mode)
            expect("more than an answer may hold" in said or "too large" in said or "Too large" in said, f"{mode}: the reason", said)
        said = refused(server, chat, folder, "endlesserror")
        expect("status 500" in said and "sorry" in said and len(said) < 2000, "an endless error", said)
        until = time.monotonic() + 20
        while len(server.hung_up) < 8 and time.monotonic() < until:
            time.sleep(0.1)
        expect(len(server.hung_up) == 8, "the client left, three times after the error", str(server.hung_up))

def bounds_the_time(chat, root, folder):
    with Server() as server:
        for mode in ["silent", "stalls"]:
            began = time.monotonic()
            said = refused(server, chat, folder, mode, ["--timeout", "2"])
            expect("time" in said.lower() and time.monotonic() - began < 15, f"{mode}: the time is bounded", said)

def is_interrupted(chat, root, folder):
    with Server() as server:
        child = chat.start(["--endpoint", server.url("silent"), folder])
        child.stdin.write(b"hello\n")
        child.stdin.flush()
        expect(server.waiting.wait(60), "the request came")
        child.send_signal(signal.SIGINT)
        out = only_text(child.communicate(b"/tokens\n/quit\n", timeout=60)[0])
        expect(child.returncode == 0, f"exit status {child.returncode}", out)
        expect("[no answer: cancelled]" in out and "messages are kept" in out, "only the call is cancelled", out)

def is_not_misled(chat, root, folder):
    with Server() as server:
        wanted = {"cut": "cut off", "notjson": "not JSON", "deep": "deeper", "manycalls": "too many", "errorevent": "out of \\x1B[1mluck"}
        for mode, reason in wanted.items():
            said = refused(server, chat, folder, mode, lines=["hello", "/tokens"])
            expect(reason in said, f"{mode}: the reason", said)
        said = refused(server, with_key(chat), folder, "quoteskey")
        expect(KEY not in said and "Bearer [key]" in said and "status 401" in said and "(invalid_api_key)" in said, "the key is hidden", said)
        out = chat.run(["--endpoint", server.url("wrongtypes"), folder], ["hello", "/tokens"])
        expect("still fine" in out, "what is of a wrong type is passed over", out)
        out = chat.run(["--endpoint", server.url("controls"), folder], ["hello"])
        expect("\\x1B[2J\\x1B]0;owned" in out and "raw \ufffd\ufffd bytes" in out, "controls are shown", out)
        out = chat.run(["--endpoint", server.url("halfpair"), folder], ["hello"])
        expect("\n\ufffd\n" in out, "half a pair of surrogates is a replacement character", out)
        out = chat.run(["--endpoint", server.url("loops"), folder], ["hello", "/quit"])
        expect("stopped: the model has used tools 16 times" in out, "a model that never ends", out)
        out = refused(server, chat, folder, "nothing")  # an unknown mode closes the connection
        expect(out, "a reason")

def keeps_the_key(chat, root, folder):
    said = with_key(chat).run(["--endpoint", "http://192.0.2.1/v1", folder], ["hello"], status=2)
    expect("https" in said and KEY not in said, "a key in the clear", said)
    said = chat.run(["--endpoint", "http://me:word@127.0.0.1/v1", folder], ["hello"], status=2)
    expect("password" in said and "word@" not in said, "a password in the address", said)
    Chat(chat.program, {"OPENAI_API_KEY": "one\r\nX-Other: two"}).run(["--endpoint", "http://127.0.0.1/v1", folder], [], status=2)
    with Server() as server, Server() as proxy:
        # A proxy of the environment gets nothing that is for this machine.
        direct = Chat(chat.program, {"OPENAI_API_KEY": KEY, "no_proxy": "", "NO_PROXY": "", "http_proxy": proxy.url("stream")})
        direct.run(["--endpoint", server.url("stream"), folder], ["hello"])
        expect(len(server.seen) == 2 and not proxy.seen and not proxy.strays, "the proxy was used")
        state = os.path.join(root, "state")
        with_key(chat).run(["--endpoint", server.url("quoteskey"), "--state", state, folder], ["hello"])
        with open(state, encoding="utf-8") as file:
            expect(KEY not in file.read(), "the key is in the state")

def verifies_certificates(chat, root, folder):
    if shutil.which("openssl") is None:
        print("      (no openssl here: certificates are not tested)")
        return
    own = [os.path.join(root, "key.pem"), os.path.join(root, "certificate.pem")]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", own[0], "-out", own[1], "-days", "2",
                    "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(own[1], own[0])
    with Server(tls) as server:
        said = refused(server, with_key(chat), folder, "stream")
        expect("certificate" in said.lower() or "ssl" in said.lower(), "the reason", said)
        expect(not server.seen, "something was sent to a server that nobody vouches for")

ALL = checks_in(globals(), "chat", "root", "folder")
