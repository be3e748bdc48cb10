"""A browser without a page: it opens one-time addresses, keeps the cookie, calls the API, and speaks the WebSocket."""

from __future__ import annotations

import http.client
import json
import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.cookies import SimpleCookie
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from websockets import Subprotocol
from websockets.sync.client import ClientConnection, connect

from tests.integration.end_to_end.calling import DEADLINE_S, Answer, call
from tests.integration.end_to_end.running import RunningHark

Fields = dict[str, Any]


class Frame(NamedTuple):
    """A binary frame: a picture (1) or output (2) of a terminal, up to a place of its stream."""

    kind: int
    terminal: int
    seq: int
    data: bytes


class WebBrowser:
    def __init__(self, hark: RunningHark, **wanted: object) -> None:
        if hark.daemon_pid() is None:
            hark.ok("daemon", "start")
        link = hark.api("POST", "/dashboard/links", wanted).json
        self.url: str = link["url"]
        self.port = urlsplit(self.url).port
        self.host = f"127.0.0.1:{self.port}"
        self.origin = f"http://{self.host}"
        opened = self.ask("GET", urlsplit(self.url).path, origin=None)
        assert opened.status == 303, opened.body
        self.cookie_line = opened.headers["set-cookie"]
        [self.cookie] = SimpleCookie(self.cookie_line).values()
        self.key = opened.headers["location"].removeprefix("/#key=")

    @property
    def cookie_header(self) -> str:
        return f"{self.cookie.key}={self.cookie.value}"

    def ask(
        self, method: str, path: str, body: object = None, *, origin: str | None = "own", **headers: str | None
    ) -> Answer:
        given: dict[str, str | None] = {"Host": self.host}
        if hasattr(self, "cookie"):
            given |= {"Cookie": self.cookie_header, "Hark-Page-Key": self.key}
        if origin is not None:
            given["Origin"] = self.origin if origin == "own" else origin
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port or 0, timeout=DEADLINE_S)
        return call(connection, method, path, body, {k: v for k, v in given.items() if v is not None})

    @contextmanager
    def live(self, after: int | None = None, host: str = "", **headers: str) -> Iterator[LiveClient]:
        with self.socket(host=host, protocols=None, **headers) as channel:
            yield LiveClient(channel, after)

    @contextmanager
    def socket(
        self, path: str = "/live", host: str = "", protocols: list[str] | None = None, **headers: str
    ) -> Iterator[ClientConnection]:
        """Open a WebSocket; without `protocols` with those of our pages, which carry the key."""
        more = {"Cookie": self.cookie_header, "Origin": self.origin} | headers
        offered = ["hark", f"hark-key.{self.key}"] if protocols is None else protocols
        with (
            socket.create_connection(("127.0.0.1", self.port or 0), timeout=DEADLINE_S) as stream,
            connect(
                f"ws://{host or self.host}{path}",
                sock=stream,
                additional_headers=more,
                subprotocols=[Subprotocol(one) for one in offered] or None,
                open_timeout=DEADLINE_S,
                max_size=2**24,
                max_queue=4096,
            ) as channel,
        ):
            yield channel


class LiveClient:
    """Says hello, and keeps every frame that has come."""

    def __init__(self, channel: ClientConnection, after: int | None = None) -> None:
        self.channel = channel
        self.frames: list[Fields] = []
        self.pieces: list[Frame] = []
        self.acknowledges = True
        self.say(type="hello", after=after, instance=None)
        self.welcome = self.wait_for("welcome")
        self.snapshot: Fields = {} if self.welcome["is_resumed"] else self.wait_for("snapshot")["snapshot"]

    def say(self, **frame: object) -> None:
        self.channel.send(json.dumps(frame))

    def receive(self, timeout_s: float = DEADLINE_S) -> Fields | Frame:
        data = self.channel.recv(timeout=timeout_s)
        if isinstance(data, bytes):
            kind, terminal, seq = struct.unpack(">BIQ", data[:13])
            piece = Frame(kind, terminal, seq, data[13:])
            self.pieces.append(piece)
            if self.acknowledges:
                self.say(type="received", terminal=terminal, seq=seq)
            return piece
        frame: Fields = json.loads(data)
        self.frames.append(frame)
        return frame

    def wait_for(self, kind: str, fits: Callable[[Fields], bool] = lambda frame: True) -> Fields:
        """Return the next frame of that type that fits; frames that came before are not looked at."""
        until_s = time.monotonic() + DEADLINE_S
        while True:
            frame = self.receive(max(0.01, until_s - time.monotonic()))
            if isinstance(frame, dict) and frame["type"] == kind and fits(frame):
                return frame

    def find(self, kind: str, fits: Callable[[Fields], bool]) -> Fields:
        """Return a frame of that type that fits, whether it has come before or comes now."""
        old = next((frame for frame in self.frames if frame["type"] == kind and fits(frame)), None)
        return old or self.wait_for(kind, fits)

    def row(self, session_id: str, fits: Callable[[Fields], bool]) -> Fields:
        """Return the next row of the session that fits."""
        found = self.wait_for("session", lambda f: f["session"]["id"] == session_id and fits(f["session"]))
        return dict(found["session"])

    def refusal(self) -> Fields:
        return self.wait_for("refused")

    def ping(self) -> None:
        """Return when everything that was said before was taken in."""
        mark = str(time.monotonic_ns())
        self.say(type="ping", id=mark)
        self.wait_for("pong", lambda frame: frame["id"] == mark)

    # terminals

    def attach(self, session: str, terminal: int = 1, **wanted: object) -> Fields:
        self.say(type="attach", terminal=terminal, session=session, **wanted)
        return self.wait_for("attached", lambda frame: frame["terminal"] == terminal)

    def read_terminal(self, terminal: int, is_done: Callable[[bytes], bool]) -> bytes:
        """Return the newest picture and all output after it, as soon as that is enough."""
        until_s = time.monotonic() + DEADLINE_S
        while not is_done(self.shown(terminal)):
            self.receive(max(0.01, until_s - time.monotonic()))
        return self.shown(terminal)

    def shown(self, terminal: int) -> bytes:
        mine = [piece for piece in self.pieces if piece.terminal == terminal]
        pictures = [number for number, piece in enumerate(mine) if piece.kind == 1]
        return b"".join(piece.data for piece in mine[pictures[-1] :]) if pictures else b""
