"""A small HTTP server on a loopback port of its own, for tests that play a remote part."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# How often it looks whether it is to end. Half a second, as usual, would be added to each test that ends a server.
_LOOK_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Request:
    """A request that came in; ``path`` with its query, ``body`` empty where there is none."""

    path: str
    headers: Mapping[str, str]
    body: bytes


Answer = Callable[[Request], tuple[int, bytes]]
"""Status and JSON of the answer to a request; called in a thread of its own for each request."""


class LoopbackServer:
    """Serves from when it is made until it is closed; a ``with`` statement closes it."""

    def __init__(self, answer: Answer) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                status, content = answer(Request(self.path, self.headers, body))
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def do_POST(self) -> None:
                self.do_GET()

            def log_message(self, *_arguments: object) -> None:
                """Nothing on stderr."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_port
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(_LOOK_SECONDS,), daemon=True)
        self._thread.start()

    def __enter__(self) -> LoopbackServer:
        return self

    def __exit__(self, *_reason: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends it; nothing listens on the port any more."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
