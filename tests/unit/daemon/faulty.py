"""The daemon's parts in one process, on a store that fails where a test wants it to."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self, cast

from hark.agents.kinds import Kinds
from hark.daemon.bus import Bus
from hark.daemon.core import Core
from hark.daemon.delivering.equipment import Equipment
from hark.daemon.delivering.handover import Handovers
from hark.daemon.doors.editor_tickets import Editors
from hark.daemon.doors.native_channels import Natives
from hark.daemon.hearing.turn_book import TurnBook
from hark.daemon.loops import Loops
from hark.daemon.mailbox import Mailbox
from hark.daemon.outbox import Outbox
from hark.daemon.panes import Panes
from hark.daemon.registry.sessions import Sessions
from hark.daemon.session.courier import Courier
from hark.daemon.session.couriers import Couriers
from hark.daemon.session.live import LiveSessions
from hark.model.event import Event, EventKind
from hark.model.ids import MessageId, SessionId
from hark.model.message import Message
from hark.model.session import Pane, Session, SessionState
from hark.model.settings.config import Config
from tests.support.memory_store import MemoryStore

T0 = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)


DEADLINE_S = 90.0


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(DEADLINE_S):
        while not is_so():  # noqa: ASYNC110 no single event tells what several parts have done together
            await asyncio.sleep(0.001)


class Clocks:
    """A wall clock that can be set, and real time that only passes."""

    def __init__(self) -> None:
        self.set_by_s = 0.0
        self.real_s = 0.0

    def wall(self) -> datetime:
        return T0 + timedelta(seconds=self.real_s + self.set_by_s)

    def elapsed(self) -> float:
        return self.real_s


def at(seconds: float) -> datetime:
    return T0 + timedelta(seconds=seconds)


class FaultyStore(MemoryStore):
    """`fault(name, test, error)`: the method of that name raises the error where the test accepts its first argument."""

    def __init__(self) -> None:
        super().__init__()
        self._faults: list[tuple[str, Callable[[Any], bool], Exception]] = []

    def fault(self, name: str, test: Callable[[Any], bool], error: Exception) -> None:
        original = getattr(super(), name)
        self._faults.append((name, test, error))

        async def call(*arguments: Any, **named: Any) -> Any:
            for method, fits, failure in self._faults:
                if method == name and fits(arguments[0] if arguments else None):
                    raise failure
            return await original(*arguments, **named)

        setattr(self, name, call)

    def of(self, session_id: SessionId) -> list[Message]:
        return [message for message in self._messages.values() if message.session_id == session_id]

    def heal(self) -> None:
        self._faults.clear()


def make_session(name: str, state: SessionState = SessionState.RUNNING, gone_at: datetime | None = None) -> Session:
    return Session(
        id=SessionId(name),
        name=name,
        agent="demo",
        host="here",
        pane=Pane(socket=f"/server of {name}", pane_id="%1", pid=1),
        command=("demo",),
        directory="/",
        created_at=T0,
        state=state,
        gone_at=gone_at,
    )


class Parts:
    """Sessions, mailbox, bus and couriers as the daemon wires them; no terminal is there."""

    def __init__(self, **settings: Any) -> None:
        self.clocks = Clocks()
        self.config = Config(**settings)
        self.store = FaultyStore()
        self.bus = Bus(self.store)
        self.outbox = Outbox(self.store, self.clocks.wall)
        nothing: Any = None
        self.sessions = Sessions(
            self.store, cast(Panes, nothing), cast(Kinds, nothing), self.clocks.wall, lambda session_id: None
        )
        self.live = LiveSessions(self.sessions.is_running)
        self.couriers = Couriers(self.store, self.live, self._courier, lambda pane: None)
        self.core = Core(
            config=self.config,
            kinds=cast(Kinds, nothing),
            store=self.store,
            bus=self.bus,
            outbox=self.outbox,
            panes=cast(Panes, nothing),
            sessions=self.sessions,
            live=self.live,
            clock=self.clocks.wall,
            texts=Path("/nowhere"),
        )
        self.mailbox = Mailbox(self.core, self.couriers, Loops(self.config, lambda: 0.0, nothing))
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        await self.store.open()
        self._stack.push_async_callback(self.store.close)
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._stack.aclose()

    async def add(self, *sessions: Session) -> None:
        for session in sessions:
            event = Event(at=T0, kind=EventKind.SESSION_CREATED, session_id=session.id)
            await self.store.add_session(session, event)
        await self.sessions.load()

    async def enqueue(self, name: str, session: str, **fields: Any) -> Message:
        known: dict[str, Any] = {"text": f"text of {name}", "queued_at": T0}
        message = Message(id=MessageId(name), session_id=SessionId(session), **(known | fields))
        return (await self.store.enqueue(message)).message

    def _courier(self, session_id: SessionId) -> Courier:
        """Enough of one for a session that is gone: nothing of a terminal is asked for."""
        nothing: Any = None
        equipment = Equipment(
            store=self.store,
            outbox=self.outbox,
            sessions=self.sessions,
            live=self.live,
            panes=cast(Panes, nothing),
            kinds=cast(Kinds, nothing),
            config=self.config,
            clock=self.clocks.wall,
            owner="owner",
            texts=Path("/nowhere"),
            editors=Editors(self.live),
            turns=cast(TurnBook, nothing),
            natives=cast(Natives, nothing),
            handovers=cast(Handovers, nothing),
        )
        return Courier(session_id, equipment)


async def run_until(work: Callable[[], Awaitable[None]], is_so: Callable[[], bool]) -> None:
    """Runs a worker until something is so; a worker that ends by itself, or by a failure, is the test's failure."""
    task = asyncio.ensure_future(work())
    try:
        await until(lambda: is_so() or task.done())
        if task.done():
            task.result()
            raise AssertionError("the worker has ended")
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
