# SPDX-License-Identifier: BSL-1.0
"""The example `proxy` and bytes that are no HTTP, of clients and of providers (RFC 9110, RFC 9112)."""

import json
import re
import signal
import socket
import threading
import time

from checks import PATIENCE, checks_in, expect
from fake_provider import KEY
from proxy_talk import Proxy

BODY = b'{"model":"m","messages":[{"role":"user","content":"hi"}]}'
LENGTH = b"Content-Length: %d\r\n" % len(BODY)

class Upstream:
    """Keeps what it reads, request by request, and answers each with `says`, bytes or a function of it, after which it closes."""

    def __init__(self, says=b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab"):
        self.says, self.seen = says, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            there, _ = self.listener.accept()
            with there:
                got = there.recv(1 << 20)
                while b"\r\n\r\n" not in got:
                    got += there.recv(1 << 20)
                time.sleep(.02)
                there.setblocking(False)
                try:
                    got += there.recv(1 << 20)
                except BlockingIOError:
                    pass
                there.setblocking(True)
                self.seen.append(got)
                there.sendall(self.says(got) if callable(self.says) else self.says)

def said(proxy, data, seconds=PATIENCE):
    """All that comes back, and whether the connection was cut."""
    got = b""
    with socket.create_connection(("127.0.0.1", proxy.port), seconds) as there:
        try:
            there.sendall(data)
            while more := there.recv(65536):
                got += more
        except (BrokenPipeError, ConnectionResetError):
            return got, True
    return got, False

def post(headers, body=BODY, line=b"POST /v1/chat/completions HTTP/1.1", host=b"Host: x\r\n"):
    return line + b"\r\n" + host + headers + b"\r\n" + body

REFUSED = {
    "a name that ends in ;": (400, post(LENGTH + b"Content-Length;: 5\r\n")), "a Host that ends in ;": (400, post(LENGTH + b"Host;: evil\r\n")),
    "a space before the colon": (400, post(LENGTH + b"Transfer-Encoding : chunked\r\n")), "a tab there": (400, post(LENGTH + b"Content-Length\t: 3\r\n")),
    "two Hosts": (400, post(LENGTH + b"Host: evil\r\n")), "no Host": (400, post(LENGTH, host=b"")), "lengths that differ": (400, post(LENGTH + b"Content-Length: 3\r\n")),
    "a length with a plus": (400, post(b"Content-Length: +3\r\n")), "one in hexadecimal": (400, post(b"Content-Length: 0x10\r\n")),
    "one above 2^64": (400, post(b"Content-Length: 99999999999999999999\r\n")), "a length and chunks": (400, post(LENGTH + b"Transfer-Encoding: chunked\r\n", b"0\r\n\r\n")),
    "another coding": (501, post(b"Transfer-Encoding: gzip, chunked\r\n", b"0\r\n\r\n")), "no coding": (501, post(b"Transfer-Encoding: xchunked\r\n")),
    "chunks of HTTP/1.0": (400, post(b"Transfer-Encoding: chunked\r\n", b"0\r\n\r\n", b"POST /v1/x HTTP/1.0")), "NUL in a value": (400, post(LENGTH + b"X: a\0b\r\n")),
    "a line end in a value": (400, post(LENGTH + b"X: a\nY: b\r\n")), "a line without a colon": (400, post(LENGTH + b"X;\r\n")), "another version": (400, post(LENGTH, line=b"POST / HTTP/2.0")),
    "another method": (501, post(b"", b"", b"CONNECT evil:443 HTTP/1.1")), "a chunk that is none": (400, post(b"Transfer-Encoding: chunked\r\n", b"ZZ\r\n")),
    "a long request line": (414, post(LENGTH, line=b"GET /" + b"a" * 100_000 + b" HTTP/1.1")), "large headers": (431, post((b"X: " + b"a" * 500 + b"\r\n") * 200)),
    "many headers": (431, post(b"X: a\r\n" * 300)), "a chunk's size without an end": (400, post(b"Transfer-Encoding: chunked\r\n", b"0" * 200_000))}

def what_is_no_request_is_refused(program):
    """Before a byte of it goes on; the next client's request is its own."""
    upstream = Upstream()
    with Proxy(program, upstream.url, "--threads", "1") as proxy:
        for name, (status, data) in REFUSED.items():
            got, _ = said(proxy, data)
            expect(got.startswith(b"HTTP/1.1 %d " % status), f"{name}: not {status}", got[:99])
            expect(not upstream.seen, f"{name}: it was forwarded", upstream.seen)
        got, _ = said(proxy, post(LENGTH + b"X: a\r\n b\r\nAuthorization: Bearer " + KEY.encode() + b"\r\n"))
        expect(got.endswith(b"\r\n\r\nab") and b"X: a b\r\n" in upstream.seen[0], "a folded line becomes one", upstream.seen)
        got, _ = said(proxy, post(LENGTH, line=b"GET /bot" + KEY.encode() + b"/x HTTP/1.1"))
        expect(upstream.seen[1].endswith(BODY), "the body of a GET is lost", upstream.seen)
        expect(KEY not in proxy.log, "a key in a path is logged", proxy.log)

ANSWERS = {  # what a client reads: the answer, 502, or one that does not look whole
    "chunks count": (b"Content-Length: 100\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "whole"),
    "lengths that differ": (b"Content-Length: 2\r\nContent-Length: 100\r\n\r\nab", "502"), "the other way": (b"Content-Length: 100\r\nContent-Length: 2\r\n\r\nab", "502"),
    "no length": (b"Content-Length: 5, 5\r\n\r\nhello", "502"), "of 23 digits": (b"Content-Length: 99999999999999999999999\r\n\r\nab", "502"),
    "2^64 - 1": (b"Content-Length: 18446744073709551615\r\n\r\nab", "cut"), "2^63": (b"Content-Length: 9223372036854775808\r\n\r\nab", "cut"),
    "shorter than it says": (b"Content-Length: 100\r\n\r\nhello", "cut"), "chunks that end": (b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "cut"),
    "a space before the colon": (b"Content-Length : 9\r\nX;: 1\r\nContent-Length: 5\r\n\r\nhello", "whole")}

def answers_that_lie_end_one_request(program):
    upstream = Upstream()
    with Proxy(program, upstream.url, "--silence", "3") as proxy:
        for name, (answer, wanted) in ANSWERS.items():
            upstream.says = b"HTTP/1.1 200 OK\r\n" + answer
            got, cut = said(proxy, post(LENGTH))
            is_whole = not cut and b"hello" in got and b"\nX;" not in got and b"Content-Length :" not in got
            found = "502" if got.startswith(b"HTTP/1.1 502 ") else "whole" if is_whole else "cut"
            expect(found == wanted, f"{name}: {found}, not {wanted}", got)

def chat(proxy, key, size, says="hi"):
    """A conversation of so many words; the line of the log."""
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": says}, {"role": "assistant", "content": "word " * size}, {"role": "user", "content": "Go on."}]}).encode()
    found = lambda lines: re.findall(r"tokens ([\d,]+) to ([\d,]+)", "".join(lines))
    before = len(found(proxy.lines))
    said(proxy, post(b"Content-Length: %d\r\nAuthorization: Bearer %s\r\n" % (len(body), key), body))
    proxy.wait_for(lambda lines: len(found(lines)) > before, "no line")
    return [int(figure.replace(",", "")) for figure in found(proxy.lines)[-1]]

def a_client_learns_for_itself_alone(program):
    refusal = b'{"error":{"message":"This model\'s maximum context length is 900 tokens. However, your messages resulted in 5000 tokens.","code":"context_length_exceeded"}}'
    upstream = Upstream(lambda got: b"HTTP/1.1 400 Bad Request\r\nContent-Length: %d\r\n\r\n%s" % (len(refusal), refusal) if b"refuse it" in got else
                        b"HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\n" + b'{"usage":{"input_tokens":6000}}'[:30] if b"Bearer C" in got else b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab")
    with Proxy(program, upstream.url, "--window", "20000") as proxy:
        chat(proxy, b"A", 3000, "refuse it")
        before, after = chat(proxy, b"A", 3000, "Another.")
        expect(after < 900 < before, "a window that was named is forgotten", proxy.log)
        for key in (b"B", b"C"):
            before, after = chat(proxy, key, 3000)
            expect(after == before > 2000, "another client's window has shrunk", proxy.log)
    usage = b'{"usage": {"prompt_tokens": 9000, "completion_tokens": 1}}'
    upstream = Upstream(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(usage), usage))
    with Proxy(program, upstream.url, "--window", "20000") as proxy:
        first, _ = chat(proxy, b"A", 4500)
        learnt, _ = chat(proxy, b"A", 4500, "Another.")
        other, _ = chat(proxy, b"B", 4500)
        expect(first < 7000 and other == first and 8900 < learnt < 9100, "reported tokens are not used", proxy.log)

def patience_is_for_all_of_a_request(program):
    upstream = Upstream()
    for start, drop in ((b"GET /v1/x HTTP/1.1\r\nX: ", b"a"), (b"GET /v1/x HTTP/1.1\r\n", b"X: a\r\n"), (post(b"Transfer-Encoding: chunked\r\n", b""), b"0"),
                        (post(b"Content-Length: 1000\r\n", b""), b"a"), (post(b"Transfer-Encoding: chunked\r\n", b"0\r\n"), b"X: a\r\n")):
        with Proxy(program, upstream.url, "--patience", "1", "--threads", "1") as proxy, socket.create_connection(("127.0.0.1", proxy.port), PATIENCE) as slow:
            slow.sendall(start)
            over = threading.Event()

            def drip():
                try:
                    while not over.wait(.2):
                        slow.sendall(drop)
                except OSError:
                    pass
            threading.Thread(target=drip, daemon=True).start()
            began = time.monotonic()
            got, _ = said(proxy, post(LENGTH), 30)
            expect(got.endswith(b"ab") and time.monotonic() - began < 8, f"another waits {time.monotonic() - began:.1f} s", (start, got))
            proxy.wait_for(lambda lines: " 408: " in "".join(lines), "it is not refused")
            over.set()

def a_signal_lets_what_is_under_way_end(program):
    upstream = Upstream()
    for seconds, again in ((2, False), (60, True)):
        with Proxy(program, upstream.url, "--patience", str(seconds)) as proxy, socket.create_connection(("127.0.0.1", proxy.port), PATIENCE) as slow:
            slow.sendall(post(LENGTH, b"")[:-1])
            time.sleep(.3)
            began = time.monotonic()
            proxy.child.send_signal(signal.SIGTERM)
            time.sleep(.4)
            if again:
                proxy.child.send_signal(signal.SIGTERM)
            else:
                slow.sendall(b"\n" + BODY)
                expect(slow.recv(99).startswith(b"HTTP/1.1 200 "), "a request is cut off")
            proxy.child.wait(PATIENCE)
            expect(time.monotonic() - began < 5, f"it goes on for {time.monotonic() - began:.1f} s")

ALL = checks_in(globals(), "program")
