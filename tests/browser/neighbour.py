"""Another web server on another port of 127.0.0.1, which reads the cookies that browsers send it, and sets cookies of its own."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Neighbour:
    def __init__(self, address: str) -> None:
        self.address = address
        self.cookies: list[str] = []
        """The cookies that browsers have sent."""
        self.sets: str | None = None
        """The cookie that every answer sets."""


@contextmanager
def neighbour() -> Iterator[Neighbour]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            made.cookies.append(self.headers.get("Cookie", ""))
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            if made.sets:
                self.send_header("Set-Cookie", made.sets)
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>neighbour</title><link rel=icon href=data:,><p>hello")

        def log_message(self, *_words: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made = Neighbour(f"http://127.0.0.1:{server.server_port}/")
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
