"""Waits for agents: until they are idle, busy, waiting for a human, done with all that was sent, or until they announce something.

A goal is a word. `signal:STATE` stands for the agent's announcement of that state. A bare state means the same, except for
`completed`, which means that every message that was sent has completed. hark knows that from the agent's turns and not from what the
agent announces.
"""

import asyncio
from collections.abc import Sequence

from hark.daemon.core import Core
from hark.daemon.hearing.turn_book import TurnBook
from hark.model.errors import HarkError
from hark.model.event import Event
from hark.model.ids import SessionId
from hark.model.message import Status
from hark.model.session import Session, SessionState
from hark.model.signal import SignalState
from hark.queue.turns import Phase

PHASES = {"idle": Phase.IDLE, "busy": Phase.BUSY, "waiting": Phase.WAITING}
MESSAGES_COMPLETED = "completed"
SIGNALS = {f"signal:{state}": state for state in SignalState} | {
    str(state): state for state in SignalState if state != MESSAGES_COMPLETED
}
"""The signal that each goal waits for, for all goals that are about a signal."""
GOALS = (*PHASES, MESSAGES_COMPLETED, *SIGNALS)
_OPEN = (Status.QUEUED, Status.HELD, Status.STAGED, Status.SUBMITTED, Status.ACKNOWLEDGED)


class Waits:
    def __init__(self, core: Core, turns: TurnBook) -> None:
        self._store = core.store
        self._sessions = core.sessions
        self._turns = turns
        self._bus = core.bus

    async def until(
        self,
        wanted: Sequence[Session],
        goal: str,
        within_s: float,
        *,
        is_any: bool = False,
        after: int | None = None,
    ) -> list[Session]:
        """Wait until all sessions have reached the goal, or with `is_any` at least one of them. Return those that have. Signals count
        from the event `after` on."""
        if goal not in GOALS:
            raise HarkError("request-invalid", f"cannot wait for {goal!r}", f"wait for one of {', '.join(GOALS)}")
        after = await self._store.last_event_seq() if after is None else after
        signalled: set[SessionId] = set()
        there = await self._there(wanted, goal, signalled)
        try:
            async with asyncio.timeout(within_s):
                if not _is_enough(there, wanted, is_any=is_any):
                    async for event in self._bus.follow(after):
                        signalled |= _signals(event, goal)
                        there = await self._there(wanted, goal, signalled)
                        if _is_enough(there, wanted, is_any=is_any):
                            break
        except TimeoutError:
            pass
        if not _is_enough(there, wanted, is_any=is_any):
            raise self._too_late(goal, [session for session in wanted if session not in there])
        return there

    def _too_late(self, goal: str, missing: Sequence[Session]) -> HarkError:
        late = ", ".join(f"{session.name} ({self._turns.of(session.id).phase})" for session in missing)
        hint = "wait again; hark knows the phase only of agents whose hooks reach it (`hark doctor`)"
        return HarkError("wait-timeout", f"not {goal} in time: {late}", hint)

    async def _there(self, wanted: Sequence[Session], goal: str, signalled: set[SessionId]) -> list[Session]:
        return [session for session in wanted if await self._is_there(session, goal, signalled)]

    async def _is_there(self, session: Session, goal: str, signalled: set[SessionId]) -> bool:
        if self._sessions.get(session.id).state is SessionState.GONE:
            raise HarkError("session-not-found", f"{session.name} is gone", "`hark ls --all` shows what there was")
        if goal in SIGNALS:
            # A signal that was announced before and is not over counts as well.
            return session.id in signalled or self._sessions.get(session.id).signal_state == goal
        if goal == MESSAGES_COMPLETED:
            return not await self._store.messages(session.id, limit=1, statuses=_OPEN)
        if goal == "idle":
            # Whoever waits for the end of a turn also finds on record what it has completed.
            await self._turns.wait_written(session.id)
        if self._turns.of(session.id).phase is not PHASES[goal]:
            return False
        # Between two turns an agent looks idle, but it does not count as idle if a message is on its way to it.
        return goal != "idle" or not (
            self._turns.of(session.id).has_work or await self._store.first_pending(session.id)
        )


def _is_enough(there: list[Session], wanted: Sequence[Session], *, is_any: bool) -> bool:
    return bool(there) if is_any else len(there) == len(wanted)


def _signals(event: Event, goal: str) -> set[SessionId]:
    is_it = str(event.kind) == "signal" and event.data.get("state") == SIGNALS.get(goal)
    return {event.session_id} if is_it and event.session_id else set()
