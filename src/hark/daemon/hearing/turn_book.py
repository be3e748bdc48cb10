"""Keeps track of what every session's agent is doing, from all that is heard of the agent, and writes down what that proves about
messages.

A fact that cannot be written down now, because the disk is full or the database is locked, is owed and written later. If the daemon
ends before that, the next daemon finds the messages open in the store, and hears or sees their end once more.
"""

import asyncio
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

from msgspec.structs import replace

from hark.agents.kinds import Kinds
from hark.daemon.outbox import Outbox
from hark.daemon.panes import Panes
from hark.daemon.process.clock import Clock
from hark.daemon.process.log import logger
from hark.daemon.registry.sessions import Sessions
from hark.daemon.registry.sweep import go_round
from hark.delivery.screen.box import read_box
from hark.delivery.screen.capture import Screen
from hark.model.errors import HarkError
from hark.model.event import Event, EventKind
from hark.model.heard import Heard, Said
from hark.model.ids import MessageId, SessionId
from hark.model.message import Message, Status
from hark.model.session import Hearing, Session
from hark.queue import turns as rules
from hark.queue.lifecycle import TextPlace, is_on_its_way, text_place
from hark.queue.turns import Acknowledged, Fact, Phase, Task, Turns
from hark.store.contract import Store

PERIOD_S = 1.0
MOST_IDS = 1000
"""How many message ids of one prompt are looked up; hark never puts as many into one prompt."""
PROVES_NOTHING = frozenset({"message-not-found", "transition-illegal"})
"""The error codes with which the store answers a fact that is not about our messages, or that comes too late. Any other error is a
failure of the store."""

Owed = Fact | Event


class TurnBook:
    def __init__(
        self, store: Store, outbox: Outbox, sessions: Sessions, panes: Panes, kinds: Kinds, clock: Clock
    ) -> None:
        self._store = store
        self._outbox = outbox
        self._sessions = sessions
        self._panes = panes
        self._kinds = kinds
        self._clock = clock
        self._turns: dict[SessionId, Turns] = defaultdict(Turns)
        self._heard: set[SessionId] = set()
        """The sessions of which something was heard; nothing is claimed about the others."""
        self._heard_prompts: set[SessionId] = set()
        self._writing: dict[SessionId, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._owed: dict[SessionId, deque[Owed]] = defaultdict(deque)
        """Changes that are known and not yet written to the store, in order."""
        self._screens: dict[SessionId, tuple[Screen, float]] = {}
        """The last screen of each session whose output we cannot hear, and since when the screen has looked like that."""
        self.on_heard: Callable[[SessionId, Heard], Awaitable[None]] | None = None
        """Called with everything that agents say about themselves."""

    async def load(self) -> None:
        """Restore which messages the agents had been given and had not finished when the daemon before this one ended. Hooks may have
        reported meanwhile, when no daemon listened."""
        for session in self._sessions.running():
            if session.hearing is not Hearing.NOTHING:
                self._heard.add(session.id)
            if session.hearing is Hearing.PROMPTS:
                self._heard_prompts.add(session.id)
            taken = await self._open_prompts(session, Status.ACKNOWLEDGED)
            working_on = tuple(Task(message.id, message.acknowledged_at or message.queued_at) for message in taken)
            if working_on:
                self.expect_prompts(session.id)
            given = await self._open_prompts(session, Status.SUBMITTED)
            expected = [Task(m.id, m.delivered_at or m.queued_at, is_heard=False) for m in given]
            if working_on or expected:
                self._turns[session.id] = rules.expect(Turns(working_on=working_on), expected)

    async def _open_prompts(self, session: Session, status: Status) -> list[Message]:
        """Return the session's messages with this status, the oldest first, without those that its agent has fetched itself."""
        found = await self._store.messages(session.id, rules.MOST_EXPECTED, (status,))
        return sorted((m for m in found if not m.is_inbox), key=lambda m: (m.delivered_at or m.queued_at, m.sequence))

    def of(self, session_id: SessionId) -> Turns:
        return self._turns.get(session_id) or Turns()

    async def expected(self, session_id: SessionId, message_ids: Sequence[MessageId]) -> tuple[MessageId, ...]:
        """Return those of the ids whose messages hark has put on their way to this session; any other id in a prompt proves nothing. If
        the store cannot tell now, the id is kept: it is checked again when the fact that it proves is written down."""
        return tuple([one for one in message_ids[:MOST_IDS] if await self._is_expected(session_id, one)])

    async def _is_expected(self, session_id: SessionId, message_id: MessageId) -> bool:
        try:
            message = await self._store.message(message_id)
        except HarkError as failure:
            return failure.code not in PROVES_NOTHING
        return message.session_id == session_id and is_on_its_way(message)

    async def hear(self, session_id: SessionId, heard: Heard) -> None:
        if heard.message_ids:
            heard = replace(heard, message_ids=await self.expected(session_id, heard.message_ids))
        self._heard.add(session_id)
        if heard.said is Said.PROMPT_SUBMITTED:
            self._heard_prompts.add(session_id)
        await self._note_hearing(session_id)
        await self._apply(session_id, *rules.hear(self.of(session_id), heard))
        if self.on_heard:
            try:
                await self.on_heard(session_id, heard)
            except HarkError as failure:
                # What the agent says about its turns counts even if a listener fails.
                logger.warning("not all listeners took a report", extra={"session": session_id, "code": failure.code})

    def hears_prompts(self, session_id: SessionId) -> bool:
        return session_id in self._heard_prompts

    def beginning(self, session_id: SessionId) -> tuple[MessageId, ...]:
        """Return the messages that the session's agent may not have begun with; none if nobody reports what this agent does."""
        return rules.beginning(self.of(session_id), self._clock()) if session_id in self._heard else ()

    async def see(self, session_id: SessionId, phase: Phase, at: datetime) -> None:
        """Take in what a witness sees of the session's agent."""
        self._heard.add(session_id)
        await self._note_hearing(session_id)
        is_heard = session_id in self._heard_prompts
        turns = self.of(session_id)
        await self._apply(session_id, *rules.witness(turns, phase, at, self._clock(), is_prompt_heard=is_heard))

    def expect_prompts(self, session_id: SessionId) -> None:
        """Take note that the session's agent tells which prompts it takes."""
        self._heard.add(session_id)
        self._heard_prompts.add(session_id)

    async def _note_hearing(self, session_id: SessionId) -> None:
        """Store for the next daemon what can be heard of the agent. If that fails now, the next event tries again."""
        hearing = Hearing.PROMPTS if session_id in self._heard_prompts else Hearing.TURNS
        try:
            await self._sessions.note(session_id, hearing=hearing)
        except HarkError as failure:
            logger.info(
                "what can be heard of an agent is not stored", extra={"session": session_id, "code": failure.code}
            )

    def on_event(self, event: Event) -> None:
        """Take note of a message that was submitted, which is on its way into a turn, and forget a session that is gone. A message that
        an agent fetches from its inbox is no prompt: it is completed when the agent says so, which may be many turns later."""
        if event.session_id is None or event.data.get("is_inbox"):
            return
        if event.kind is EventKind.SESSION_GONE:
            self._turns.pop(event.session_id, None)
            self._screens.pop(event.session_id, None)
            self._heard.discard(event.session_id)
            self._heard_prompts.discard(event.session_id)
        elif event.kind is EventKind.SESSION_FORGOTTEN:
            self._writing.pop(event.session_id, None)
            self._owed.pop(event.session_id, None)
        elif event.kind is EventKind.MESSAGE and event.data.get("status") == Status.SUBMITTED and event.message_id:
            self._submitted(event.session_id, event.message_id, event.at)

    def _submitted(self, session_id: SessionId, message_id: MessageId, at: datetime) -> None:
        if session_id in self._heard:
            is_heard = session_id in self._heard_prompts
            self._turns[session_id] = rules.submit(self.of(session_id), message_id, at, is_prompt_heard=is_heard)
        else:
            # The first word of this agent may come later, or may have been lost.
            self._turns[session_id] = rules.expect(self.of(session_id), (Task(message_id, at, is_heard=False),))

    async def end_interrupted(self, session_id: SessionId, given_back: Sequence[MessageId]) -> None:
        """End the session's turn, which hark has interrupted and seen to end. The messages that the agent gave back unanswered are not
        completed by that."""
        self._turns[session_id] = rules.give_back(self.of(session_id), tuple(given_back))
        if self.of(session_id).phase is Phase.BUSY:
            await self.hear(session_id, Heard(said=Said.INTERRUPTED, at=self._clock()))

    async def is_waiting(self, session: Session) -> bool:
        """Return True if the agent waits for a human's permission. An input box in view ends the wait, because no agent reports that a
        human denied the permission."""
        if self.of(session.id).phase is Phase.WAITING:
            await self.look(session)
        return self.of(session.id).phase is Phase.WAITING

    async def look(self, session: Session) -> None:
        """Take in what the terminal shows about a turn whose end nobody has reported."""
        screen = await self._panes.of(session.pane).screen(session.pane)
        kind = self._kinds.get(session.agent)
        quiet_s = None if kind.shows_turn(screen) else self._quiet_s(session, screen)
        box = read_box(screen, kind.box)
        turns = self.of(session.id)
        # A header with a message's id may be wrapped over two rows of the box.
        in_box = [message_id for message_id in turns.message_ids if box and message_id in "".join(box.rows)]
        lapsed = rules.lapse(turns, self._clock(), quiet_s=quiet_s, has_box=box is not None, in_box=in_box)
        await self._apply(session.id, *lapsed)

    def _quiet_s(self, session: Session, screen: Screen) -> float | None:
        """Return how many seconds the session has printed nothing; if we cannot hear its output, how many seconds its screen has looked
        the same."""
        if (quiet_s := self._panes.quiet_s(session.pane)) is not None:
            self._screens.pop(session.id, None)
            return quiet_s
        now_s = asyncio.get_running_loop().time()
        known, since_s = self._screens.get(session.id, (None, now_s))
        self._screens[session.id] = screen, (since_s if known == screen else now_s)
        return now_s - self._screens[session.id][1]

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(go_round(self._sessions, self._try_look, PERIOD_S, "turns"))
            tasks.create_task(self._write_owed())

    async def _write_owed(self) -> None:
        while True:
            await asyncio.sleep(PERIOD_S)
            for session_id in [session_id for session_id, owed in self._owed.items() if owed]:
                await self._write(session_id)

    def _needs_look(self, session_id: SessionId) -> bool:
        turns = self.of(session_id)
        return session_id in self._heard and (turns.phase is not Phase.IDLE or turns.has_work)

    async def _try_look(self, session: Session) -> None:
        if not self._needs_look(session.id):
            self._screens.pop(session.id, None)
            return
        try:
            await self.look(session)
        except HarkError as failure:
            logger.info("a turn could not be looked at", extra={"session": session.name, "code": failure.code})

    async def _apply(self, session_id: SessionId, turns: Turns, facts: tuple[Fact, ...]) -> None:
        before, owed = self.of(session_id), self._owed[session_id]
        self._turns[session_id] = turns
        owed.extend(facts)
        if turns.phase is not before.phase:
            if owed and isinstance(owed[-1], Event):
                owed.pop()
            data = {"phase": str(turns.phase), "detail": turns.detail}
            owed.append(Event(at=self._clock(), kind=EventKind.TURN, session_id=session_id, data=data))
        await self._write(session_id)

    async def _write(self, session_id: SessionId) -> None:
        """Write to the store what is owed, in order, until the store refuses."""
        async with self._writing[session_id]:
            owed = self._owed[session_id]
            while owed:
                first = owed[0]
                try:
                    await (
                        self._store.add_event(first) if isinstance(first, Event) else self._record(session_id, first)
                    )
                except HarkError as failure:
                    logger.warning("not written yet", extra={"session": session_id, "code": failure.code})
                    return
                if owed and owed[0] is first:
                    owed.popleft()

    async def _record(self, session_id: SessionId, fact: Fact) -> None:
        if isinstance(fact, Acknowledged):
            await self._move(session_id, fact, Status.ACKNOWLEDGED, "the agent itself said so")
        else:
            detail = "its turn was interrupted" if fact.was_interrupted else "its turn has ended"
            detail = "its agent has fallen silent" if fact.is_inferred else detail
            detail = "its agent is seen to be idle" if fact.is_seen else detail
            await self._move(session_id, fact, Status.COMPLETED, detail)

    async def _move(self, session_id: SessionId, fact: Fact, status: Status, detail: str) -> None:
        """Move the message of a fact to a new status. A fact proves nothing if the id is unknown, belongs to another session, or belongs
        to a message that cannot reach that status."""
        try:
            message = await self._store.message(fact.message_id)
            if message.session_id != session_id:
                return
            # An agent may report a fact faster than we write down what we saw, or may have another clock.
            known_at = max(receipt.at for receipt in await self._store.receipts(fact.message_id))
            at = max(known_at, min(fact.at, self._clock()))
            write = self._outbox.acknowledge if status is Status.ACKNOWLEDGED else self._outbox.complete
            await write(fact.message_id, detail, at=at)
        except HarkError as refused:
            if refused.code not in PROVES_NOTHING:
                raise
            extra = {"message_id": fact.message_id, "status": str(status), "code": refused.code}
            logger.info("what was heard proves nothing", extra=extra)
            return
        if status is Status.ACKNOWLEDGED and text_place(message) in (TextPlace.BOX, TextPlace.API):
            self._turns[session_id] = rules.overtake(self.of(session_id), fact.message_id)
