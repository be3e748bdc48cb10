"""Keeps what every session's agent is doing, from all that is heard of it, and writes down what that proves of messages."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

from hark.agents.kinds import Kinds
from hark.daemon.clock import Clock
from hark.daemon.log import logger
from hark.daemon.panes import Panes
from hark.daemon.rounds import go_round
from hark.daemon.sessions import Sessions
from hark.delivery.box import read_box
from hark.model.errors import HarkError
from hark.model.event import Event, EventKind
from hark.model.heard import Heard, Said
from hark.model.ids import MessageId, SessionId
from hark.model.message import Status
from hark.model.session import Session
from hark.queue import turns as rules
from hark.queue.lifecycle import Step
from hark.queue.turns import Acknowledged, Fact, Phase, Task, Turns
from hark.store.contract import Store

PERIOD_S = 1.0


class TurnBook:
    def __init__(self, store: Store, sessions: Sessions, panes: Panes, kinds: Kinds, clock: Clock) -> None:
        self._store = store
        self._sessions = sessions
        self._panes = panes
        self._kinds = kinds
        self._clock = clock
        self._turns: dict[SessionId, Turns] = defaultdict(Turns)
        self._heard: set[SessionId] = set()
        """Of whom anybody has told us anything: of the others nothing is claimed."""
        self._heard_prompts: set[SessionId] = set()
        self._writing: dict[SessionId, asyncio.Lock] = defaultdict(asyncio.Lock)
        self.on_heard: Callable[[SessionId, Heard], Awaitable[None]] | None = None
        """Whoever else wants to know what agents say about themselves."""

    async def load(self) -> None:
        """What the agents were known to work on when the daemon before us ended."""
        for session in self._sessions.running():
            taken = await self._store.messages(session.id, statuses=(Status.ACKNOWLEDGED,))
            prompts = [message for message in reversed(taken) if not message.is_inbox]
            tasks = tuple(Task(message.id, message.acknowledged_at or message.queued_at) for message in prompts)
            if tasks:
                self.expect_prompts(session.id)
                self._turns[session.id] = Turns(working_on=tasks)

    def of(self, session_id: SessionId) -> Turns:
        return self._turns.get(session_id) or Turns()

    async def hear(self, session_id: SessionId, heard: Heard) -> None:
        self._heard.add(session_id)
        if heard.said is Said.PROMPT_SUBMITTED:
            self._heard_prompts.add(session_id)
        await self._apply(session_id, *rules.hear(self.of(session_id), heard))
        if self.on_heard:
            await self.on_heard(session_id, heard)

    def hears_prompts(self, session_id: SessionId) -> bool:
        return session_id in self._heard_prompts

    async def see(self, session_id: SessionId, phase: Phase, at: datetime) -> None:
        """What a witness sees of it."""
        self._heard.add(session_id)
        is_heard = session_id in self._heard_prompts
        turns = self.of(session_id)
        await self._apply(session_id, *rules.witness(turns, phase, at, self._clock(), is_prompt_heard=is_heard))

    def expect_prompts(self, session_id: SessionId) -> None:
        """Its agent says which prompts it takes."""
        self._heard.add(session_id)
        self._heard_prompts.add(session_id)

    def on_event(self, event: Event) -> None:
        """A message that was submitted is on its way into a turn; a session that is gone has none. What an agent fetches from
        its inbox is no prompt: it is done when the agent says so, and that may be many turns later."""
        if event.session_id is None or event.data.get("is_inbox"):
            return
        if event.kind is EventKind.SESSION_GONE:
            self._turns.pop(event.session_id, None)
            self._heard.discard(event.session_id)
            self._heard_prompts.discard(event.session_id)
        elif event.kind is EventKind.MESSAGE and event.data.get("status") == Status.SUBMITTED and event.message_id:
            self._submitted(event.session_id, event.message_id, event.at)

    def _submitted(self, session_id: SessionId, message_id: MessageId, at: datetime) -> None:
        if session_id in self._heard:
            is_heard = session_id in self._heard_prompts
            self._turns[session_id] = rules.submit(self.of(session_id), message_id, at, is_prompt_heard=is_heard)

    async def end_interrupted(self, session_id: SessionId, given_back: Sequence[MessageId]) -> None:
        """We have interrupted its turn, and seen it end. What it gave back unanswered is not done with it."""
        self._turns[session_id] = rules.give_back(self.of(session_id), tuple(given_back))
        if self.of(session_id).phase is Phase.BUSY:
            await self.hear(session_id, Heard(said=Said.INTERRUPTED, at=self._clock()))

    async def is_waiting(self, session: Session) -> bool:
        """For a human's permission. Not any more when its input box is in view again: a denial is told by nobody."""
        if self.of(session.id).phase is Phase.WAITING:
            await self.look(session)
        return self.of(session.id).phase is Phase.WAITING

    async def look(self, session: Session) -> None:
        """What the terminal says about a turn that nobody has ended."""
        quiet_s = self._panes.quiet_s(session.pane)
        screen = await self._panes.of(session.pane).screen(session.pane)
        has_box = read_box(screen, self._kinds.get(session.agent).box) is not None
        turns = self.of(session.id)
        await self._apply(session.id, *rules.lapse(turns, self._clock(), quiet_s=quiet_s, has_box=has_box))

    async def run(self) -> None:
        await go_round(self._sessions, self._try_look, PERIOD_S)

    async def _try_look(self, session: Session) -> None:
        if self.of(session.id).phase not in (Phase.BUSY, Phase.WAITING):
            return
        try:
            await self.look(session)
        except HarkError as failure:
            logger.info("no look at a turn", extra={"session": session.name, "code": failure.code})

    async def _apply(self, session_id: SessionId, turns: Turns, facts: tuple[Fact, ...]) -> None:
        before = self.of(session_id)
        self._turns[session_id] = turns
        async with self._writing[session_id]:
            for fact in facts:
                await self._record(session_id, fact)
            if turns.phase is not before.phase:
                data = {"phase": str(turns.phase), "detail": turns.detail}
                event = Event(at=self._clock(), kind=EventKind.TURN, session_id=session_id, data=data)
                await self._store.add_event(event)

    async def _record(self, session_id: SessionId, fact: Fact) -> None:
        if isinstance(fact, Acknowledged):
            await self._move(session_id, fact, Status.ACKNOWLEDGED, "the agent itself said so")
        else:
            detail = "its turn was interrupted" if fact.was_interrupted else "its turn has ended"
            detail = "its agent has fallen silent" if fact.is_inferred else detail
            detail = "its agent is seen to be idle" if fact.is_seen else detail
            await self._move(session_id, fact, Status.COMPLETED, detail)

    async def _move(self, session_id: SessionId, fact: Fact, status: Status, detail: str) -> None:
        """An id that is not ours, or of another session, or of a message that cannot get there, proves nothing."""
        try:
            if (await self._store.message(fact.message_id)).session_id != session_id:
                return
            # An agent may say it faster than we can write down what we saw, or have another clock.
            known_at = max(receipt.at for receipt in await self._store.receipts(fact.message_id))
            at = max(known_at, min(fact.at, self._clock()))
            await self._store.move(fact.message_id, Step(status=status, at=at, detail=detail))
        except HarkError as refused:
            extra = {"message_id": fact.message_id, "status": str(status), "code": refused.code}
            logger.info("what was heard proves nothing", extra=extra)
