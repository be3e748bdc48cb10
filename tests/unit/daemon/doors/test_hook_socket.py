"""The socket of hooks: reports are answered at once, taken in by session in order, and what is no report is turned away."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from hark.daemon.delivering.handover import Handovers
from hark.daemon.doors import hook_socket
from hark.daemon.doors.hook_reports import HookCall, HookOrigin, Hooks
from hark.daemon.doors.hook_socket import HookDoor
from hark.daemon.questions.policing import Policing
from hark.daemon.session.live import LiveSessions
from hark.model.session import Session
from tests.unit.daemon.faulty import DEADLINE_S, make_session, until


def report(event: str, session: str = "a") -> bytes:
    head = "\0".join(["demo", event, "1700000000.5", session, "", ""]).encode()
    return b"hark-hook 1 %d 2\n" % len(head) + head + b"{}"


class Taken:
    """Takes reports as `Hooks` does, and gives the hook an answer if there is one."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.answer: bytes = b""
        self.printed: list[bool] = []
        self.pause = asyncio.Event()
        self.pause.set()

    def admit(self, call: HookCall, origin: HookOrigin, chain: object) -> Session | None:
        return make_session(origin.session_id) if origin.session_id in ("a", "b") else None

    async def take_in(self, session: Session, call: HookCall, hand: Any) -> None:
        await self.pause.wait()
        self.events.append(f"{session.name} {call.event}")
        if hand and self.answer:
            self.printed.append(await hand(self.answer))


@pytest.fixture
def path() -> Iterator[Path]:
    directory = tempfile.mkdtemp(prefix="hk", dir="/tmp")  # A path of pytest's own may be too long for a socket.
    yield Path(directory) / "hooks.sock"
    shutil.rmtree(directory)


@asynccontextmanager
async def open_door(path: Path, taken: Taken) -> AsyncIterator[HookDoor]:
    handovers = SimpleNamespace(begin_waiting=lambda session: None)
    policing = SimpleNamespace(deny_before=lambda session, event, payload: None)
    door = HookDoor(
        path,
        LiveSessions(lambda _: True),
        cast(Hooks, taken),
        cast(Handovers, handovers),
        cast(Policing, policing),
        takes_answers=False,
    )
    running = asyncio.ensure_future(door.run())
    await until(lambda: path.exists() or running.done())
    try:
        yield door
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def ask(path: Path, *pieces: bytes, says: bytes = b"") -> bytes:
    """Send the pieces as a hook does, and return all that comes back."""
    async with asyncio.timeout(DEADLINE_S):
        reader, writer = await asyncio.open_unix_connection(path)
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0)
        answer = b""
        if says:
            answer = await reader.readexactly(2 + 5)
            writer.write(says)
        writer.write_eof()
        answer += await reader.read()
        writer.close()
        return answer


async def test_a_report_is_answered_and_taken_in(path: Path) -> None:
    taken = Taken()
    async with open_door(path, taken):
        assert await ask(path, report("session-started")) == b"0\n"
        await until(lambda: taken.events == ["a session-started"])


async def test_a_report_that_comes_in_pieces_is_waited_for(path: Path) -> None:
    taken, whole = Taken(), report("session-started")
    async with open_door(path, taken):
        assert await ask(path, whole[:10], whole[10:30], whole[30:]) == b"0\n"
        await until(lambda: taken.events == ["a session-started"])


@pytest.mark.parametrize("sent", [b"GET / HTTP/1.1\r\n\r\n", b"", b"hark-hook 1 5 5\nab"])
async def test_what_is_no_report_is_turned_away_without_a_word(path: Path, sent: bytes) -> None:
    taken = Taken()
    async with open_door(path, taken) as door:
        assert await ask(path, sent) == b""
        await until(lambda: door.refused == 1)
        assert taken.events == []


async def test_a_report_of_nobody_we_know_is_answered_and_dropped(path: Path) -> None:
    taken = Taken()
    async with open_door(path, taken):
        assert await ask(path, report("stopped", "nobody")) == b"0\n"
        assert taken.events == []


async def test_the_reports_of_one_session_wait_for_each_other_and_for_no_other_session(path: Path) -> None:
    taken = Taken()
    taken.pause.clear()
    async with open_door(path, taken):
        for event in ("session-started", "permission-asked", "tool-failed"):
            await ask(path, report(event))
        assert taken.events == []

        taken.pause.set()
        await until(lambda: len(taken.events) == 3)

        assert taken.events == ["a session-started", "a permission-asked", "a tool-failed"]


async def test_a_flood_of_one_session_is_turned_away_and_harms_no_other(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hook_socket, "MOST_WAITING", 2)
    taken = Taken()
    taken.pause.clear()
    async with open_door(path, taken) as door:
        answers = [await ask(path, report("session-started")) for _ in range(4)]
        other = await ask(path, report("session-started", "b"))

        assert answers == [b"0\n", b"0\n", b"", b""]
        assert (other, door.refused) == (b"0\n", 2)
        taken.pause.set()
        await until(lambda: len(taken.events) == 3)


@pytest.mark.parametrize(("says", "is_printed"), [(b"+", True), (b"", False)])
async def test_a_hook_says_that_it_prints_its_answer_or_ends(path: Path, says: bytes, is_printed: bool) -> None:
    taken = Taken()
    taken.answer = b"go on"
    async with open_door(path, taken):
        assert await ask(path, report("stopped"), says=says) == b"5\ngo on"
        await until(lambda: taken.printed == [is_printed])


async def test_a_socket_whose_file_has_vanished_is_bound_again(path: Path) -> None:
    taken = Taken()
    async with open_door(path, taken) as door:
        assert not door.keep()
        os.unlink(path)

        assert door.keep()

        assert await ask(path, report("session-started")) == b"0\n"
