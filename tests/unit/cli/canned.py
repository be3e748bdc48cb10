"""A real unix-socket server that answers with prepared bytes, for testing the HTTP client and nothing behind it."""

import json
import socket
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

DROPPED = b""
"""Close the connection instead of answering."""


class CannedServer:
    """Answers one connection after the other with the next of its answers, and keeps what it was asked."""

    def __init__(self, path: Path, answers: Iterable[bytes]) -> None:
        self.requests: list[Request] = []
        self._answers = list(answers)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(timeout=10)
        assert not self._thread.is_alive()

    def _serve(self) -> None:
        for answer in self._answers:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                self.requests.append(Request(connection))
                connection.sendall(answer)


class Request:
    def __init__(self, connection: socket.socket) -> None:
        with connection.makefile("rb") as stream:
            self.line = stream.readline().decode().strip()
            self.headers: dict[str, str] = {}
            while line := stream.readline().decode().strip():
                name, _, value = line.partition(":")
                self.headers[name] = value.strip()
            self.body: Any = json.loads(stream.read(int(self.headers.get("Content-Length", 0))) or "null")


def answer(content: object, status: int = 200) -> bytes:
    body = msgspec.json.encode(content)
    return (
        f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
    )


def refusal(code: str, status: int, detail: str = "no", hint: str = "do this") -> bytes:
    return answer(
        {"type": "about:blank", "title": "", "status": status, "detail": detail, "code": code, "hint": hint}, status
    )


def chunked(*pieces: bytes, is_finished: bool = True) -> bytes:
    body = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
    return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body + (b"0\r\n\r\n" if is_finished else b"")
