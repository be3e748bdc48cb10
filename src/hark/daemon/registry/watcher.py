"""Watches the panes of all sessions. It asks every tmux server once a second, and at once when tmux says that panes have changed. A
session is gone when its pane is no longer there, or has another process."""

import asyncio
import os
from collections import defaultdict
from collections.abc import Awaitable, Callable
from functools import partial

from hark.daemon.core import Core
from hark.daemon.process.isolation import Isolation
from hark.daemon.process.log import logger
from hark.daemon.registry.comebacks import Plan
from hark.daemon.registry.sweep import by_server
from hark.daemon.session.live import Part
from hark.model.errors import HarkError
from hark.model.ids import SessionId
from hark.model.session import LOST_SERVER, Session
from hark.terminal.tmux.facts import PaneFacts, ServerFacts

PERIOD_S = 1.0
OPENS_WITHIN_S = 10.0
UNUSED_S = 2.0
"""How many seconds to stay connected to a tmux server without sessions of ours: somebody may just be starting one there."""
CLOCKS_DIFFER_S = 1.0
"""tmux rounds the time of its start to seconds, and may start a moment after hark has recorded the session."""
LOST_AFTER = 3
"""How many questions in a row must fail before a tmux server counts as gone: a single failure may be a moment of overload."""


class SeenPane(Part):
    """The facts of one session's pane at the last look."""

    facts: PaneFacts | None = None


class Watcher:
    def __init__(
        self,
        core: Core,
        wake: Callable[[SessionId], None],
        settle_unfinished: Callable[[], Awaitable[None]],
        plan: Callable[[Session, str], Plan],
    ) -> None:
        """`plan` decides what becomes of a session whose agent is gone."""
        self._sessions = core.sessions
        self._settle_unfinished = settle_unfinished
        self._plan = plan
        self._live = core.live
        self._panes = core.panes
        self._wake = wake
        self._clock = core.clock
        self._changed = asyncio.Event()
        self._isolation = Isolation("watcher", rests=False)
        self._silent: dict[str, int] = defaultdict(int)
        self._asked: dict[str, bool] = {}
        """The tmux servers that have been asked and have not answered yet, by socket; True if panes have changed since, so that the
        server must be asked again."""

    def seen(self, session_id: SessionId) -> PaneFacts | None:
        """Return the facts of the session's pane at the last look, about a second ago at most; None if there was no look yet."""
        seen = self._live.find(session_id, SeenPane)
        return seen.facts if seen else None

    def look_now(self, socket: str) -> None:
        self._changed.set()

    async def run(self) -> None:
        """Ask each server in a task of its own: a server that does not answer does not keep the others waiting."""
        self._asked.clear()
        has_changed = False
        async with asyncio.TaskGroup() as tasks:
            while True:
                self._changed.clear()
                await self._settle_unfinished()
                servers = by_server(self._sessions.running())
                await self._isolation.run("unused", partial(self._panes.leave_unused, set(servers), UNUSED_S))
                for socket, sessions in servers.items():
                    if socket in self._asked:
                        self._asked[socket] |= has_changed
                    else:
                        self._asked[socket] = False
                        tasks.create_task(self._ask(socket, sessions))
                has_changed = await self._rest()

    async def _rest(self) -> bool:
        """Wait for `PERIOD_S`, or until panes may have changed. Return True if they may have."""
        try:
            async with asyncio.timeout(PERIOD_S):
                return await self._changed.wait()
        except TimeoutError:
            return False

    async def _ask(self, socket: str, sessions: list[Session]) -> None:
        try:
            await self._isolation.run(socket, partial(self._look_at, socket, sessions))
        finally:
            if self._asked.pop(socket):
                self._changed.set()

    async def look(self) -> None:
        for socket, sessions in by_server(self._sessions.running()).items():
            await self._isolation.run(socket, partial(self._look_at, socket, sessions))

    async def _look_at(self, socket: str, sessions: list[Session]) -> None:
        try:
            facts = await self._panes.server(socket).facts()
        except HarkError as failure:
            self._silent[socket] += 1
            logger.warning(
                "tmux does not answer", extra={"socket": socket, "code": failure.code, "detail": failure.detail}
            )
            if failure.code == "tmux-gone" and self._silent[socket] >= LOST_AFTER:
                for session in sessions:
                    await self._isolation.run(session.id, partial(self._gone, session, LOST_SERVER))
            return
        self._silent[socket] = 0
        for session in sessions:
            await self._isolation.run(session.id, partial(self._compare, session, facts))

    async def _compare(self, session: Session, facts: ServerFacts) -> None:
        pane = facts.panes.get(session.pane.pane_id)
        if pane is None or pane.is_dead or pane.pid != session.pane.pid:
            await self._gone(session, _why_gone(session, pane, facts))
            return
        if session.airlock and self._has_closed(session, session.airlock):
            await self._gone(session, "its program has ended")
            return
        await self._panes.watch(session.pane) if not pane.has_pipe else None
        seen = self._live.of(session.id).part(SeenPane)
        before, seen.facts = seen.facts, pane
        if before and (before.in_mode, before.foreground) != (pane.in_mode, pane.foreground):
            self._wake(session.id)

    def _has_closed(self, session: Session, airlock: str) -> bool:
        """Return True if the session's airlock has closed. An airlock removes its socket when its agent has ended; a new airlock needs a
        moment to open its socket."""
        return (
            not os.path.exists(airlock)
            and (self._clock() - (session.started_at or session.created_at)).total_seconds() > OPENS_WITHIN_S
        )

    async def _gone(self, session: Session, why: str) -> None:
        plan = self._plan(session, why)
        logger.info("session gone", extra={"session": session.name, "why": plan.why})
        self._isolation.forget(session.id)
        await self._sessions.mark_gone(session, plan.why, plan.changes)


def _why_gone(session: Session, pane: PaneFacts | None, facts: ServerFacts) -> str:
    """Return why the session is gone. A server that is younger than the session's agent is another one: the agent's server has ended."""
    started_at = (session.started_at or session.created_at).timestamp()
    if facts.started_at > started_at + CLOCKS_DIFFER_S:
        return LOST_SERVER
    return "its pane is gone" if pane is None else "its program has ended"
