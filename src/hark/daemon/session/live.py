"""All that the daemon knows about a session while it runs, in one object for each session.

The object has parts. Each room of the daemon defines the part that it needs (the courier, the turns, the hook reports, the editor ticket
…) and asks for it here; nobody else keeps anything by session. When a session is gone, `LiveSessions` ends all its parts and lets the
object go. A part that is at work (it holds a lock, or owes something to the store) is ended as soon as its work is done.
"""

import asyncio
from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeVar

from hark.daemon.process.isolation import Isolation
from hark.model.event import Event, EventKind
from hark.model.ids import SessionId

SWEEP_S = 1.0
ENDS_WITHIN_S = 5.0
AT_WORK_POLL_S = 0.05


class Part:
    """What one room of the daemon knows about one session."""

    @property
    def is_at_work(self) -> bool:
        """True if the part cannot be ended yet."""
        return False

    async def end(self) -> None:
        """Close what the part has open. The session is gone."""


PartKind = TypeVar("PartKind", bound=Part)


class LiveSession:
    """All parts of one session. There is at most one part of each class."""

    def __init__(self, session_id: SessionId) -> None:
        self.id = session_id
        self._parts: dict[type[Part], Part] = {}

    def part(self, kind: type[PartKind], make: Callable[[], PartKind] | None = None) -> PartKind:
        """Return the session's part of this class. If there is none yet, `make` makes it; by default the class does."""
        if (found := self.find(kind)) is None:
            found = self._parts[kind] = (make or kind)()
        return found

    def find(self, kind: type[PartKind]) -> PartKind | None:
        """Return the session's part of this class; None if there is none."""
        found = self._parts.get(kind)
        return found if isinstance(found, kind) else None

    def drop(self, part: Part) -> None:
        """Let a part go that has ended by itself."""
        if self._parts.get(type(part)) is part:
            del self._parts[type(part)]

    async def end(self) -> bool:
        """End all parts that are not at work. Return True if none is left."""
        for part in list(self._parts.values()):
            if not part.is_at_work:
                self.drop(part)
                await part.end()
        return not self._parts


class LiveSessions:
    """The live sessions by their ids. `forget` is the one way out of it."""

    def __init__(self, is_running: Callable[[SessionId], bool]) -> None:
        self._is_running = is_running
        self._by_id: dict[SessionId, LiveSession] = {}
        self._gone = asyncio.Event()
        self._isolation = Isolation("live sessions", rests=False)

    def of(self, session_id: SessionId) -> LiveSession:
        if session_id not in self._by_id:
            self._by_id[session_id] = LiveSession(session_id)
        return self._by_id[session_id]

    def find(self, session_id: SessionId, kind: type[PartKind]) -> PartKind | None:
        """Return the session's part of this class; None if there is none. Unlike `of` this makes nothing for an id that somebody has
        made up."""
        live = self._by_id.get(session_id)
        return live.find(kind) if live else None

    def parts(self, kind: type[PartKind]) -> Iterator[tuple[SessionId, PartKind]]:
        """Return every session's part of this class, if it has one."""
        for live in list(self._by_id.values()):
            if part := live.find(kind):
                yield live.id, part

    def on_event(self, event: Event) -> None:
        if event.kind is EventKind.SESSION_GONE:
            self._gone.set()

    async def run(self) -> None:
        """Forget every session that is gone: at once, and as soon as the last of its parts has done its work."""
        while True:
            self._gone.clear()
            for session_id in [session_id for session_id in self._by_id if not self._is_running(session_id)]:
                await self._isolation.run(session_id, partial(self._forget_in_time, session_id))
            try:
                async with asyncio.timeout(SWEEP_S):
                    await self._gone.wait()
            except TimeoutError:
                continue

    async def _forget_in_time(self, session_id: SessionId) -> None:
        # What a part has open may be a connection to a program that does not answer.
        async with asyncio.timeout(ENDS_WITHIN_S):
            if not self._is_running(session_id):
                await self.forget(session_id)

    async def end(self, session_id: SessionId) -> None:
        """End all that is known about a session, and wait for the parts that are at work, for a while: the session will start again, and
        must not find the parts of the agent that is gone."""
        async with asyncio.timeout(ENDS_WITHIN_S):
            while session_id in self._by_id:
                await self.forget(session_id)
                await asyncio.sleep(AT_WORK_POLL_S if session_id in self._by_id else 0)

    async def forget(self, session_id: SessionId) -> None:
        """End all that is known about a session, except for the parts that are at work."""
        live = self._by_id.get(session_id)
        # Two may end the same session at once, and the session may have started again, with other parts, before the slower one is done.
        if live is not None and await live.end() and self._by_id.get(session_id) is live:
            del self._by_id[session_id]
            self._isolation.forget(session_id)
