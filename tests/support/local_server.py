# SPDX-License-Identifier: BSL-1.0
"""An HTTP server on this machine for as long as a `with` statement runs."""

import http.server
import socketserver
import threading


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
