# SPDX-License-Identifier: BSL-1.0
"""An HTTP server on this machine for as long as a `with` statement runs, and what its handlers share."""

import http.server
import json
import socketserver
import threading


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    chunked = False  # whether what is sent goes out in chunks

    def log_message(self, *_):
        pass

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def sent_headers(self):
        return {key.lower(): value for key, value in self.headers.items()}

    def head(self, status, kind, **headers):
        """Status and headers; an underscore in the name of one is a hyphen."""
        self.send_response(status)
        for name, value in {"Content-Type": kind, **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def answer(self, status, body, kind="application/json", **headers):
        """A whole answer: bytes, or what becomes JSON."""
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.head(status, kind, Content_Length=str(len(body)), **headers)
        if self.command != "HEAD":
            self.wfile.write(body)
        return body

    def begin(self, kind="text/event-stream", status=200, chunked=True):
        """The head of an answer that comes piece by piece, in chunks or until the connection ends."""
        self.chunked = chunked
        self.head(status, kind, **({"Transfer_Encoding": "chunked"} if chunked else {"Connection": "close"}))

    def send(self, data):
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n" if self.chunked else data)
        self.wfile.flush()

    def send_whole(self, data, size):
        """In pieces of that size, which cut lines, escapes and code points, and the end."""
        for at in range(0, len(data), size):
            self.send(data[at:at + size])
        if self.chunked:
            self.wfile.write(b"0\r\n\r\n")


class LocalServer(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, handler):
        super().__init__(("127.0.0.1", 0), handler)

    def server_bind(self):
        """Without asking for the name of the machine, which may take the time of a lookup."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]

    def handle_error(self, *_):
        """A client that leaves is nothing to report."""

    @property
    def address(self):
        return f"127.0.0.1:{self.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()
