"""Hands each message to a busy agent through its hook, once. It claims a message durably before the hook gets it, and writes down what
became of the message when the agent itself has shown it. `queue/handover.py` makes the decisions."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from msgspec import Struct

from hark.agents.answers import answer
from hark.agents.decoders import Report
from hark.agents.records import transcripts
from hark.agents.registry import find_agent
from hark.daemon.core import Core
from hark.daemon.delivering.text_files import write_text
from hark.daemon.hearing.turn_book import TurnBook
from hark.daemon.process.log import logger
from hark.daemon.process.slow_calls import work_aside
from hark.daemon.session.live import Part
from hark.delivery import wording
from hark.delivery.gate import Hold
from hark.delivery.next_step import HOOK_HAS_IT
from hark.delivery.session_view import HookView
from hark.model.errors import HarkError
from hark.model.heard import Heard, Said
from hark.model.ids import MessageId, SessionId
from hark.model.message import Authority, Message, Status
from hark.model.session import Session
from hark.queue import handover as rules
from hark.queue.handover import BOUNDARIES, Boundary, Claim, Fate, Verdict
from hark.queue.ordering import delivery_order

CANCELLED_WITHIN_S = 3.0
"""A human's key may have cancelled the turn if it was pressed less than this many seconds ago."""
LOCK_S = 0.1
"""How many seconds a hook waits for a courier's lock: few, because the agent waits meanwhile, and a courier that is at work has the
message already."""
LEASE_S = 5.0
PRINTED_WITHIN_S = 3.0
_TICK = timedelta(microseconds=1)


class Offer(Struct, frozen=True):
    """The answer that a hook is given to print, and the claim on the messages in it."""

    session_id: SessionId
    claim: Claim
    answer: bytes
    heard: Heard


class Waiter:
    """A hook that waits beside an idle agent until there is a message for the agent."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.offered: asyncio.Future[bytes] = loop.create_future()
        self.printed: asyncio.Future[bool] = loop.create_future()


class HandoverState(Part):
    """What is handed over to one session's agent through its hooks."""

    waiter: Waiter | None = None
    conversation: str | None = None
    """The agent's own name for its conversation; None if the agent does not read what its hooks print."""
    claim: Claim | None = None
    continuations = 0

    async def end(self) -> None:
        if self.waiter and not self.waiter.offered.done():
            self.waiter.offered.set_result(b"")


class Handovers:
    def __init__(
        self,
        core: Core,
        turns: TurnBook,
        owner: str,
        lock_of: Callable[[SessionId], asyncio.Lock],
        key_age_s: Callable[[Session], Awaitable[float | None]],
        transcript_of: Callable[[SessionId], str | None],
    ) -> None:
        self._store = core.store
        self._outbox = core.outbox
        self._live = core.live
        self._turns = turns
        self._clock = core.clock
        self._owner = owner
        self._texts = core.texts
        self._lock_of = lock_of
        self._key_age_s = key_age_s
        self._transcript_of = transcript_of
        self._is_on = core.config.hook_messages
        self._is_waking = core.config.rewake

    async def judge(self, session: Session, report: Report, heard: Heard) -> None:
        """Judge by an event of the agent whether it has taken the messages that its hook was given before."""
        if heard.said is Said.PROMPT_SUBMITTED and self._takes_answers(session, report):
            self._state(session.id).conversation = report.agent_session_id
        claim = self._state(session.id).claim
        if claim is None:
            return
        verdict = rules.judge(claim, heard, is_continued=report.is_continued)
        if verdict is Verdict.TAKEN:
            await self._taken(session.id, claim.message_ids, claim.at)
        if verdict is not Verdict.WAIT:
            self._state(session.id).claim = None

    async def offer(self, session: Session, report: Report, event: str, heard: Heard) -> Offer | None:
        """Claim the messages that may go in at this event, and return the offer for the hook; None if no message goes in."""
        boundary = BOUNDARIES.get(heard.said)
        if boundary is None:
            return None
        state = self._state(session.id)
        if boundary is Boundary.STOP:
            state.continuations = rules.continued(state.continuations, is_continued=report.is_continued)
        if not self._may_offer(session, report):
            return None
        try:
            if find_agent(session.agent).answers[boundary].is_also_of_cancelled and await self._may_be_cancelled(
                session
            ):
                return None
            return await self._claim(session, event, heard, boundary, state.continuations)
        except HarkError as failure:
            logger.warning("a hand-over failed", extra={"session": session.name, "code": failure.code})
            return None

    async def settle(self, offer: Offer, *, is_printed: bool) -> None:
        """Take note whether the hook has printed the offer. If the hook ended without printing, the agent has not got the messages,
        and they are queued again."""
        claim, state = offer.claim, self._state(offer.session_id)
        if is_printed:
            if claim.boundary is Boundary.STOP:
                state.continuations += 1
            return
        if state.claim is claim:
            state.claim = None
        for message_id in claim.message_ids:
            await self._give_back(message_id, "its hook did not take it")

    def view(self, session: Session) -> HookView:
        """Return what is known of the session's turn and hooks, as `next_step` needs it."""
        state = self._state(session.id)
        return HookView(
            phase=self._turns.of(session.id).phase,
            is_listening=state.conversation is not None,
            authorities={boundary: way.authority for boundary, way in find_agent(session.agent).answers.items()},
            has_claim=state.claim is not None,
            has_waiter=state.waiter is not None and not state.waiter.offered.done(),
            is_waking=self._is_waking,
        )

    def begin_waiting(self, session: Session) -> Waiter | None:
        """Register a hook that waits beside an idle agent, and return its waiter; None if another hook waits already, or if the setting
        `rewake` is off."""
        state = self._state(session.id)
        if not self._is_waking or state.waiter:
            return None
        state.waiter = Waiter()
        return state.waiter

    def end_waiting(self, session: Session, waiter: Waiter, *, is_printed: bool) -> None:
        state = self._live.find(session.id, HandoverState)
        if state and state.waiter is waiter:
            state.waiter = None
        if not waiter.printed.done():
            waiter.printed.set_result(is_printed)

    async def wake(self, session: Session, message: Message) -> Hold | None:
        """Wake an idle agent with the message, through the hook that waits beside the agent. Return None if that cannot be done now."""
        state = self._state(session.id)
        waiter = state.waiter
        if waiter is None or waiter.offered.done():
            return None
        text, taken = self._words((message,))
        if not await self._stage(session, taken, "waiting", Authority.NOTICE):
            return None
        state.claim = Claim(message_ids=(message.id,), boundary=Boundary.STOP, at=self._clock())
        # The text begins on a line of its own, because the agent writes words of its own before it.
        waiter.offered.set_result(b"\n" + text.encode("utf-8", "replace"))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PRINTED_WITHIN_S):
                if not await asyncio.shield(waiter.printed):
                    state.claim = None
                    await self._give_back(message.id, "its hook did not take it")
        return HOOK_HAS_IT

    async def end_claim(self, session: Session, message: Message, fate: Fate) -> None:
        """Record what became of a claimed message."""
        self._state(session.id).claim = None
        await self._end(session, message, fate)

    async def is_in_transcript(self, session: Session, message: Message) -> bool | None:
        """Return True if the agent's transcript has the message's id; None if there is no transcript that can be read."""
        path = self._transcript_of(session.id)
        return await self._is_in_transcript(path, message.id) if path else None

    async def _is_in_transcript(self, path: str, message_id: MessageId) -> bool | None:
        try:
            return await work_aside(f"transcript {path}", lambda: transcripts.holds(path, message_id))
        except OSError:
            return None

    def _state(self, session_id: SessionId) -> HandoverState:
        return self._live.of(session_id).part(HandoverState)

    def _takes_answers(self, session: Session, report: Report) -> bool:
        return self._is_on and bool(find_agent(session.agent).answers) and report.takes_answers

    def _may_offer(self, session: Session, report: Report) -> bool:
        """Return True if a message may go in at this event: the event belongs to the conversation with the agent itself (a sender does
        not mean its subagents), the session may be disturbed, and no claim is open."""
        state = self._state(session.id)
        is_named = state.conversation is not None and state.conversation == report.agent_session_id
        is_own = is_named and not report.is_beside
        return is_own and session.do_not_disturb_since is None and state.claim is None

    async def _may_be_cancelled(self, session: Session) -> bool:
        age_s = await self._key_age_s(session)
        return age_s is not None and age_s < CANCELLED_WITHIN_S

    async def _claim(
        self, session: Session, event: str, heard: Heard, boundary: Boundary, continuations: int
    ) -> Offer | None:
        way = find_agent(session.agent).answers[boundary]
        lock = self._lock_of(session.id)
        try:
            async with asyncio.timeout(LOCK_S):
                await lock.acquire()
        except TimeoutError:
            return None
        try:
            waiting = delivery_order(await self._store.pending(session.id))
            now = self._clock()
            chosen = rules.choose(waiting, boundary, way.authority, continuations=continuations, now=now)
            text, taken = self._words(chosen)
            if not taken or not await self._stage(session, taken, event, way.authority):
                return None
            claim = Claim(message_ids=tuple(m.id for m in taken), boundary=boundary, at=heard.at)
            self._state(session.id).claim = claim
            return Offer(session.id, claim, answer(way, event, text), heard)
        finally:
            lock.release()

    def _words(self, messages: tuple[Message, ...]) -> tuple[str, list[Message]]:
        """Return the text of the messages that go together, and those messages."""
        texts: list[str] = []
        for message in messages:
            text = wording.payload(message)
            if len(text.encode()) > wording.LONGEST_HANDED_OVER:
                text = wording.payload(message, write_text(self._texts, message))
            if texts and len("\n\n".join([*texts, text]).encode()) > wording.LONGEST_HANDED_OVER:
                break
            texts.append(text)
        return "\n\n".join(texts), list(messages[: len(texts)])

    async def _stage(self, session: Session, messages: list[Message], event: str, authority: Authority) -> bool:
        now = self._clock()
        until = now + timedelta(seconds=LEASE_S)
        lease = await self._store.acquire_lease(session.id, self._owner, now, until)
        if lease is None:
            return False
        try:
            for message in messages:
                await self._outbox.stage_with_hook(message, lease.fence, authority, event)
        finally:
            await self._store.release_lease(lease)
        return True

    async def _end(self, session: Session, message: Message, fate: Fate) -> None:
        match fate:
            case Fate.TAKEN:
                await self._taken(session.id, (message.id,), message.staged_at or message.queued_at)
            case Fate.QUEUED:
                await self._give_back(message.id, "the agent has not got it from its hook")
            case _:
                detail = "it was given to the agent's hook, and nothing shows whether the agent has got it"
                await self._outbox.mark_uncertain(message, detail)

    async def _taken(self, session_id: SessionId, message_ids: tuple[MessageId, ...], at: datetime) -> None:
        # The prompt counts as submitted right after the event at which it went in: a stop that we refused does not end its turn.
        heard = Heard(said=Said.PROMPT_SUBMITTED, at=at + _TICK, message_ids=message_ids)
        await self._turns.hear(session_id, heard)

    async def _give_back(self, message_id: MessageId, detail: str) -> None:
        message = await self._store.message(message_id)
        if message.status is Status.STAGED:
            await self._outbox.queue(message.id, detail)
