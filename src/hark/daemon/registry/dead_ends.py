"""Ends the messages that an agent had and has not completed when it ended. Nobody will complete them any more, so everybody who waits
for them is told at once. Messages that the agent did not have yet are the courier's: they wait, and say that the session is gone."""

from functools import partial

from hark.daemon.core import Core
from hark.daemon.hearing.turn_book import TurnBook
from hark.daemon.process.isolation import Isolation
from hark.model.errors import HarkError
from hark.model.event import Event, EventKind
from hark.model.ids import SessionId
from hark.model.message import Message
from hark.queue.dead_ends import WITH_THE_AGENT, is_dead_end

MOST = 10_000
"""The largest number of messages of a session that are ended together."""
ENDED = "the agent ended"
LET_GO = "its session is gone"
"""What is known of an adopted pane: its agent ended, or hark has let the pane go."""


class DeadEnds:
    def __init__(self, core: Core, turns: TurnBook) -> None:
        self._store = core.store
        self._outbox = core.outbox
        self._sessions = core.sessions
        self._turns = turns
        self._bus = core.bus
        self._isolation = Isolation("dead ends", rests=False)

    async def run(self) -> None:
        """End the messages of agents that have ended: first of those that ended while no daemon ran, then of each that ends."""
        after = await self._store.last_event_seq()
        for session in self._sessions.all():
            await self._isolation.run(session.id, partial(self._end_all, session.id))
        async for event in self._bus.follow(after, self._is_wanted):
            if self._is_wanted(event) and event.session_id:
                await self._isolation.run(event.session_id, partial(self._end_all, event.session_id))

    def _is_wanted(self, event: Event) -> bool:
        """Return True if a session is gone, or if a gone session's agent was given a message, which became known only now."""
        if event.kind is EventKind.SESSION_GONE:
            return True
        is_given = event.kind is EventKind.MESSAGE and event.data.get("status") in WITH_THE_AGENT
        return is_given and event.session_id is not None and not self._sessions.is_running(event.session_id)

    async def _end_all(self, session_id: SessionId) -> None:
        if not self._sessions.is_known(session_id):
            return
        # What the agent said before it ended may not be written yet.
        await self._turns.settle(session_id)
        session = self._sessions.get(session_id)
        for message in await self._store.messages(session_id, MOST, WITH_THE_AGENT):
            if is_dead_end(message, session):
                await self._end(message, LET_GO if session.is_adopted else ENDED)

    async def _end(self, message: Message, detail: str) -> None:
        """End the message, unless somebody else has ended it meanwhile."""
        try:
            await self._outbox.fail(message.id, detail)
        except HarkError as failure:
            if failure.code not in ("transition-illegal", "message-not-found"):
                raise
