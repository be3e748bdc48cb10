"""Starts agents again that have failed, where the session wants that (`restart = "on-failure"`).

What to do is decided when the session is recorded as gone, and is part of the same transaction. So a daemon that starts finds on record
which agents are due. An agent that keeps failing is given up, and a human is told by a signal.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from msgspec import Struct

from hark.daemon.process.clock import Clock
from hark.daemon.process.isolation import Isolation
from hark.daemon.process.log import logger
from hark.daemon.registry.endings import find_ending, forget_ending
from hark.daemon.registry.kept_starts import KeptStarts
from hark.daemon.registry.restarts import RestartOptions, Restarts
from hark.daemon.registry.sessions import Sessions
from hark.daemon.registry.starter import Place
from hark.model.errors import HarkError
from hark.model.event import Event, EventKind
from hark.model.session import LOST_SERVER, RestartPolicy, Session, SessionState
from hark.queue.comebacks import LONGEST_PAUSE_S, Ending, GiveUp, Leave, StartAgain, decide, describe

GAVE_UP = "hark does not start this agent again"
_NOT_STARTED = Ending(exit_code=126)
"""A start that fails counts like an agent that fails at once."""
_IN_VAIN = frozenset({"resume-unclear", "session-adopted", "session-running", "agent-unknown"})
"""The errors of a start that no later start could avoid."""
_NO_ENVIRONMENT = "the environment that it was started with is not on record any more"
_CONCERNS = (EventKind.SESSION_GONE, EventKind.SESSION_RESTARTED, EventKind.SESSION_GIVEN_UP)


class Plan(Struct, frozen=True, kw_only=True):
    """What is recorded with the end of a session."""

    why: str
    """Why the session is gone."""
    changes: dict[str, Any]


class Comebacks:
    def __init__(
        self,
        sessions: Sessions,
        restarts: Restarts,
        kept: KeptStarts,
        clock: Clock,
        most: int,
        tell: Callable[[Session, str], Awaitable[None]],
    ) -> None:
        """`most` is how often in a row hark starts an agent again; 0 sets no limit. `tell` tells a human."""
        self._sessions = sessions
        self._restarts = restarts
        self._kept = kept
        self._clock = clock
        self._most = most
        self._tell = tell
        self._changed = asyncio.Event()
        self._isolation = Isolation("comebacks", rests=False)

    def plan(self, session: Session, why: str) -> Plan:
        """Decide what becomes of a session whose agent is gone. `why` is what the watcher has seen."""
        ending = find_ending(session, why)
        words = describe(ending) if why != LOST_SERVER and describe(ending) else why
        if session.restart is not RestartPolicy.ON_FAILURE or session.is_adopted:
            return Plan(why=words, changes={})
        started_at = session.started_at or session.created_at
        ran_s = (self._clock() - started_at).total_seconds()
        decision = decide(ending, ran_s=ran_s, failures=session.failures, most=self._most)
        return Plan(why=words, changes=self._changes(decision))

    def _changes(self, decision: Leave | StartAgain | GiveUp) -> dict[str, Any]:
        match decision:
            case StartAgain(pause_s=pause_s, failures=failures):
                return {"failures": failures, "restart_at": self._clock() + timedelta(seconds=pause_s)}
            case GiveUp(failures=failures):
                return {"failures": failures, "restart_at": None, "has_given_up": True}
            case _:
                return {"failures": 0, "restart_at": None}

    def on_event(self, event: Event) -> None:
        if event.kind in _CONCERNS:
            self._changed.set()

    async def run(self) -> None:
        """Start what is due, now and whenever something becomes due; and tell of what was given up."""
        while True:
            self._changed.clear()
            for session in [one for one in self._sessions.all() if one.state is SessionState.GONE]:
                await self._isolation.run(session.id, partial(self._attend, session))
            try:
                async with asyncio.timeout(self._next_in_s()):
                    await self._changed.wait()
            except TimeoutError:
                continue

    def _next_in_s(self) -> float | None:
        """Return in how many seconds the next agent is due; None if none is."""
        due = [session.restart_at for session in self._sessions.all() if session.restart_at]
        return max(0.0, min(self._in_s(at) for at in due)) if due else None

    def _in_s(self, at: datetime) -> float:
        """Return in how many seconds an agent is due. A wall clock that was set back does not make anybody wait longer than the longest
        pause."""
        return min(LONGEST_PAUSE_S, (at - self._clock()).total_seconds())

    async def _attend(self, session: Session) -> None:
        if session.restart_at is None:
            self._kept.drop(session.id)
            forget_ending(session)
            if session.has_given_up and not session.signal_text.startswith(GAVE_UP):
                await self._tell_given_up(session, session.gone_because)
        elif self._in_s(session.restart_at) <= 0:
            await self._start(session)

    async def _start(self, session: Session) -> None:
        kept = self._kept.find(session.id)
        if kept is None:
            await self._give_up(session, _NO_ENVIRONMENT)
            return
        options = RestartOptions(
            environment=kept.environment,
            has_signals=kept.has_signals,
            is_automatic=True,
            place=Place(socket=None if session.gone_because == LOST_SERVER else session.pane.socket),
        )
        try:
            restarted = await self._restarts.restart(session, options)
        except HarkError as failure:
            await self._count_failed_start(session, failure)
            return
        logger.info("started again", extra={"session": session.name, "failures": restarted.session.failures})

    async def _count_failed_start(self, session: Session, failure: HarkError) -> None:
        logger.warning("not started again", extra={"session": session.name, "code": failure.code})
        current = self._sessions.get(session.id)
        if current.state is not SessionState.GONE or current.restart_at is None:
            return
        decision = decide(_NOT_STARTED, ran_s=0.0, failures=current.failures, most=self._most)
        if failure.code in _IN_VAIN or not isinstance(decision, StartAgain):
            await self._give_up(current, failure.detail)
            return
        await self._sessions.plan_restart(current, self._changes(decision), failure.detail)

    async def _give_up(self, session: Session, why: str) -> None:
        given_up = await self._sessions.give_up_restart(session, why)
        await self._tell_given_up(given_up, why)

    async def _tell_given_up(self, session: Session, why: str) -> None:
        failed = f"it has failed {session.failures} times in a row" if session.failures > 1 else "it has failed"
        await self._tell(session, f"{GAVE_UP}: {failed} ({why}); `hark restart {session.name}` starts it")
