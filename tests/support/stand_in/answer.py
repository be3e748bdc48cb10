"""How a reply goes over the wire: a first part, a part for each piece of text, a last part; or all at once."""

from __future__ import annotations

from typing import Protocol

import msgspec

from tests.support.stand_in.turn import Json


class Answer(Protocol):
    def opening(self) -> bytes: ...
    def piece(self, text: str) -> bytes: ...
    def closing(self) -> bytes: ...
    def whole(self) -> Json: ...


def server_sent(data: Json, event: str | None = None) -> bytes:
    head = f"event: {event}\n" if event else ""
    return f"{head}data: {msgspec.json.encode(data).decode()}\n\n".encode()


def dumps(value: object) -> str:
    return msgspec.json.encode(value).decode()
