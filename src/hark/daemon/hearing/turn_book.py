"""Keeps track of what every session's agent is doing, from all that is heard of the agent, and writes down what that proves about
messages.

A fact that cannot be written down now, because the disk is full or the database is locked, is owed and written later. If the daemon
ends before that, the next daemon finds the messages open in the store, and hears or sees their end once more.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from msgspec.structs import replace

from hark.daemon.core import Core
from hark.daemon.process.log import logger
from hark.daemon.registry.sweep import go_round
from hark.daemon.session.live import Part
from hark.delivery.screen.box import read_box
from hark.delivery.screen.capture import Screen
from hark.model.answer import Answer
from hark.model.errors import HarkError
from hark.model.event import Event, EventKind
from hark.model.heard import Heard, Said
from hark.model.ids import MessageId, SessionId
from hark.model.message import Message, Status
from hark.model.session import Hearing, Session
from hark.queue import turns as rules
from hark.queue.lifecycle import TextPlace, is_on_its_way, legal, text_place
from hark.queue.turns import Acknowledged, Completed, Fact, Phase, Task, Turns

PERIOD_S = 1.0
MOST_IDS = 1000
"""How many message ids of one prompt are looked up; hark never puts as many into one prompt."""
PROVES_NOTHING = frozenset({"message-not-found", "transition-illegal"})
"""The error codes with which the store answers a fact that is not about our messages, or that comes too late. Any other error is a
failure of the store."""

Owed = Fact | Event


class SessionTurns(Part):
    """The turns of one session's agent."""

    def __init__(self) -> None:
        self.turns = Turns()
        self.is_heard = False
        """True if something was heard of the agent; otherwise nothing is claimed about it."""
        self.hears_prompts = False
        self.writing = asyncio.Lock()
        self.owed: deque[Owed] = deque()
        """Changes that are known and not yet written to the store, in order."""
        self.screen: tuple[Screen, float] | None = None
        """The last screen, and since when it has looked like that, if we cannot hear the session's output."""
        self.writer: asyncio.Task[None] | None = None
        """The task that writes what is owed, if that needs time because an answer is read first."""

        self.cut_at: datetime | None = None
        """When hark told a turn of this session to end last, for an urgent message; None if it never did."""

    @property
    def is_at_work(self) -> bool:
        return bool(self.owed) or self.writing.locked()


@dataclass(frozen=True, kw_only=True)
class TurnListeners:
    """Who is told what agents say, and who knows their answers."""

    on_heard: Callable[[SessionId, Heard], Awaitable[None]]
    """Called with everything that agents say about themselves."""
    on_seen: Callable[[SessionId, Phase, datetime], Awaitable[None]]
    """Called with what the status of an agent says, and since when."""
    find_answer: Callable[[Message, Completed], Awaitable[Answer]]
    """Returns the answer to a message whose turn has ended. The answer is stored together with the end."""


class TurnBook:
    def __init__(self, core: Core, listeners: TurnListeners) -> None:
        self._store = core.store
        self._outbox = core.outbox
        self._sessions = core.sessions
        self._live = core.live
        self._panes = core.panes
        self._kinds = core.kinds
        self._clock = core.clock
        self._listeners = listeners
        self._tasks: asyncio.TaskGroup | None = None

    async def load(self) -> None:
        """Restore which messages the agents had been given and had not finished when the daemon before this one ended. Hooks may have
        reported meanwhile, when no daemon listened."""
        for session in self._sessions.running():
            state = self._state(session.id)
            state.is_heard = session.hearing is not Hearing.NOTHING
            state.hears_prompts = session.hearing is Hearing.PROMPTS
            taken = await self._open_prompts(session, Status.ACKNOWLEDGED)
            working_on = tuple(Task(message.id, message.acknowledged_at or message.queued_at) for message in taken)
            if working_on:
                self.expect_prompts(session.id)
            given = await self._open_prompts(session, Status.SUBMITTED)
            expected = [Task(m.id, m.delivered_at or m.queued_at, is_heard=False) for m in given]
            if working_on or expected:
                state.turns = rules.expect(Turns(working_on=working_on), expected)

    async def _open_prompts(self, session: Session, status: Status) -> list[Message]:
        """Return the session's messages with this status, the oldest first, without those that its agent has fetched itself."""
        found = await self._store.messages(session.id, rules.MOST_EXPECTED, (status,))
        return sorted((m for m in found if not m.is_inbox), key=lambda m: (m.delivered_at or m.queued_at, m.sequence))

    def of(self, session_id: SessionId) -> Turns:
        state = self._live.find(session_id, SessionTurns)
        return state.turns if state else Turns()

    def _state(self, session_id: SessionId) -> SessionTurns:
        return self._live.of(session_id).part(SessionTurns)

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

    async def _is_done(self, message_id: MessageId) -> bool:
        try:
            return (await self._store.message(message_id)).status in (Status.COMPLETED, Status.INTERRUPTED)
        except HarkError:
            return False

    async def hear(self, session_id: SessionId, heard: Heard) -> None:
        # A new daemon hears of older turns too. Their messages are done, and their ends, which keep the ids, end no other turn.
        if heard.message_ids and heard.said is Said.PROMPT_SUBMITTED:
            ids = await self.expected(session_id, heard.message_ids)
            heard = replace(heard, message_ids=tuple([one for one in ids if not await self._is_done(one)]))
        state = self._state(session_id)
        state.is_heard = True
        state.hears_prompts = state.hears_prompts or heard.said is Said.PROMPT_SUBMITTED
        await self._note_hearing(session_id)
        await self._apply(session_id, *rules.hear(self.of(session_id), heard))
        try:
            await self._listeners.on_heard(session_id, heard)
        except HarkError as failure:
            # What the agent says about its turns counts even if a listener fails.
            logger.warning("not all listeners took a report", extra={"session": session_id, "code": failure.code})

    def hears_prompts(self, session_id: SessionId) -> bool:
        state = self._live.find(session_id, SessionTurns)
        return state is not None and state.hears_prompts

    def beginning(self, session_id: SessionId) -> tuple[MessageId, ...]:
        """Return the messages that the session's agent may not have begun with; none if nobody reports what this agent does."""
        return rules.beginning(self.of(session_id), self._clock()) if self._is_heard(session_id) else ()

    async def see(self, session_id: SessionId, phase: Phase, at: datetime) -> None:
        """Take in what a witness sees of the session's agent."""
        self._state(session_id).is_heard = True
        await self._note_hearing(session_id)
        is_heard = self.hears_prompts(session_id)
        turns = self.of(session_id)
        await self._apply(session_id, *rules.witness(turns, phase, at, self._clock(), is_prompt_heard=is_heard))
        await self._listeners.on_seen(session_id, phase, at)

    def expect_prompts(self, session_id: SessionId) -> None:
        """Take note that the session's agent tells which prompts it takes."""
        state = self._state(session_id)
        state.is_heard = state.hears_prompts = True

    def _is_heard(self, session_id: SessionId) -> bool:
        state = self._live.find(session_id, SessionTurns)
        return state is not None and state.is_heard

    async def _note_hearing(self, session_id: SessionId) -> None:
        """Store for the next daemon what can be heard of the agent. If that fails now, the next event tries again."""
        hearing = Hearing.PROMPTS if self.hears_prompts(session_id) else Hearing.TURNS
        try:
            await self._sessions.note(session_id, hearing=hearing)
        except HarkError as failure:
            logger.info(
                "what can be heard of an agent is not stored", extra={"session": session_id, "code": failure.code}
            )

    def on_event(self, event: Event) -> None:
        """Take note of a message that was submitted, which is on its way into a turn. A message that an agent fetches from its inbox is
        no prompt: it is completed when the agent says so, which may be many turns later."""
        if event.session_id is None or event.data.get("is_inbox"):
            return
        if event.kind is EventKind.MESSAGE and "is_interrupt" in event.data:
            self._state(event.session_id).cut_at = event.at if event.data["is_interrupt"] else None
        if event.kind is EventKind.MESSAGE and event.data.get("status") == Status.SUBMITTED and event.message_id:
            self._submitted(event.session_id, event.message_id, event.at)

    def _submitted(self, session_id: SessionId, message_id: MessageId, at: datetime) -> None:
        state = self._state(session_id)
        if state.is_heard:
            state.turns = rules.submit(state.turns, message_id, at, is_prompt_heard=state.hears_prompts)
        else:
            # The first word of this agent may come later, or may have been lost.
            state.turns = rules.expect(state.turns, (Task(message_id, at, is_heard=False),))

    async def end_interrupted(self, session_id: SessionId, given_back: Sequence[MessageId]) -> None:
        """End the session's turn, which hark has interrupted and seen to end. The messages that the agent gave back unanswered are not
        completed by that."""
        state = self._state(session_id)
        state.turns = rules.give_back(state.turns, tuple(given_back))
        if state.turns.phase is Phase.BUSY:
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
        state = self._state(session.id)
        if (quiet_s := self._panes.quiet_s(session.pane)) is not None:
            state.screen = None
            return quiet_s
        now_s = asyncio.get_running_loop().time()
        known, since_s = state.screen or (None, now_s)
        since_s = since_s if known == screen else now_s
        state.screen = screen, since_s
        return now_s - since_s

    async def run(self) -> None:
        try:
            async with asyncio.TaskGroup() as tasks:
                self._tasks = tasks
                tasks.create_task(go_round(self._sessions, self._try_look, PERIOD_S, "turns"))
                tasks.create_task(self._write_owed())
        finally:
            self._tasks = None

    async def _write_owed(self) -> None:
        while True:
            await asyncio.sleep(PERIOD_S)
            for session_id, state in self._live.parts(SessionTurns):
                if state.owed:
                    await self._write(session_id, state)

    def _needs_look(self, session_id: SessionId) -> bool:
        turns = self.of(session_id)
        return self._is_heard(session_id) and (turns.phase is not Phase.IDLE or turns.has_work)

    async def _try_look(self, session: Session) -> None:
        if not self._needs_look(session.id):
            self._state(session.id).screen = None
            return
        try:
            await self.look(session)
        except HarkError as failure:
            logger.info("a turn could not be looked at", extra={"session": session.name, "code": failure.code})

    async def _apply(self, session_id: SessionId, turns: Turns, facts: tuple[Fact, ...]) -> None:
        state = self._state(session_id)
        before, owed = state.turns, state.owed
        state.turns = turns
        owed.extend(facts)
        if turns.phase is not before.phase:
            if owed and isinstance(owed[-1], Event):
                owed.pop()
            data = {"phase": str(turns.phase), "detail": turns.detail}
            owed.append(Event(at=self._clock(), kind=EventKind.TURN, session_id=session_id, data=data))
        await self._write_soon(session_id, state)

    async def _write_soon(self, session_id: SessionId, state: SessionTurns) -> None:
        """Write what is owed: at once, or in a task of its own if answers are to be read first, because the agent may wait for its hook
        to end before it writes its last words down. Whoever writes already also writes what has been added."""
        if state.writer and not state.writer.done():
            return
        has_end = any(isinstance(one, Completed) for one in state.owed)
        if has_end and self._tasks:
            state.writer = self._tasks.create_task(self._write(session_id, state))
        else:
            await self._write(session_id, state)

    async def wait_written(self, session_id: SessionId) -> None:
        """Wait until the task that writes what the session's agent has said is done, if there is such a task now."""
        state = self._live.find(session_id, SessionTurns)
        if state and state.writer:
            await asyncio.wait({state.writer})

    async def settle(self, session_id: SessionId) -> None:
        """Write to the store what the session's agent has said, as far as that is not written yet."""
        if state := self._live.find(session_id, SessionTurns):
            await self._write(session_id, state)

    async def _write(self, session_id: SessionId, state: SessionTurns) -> None:
        """Write to the store what is owed, in order, until the store refuses."""
        async with state.writing:
            owed = state.owed
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
            cut_at = self._state(session_id).cut_at
            is_cut = rules.is_cut(fact, await self._taken_at(fact.message_id), cut_at)
            detail = "its turn was interrupted for an urgent message" if is_cut else detail
            await self._move(session_id, fact, Status.INTERRUPTED if is_cut else Status.COMPLETED, detail)

    async def _taken_at(self, message_id: MessageId) -> datetime | None:
        """Return when the agent was given the message; None if that is not known."""
        try:
            return (await self._store.message(message_id)).delivered_at
        except HarkError as failure:
            if failure.code not in PROVES_NOTHING:
                raise
            return None

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
            if isinstance(fact, Acknowledged):
                await self._outbox.acknowledge(fact.message_id, detail, at=at)
            else:
                is_cut = status is Status.INTERRUPTED
                answer = await self._answer(message, replace(fact, was_interrupted=is_cut or fact.was_interrupted))
                write = self._outbox.interrupt if is_cut else self._outbox.complete
                await write(fact.message_id, detail, at=at, answer=answer)
        except HarkError as refused:
            if refused.code not in PROVES_NOTHING:
                raise
            extra = {"message_id": fact.message_id, "status": str(status), "code": refused.code}
            logger.info("what was heard proves nothing", extra=extra)
            return
        if status is Status.ACKNOWLEDGED and text_place(message) in (TextPlace.BOX, TextPlace.API):
            state = self._state(session_id)
            state.turns = rules.overtake(state.turns, fact.message_id)

    async def _answer(self, message: Message, fact: Completed) -> Answer | None:
        if Status.COMPLETED not in legal(message):
            return None
        return await self._listeners.find_answer(message, fact)
