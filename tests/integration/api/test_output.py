"""The stream of a pane's output, for readers that are slower than the pane."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

from starlette.requests import Request

from hark.api.calls.output import STREAM_BACKLOG, stream_output
from hark.model.ids import SessionId
from hark.model.session import Pane, Session

SESSION = Session(
    id=SessionId("0a1b2c3d"),
    name="loud",
    agent="generic",
    host="here",
    pane=Pane(socket="/s", pane_id="%0", pid=1),
    command=("seq",),
    directory="/",
    created_at=datetime(2026, 1, 1, tzinfo=UTC),
)


class LoudPanes:
    """Prints as often as it is told to."""

    def __init__(self) -> None:
        self.listeners: set[Callable[[bytes], None]] = set()

    async def watch(self, pane: Pane) -> bool:
        return True

    def listen(self, pane: Pane, listener: Callable[[bytes], None]) -> Callable[[], None]:
        self.listeners.add(listener)
        return lambda: self.listeners.discard(listener)

    def print(self, data: bytes) -> None:
        for listener in tuple(self.listeners):
            listener(data)


def request_to(panes: LoudPanes) -> Request:
    hark = SimpleNamespace(panes=panes, sessions=SimpleNamespace(find=lambda _: SESSION))
    app = SimpleNamespace(state=SimpleNamespace(hark=hark))
    return Request({"type": "http", "app": app, "path_params": {"session": "loud"}})


async def read_all(iterator: Any) -> list[bytes]:
    async with asyncio.timeout(20):
        return [cast(bytes, piece) async for piece in iterator]


def test_a_reader_that_falls_behind_is_dropped_and_told_so() -> None:
    async def scenario() -> list[bytes]:
        panes = LoudPanes()
        response = await stream_output(request_to(panes), None)
        for number in range(2 * STREAM_BACKLOG):
            panes.print(b"%d\n" % number)
        assert panes.listeners == set()
        return await read_all(response.body_iterator)

    pieces = asyncio.run(scenario())

    assert 0 < len(pieces) < STREAM_BACKLOG
    first = int(pieces[0])
    assert pieces == [b"%d\n" % number for number in range(first, first + len(pieces))]


def test_a_stream_ends_when_the_pane_does_and_nobody_listens_any_more() -> None:
    async def scenario() -> list[bytes]:
        panes = LoudPanes()
        response = await stream_output(request_to(panes), None)
        panes.print(b"one")
        panes.print(b"two")
        panes.print(b"")
        pieces = await read_all(response.body_iterator)
        assert panes.listeners == set()
        return pieces

    assert asyncio.run(scenario()) == [b"one", b"two"]
