"""The contract in plain dicts: this store is for tests, and is the shortest statement of what the other stores must do.

There is one event loop and no await inside a change, so every change is whole. A hop checks everything that could make it fail
before it writes anything.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

import msgspec
from msgspec import structs

from hark.model.answer import Answer
from hark.model.event import Event, EventKind
from hark.model.ids import MessageId, QuestionId, ReminderId, SessionId
from hark.model.message import Draft, Lease, Message, Receipt, Status
from hark.model.question import Ending, Question
from hark.model.reminder import Reminder
from hark.model.session import Session, SessionState
from hark.model.viewer import Hit
from hark.queue import lifecycle, ordering
from hark.queue.lifecycle import Step
from hark.store import rules
from hark.store.contract import Begun, Enqueued
from tests.support.memory_viewers import MemoryViewers, find_hits


class MemoryStore(MemoryViewers):
    def __init__(self) -> None:
        super().__init__()
        self._is_open = False
        self._listeners: list[Callable[[Event], None]] = []
        self._sequence = 0
        self._sessions: dict[SessionId, Session] = {}
        self._messages: dict[MessageId, Message] = {}
        self._receipts: dict[MessageId, list[Receipt]] = {}
        self._answers: dict[MessageId, Answer] = {}
        self._leases: dict[SessionId, Lease] = {}
        self._requests: dict[str, tuple[str, Begun, datetime]] = {}
        self._fences: dict[SessionId, int] = {}
        self._events: list[Event] = []
        self._drafts: dict[SessionId, Draft] = {}
        self._reminders: dict[ReminderId, Reminder] = {}
        self._signal_memories: dict[SessionId, str] = {}
        self._questions: dict[QuestionId, Question] = {}
        self._clocks: dict[str, datetime] = {}

    async def open(self) -> None:
        self._is_open = True

    async def close(self) -> None:
        self._is_open = False

    # sessions

    async def add_session(self, session: Session, event: Event | None) -> None:
        self._check_open()
        yielding = self._yielding(session)
        if session.id in self._sessions:
            raise rules.id_taken("session", session.id)
        if event:
            self._record(event)
        self._sessions |= {**yielding, session.id: session}
        await _listeners_turn()

    async def change_session(
        self, session_id: SessionId, changes: dict[str, Any], event: Event | None = None
    ) -> Session:
        session = rules.replaced(self._session(session_id), changes)
        yielding = self._yielding(session)
        if event:
            self._record(event)
        self._sessions |= {**yielding, session_id: session}
        await _listeners_turn()
        return session

    async def start_heir(self, session_id: SessionId, changes: dict[str, Any], event: Event) -> Session:
        heir = await self.change_session(session_id, changes, event)
        for message in [m for m in self._pending() if heir.heir_of and m.session_id == heir.heir_of]:
            self._advance(lifecycle.take_over(message, session_id, event.at))
        await _listeners_turn()
        return heir

    async def save_signal(
        self, session_id: SessionId, changes: dict[str, Any], event: Event | None, memory: str
    ) -> Session:
        session = rules.replaced(self._session(session_id), changes)
        self._signal_memories[session_id] = memory
        return await self.change_session(session_id, changes, event) if changes or event else session

    async def signal_memory(self, session_id: SessionId) -> str | None:
        self._check_open()
        return self._signal_memories.get(session_id)

    async def remove_session(self, session_id: SessionId, event: Event | None = None) -> None:
        self._session(session_id)
        if event:
            self._record(event)
        for message in [m for m in self._messages.values() if m.session_id == session_id]:
            del self._messages[message.id], self._receipts[message.id]
            self._answers.pop(message.id, None)
        self._reminders = {i: r for i, r in self._reminders.items() if r.session_id != session_id}
        self._questions = {i: q for i, q in self._questions.items() if q.session_id != session_id}
        for of_session in (self._sessions, self._drafts, self._leases, self._fences, self._signal_memories):
            of_session.pop(session_id, None)
        await _listeners_turn()

    async def forgettable_sessions(self, before: datetime, limit: int = 100) -> Sequence[SessionId]:
        self._check_open()
        used = {message.session_id for message in self._messages.values()} | self._drafts.keys()
        gone = [s for s in self._sessions.values() if s.state is SessionState.GONE and s.gone_at and s.gone_at < before]
        gone.sort(key=lambda session: session.gone_at or before)
        return [session.id for session in gone if session.id not in used][:limit]

    async def session(self, session_id: SessionId) -> Session:
        return self._session(session_id)

    async def sessions(self) -> Sequence[Session]:
        self._check_open()
        return sorted(self._sessions.values(), key=lambda session: session.created_at)

    # messages

    async def enqueue(self, message: Message, step: Step | None = None) -> Enqueued:
        self._session(message.session_id)
        if stored := self._same_key(message):
            rules.check_repeat(stored, message)
            return Enqueued(stored, self._position(stored), False)
        if message.id in self._messages:
            raise rules.id_taken("message", message.id)
        begun = lifecycle.first(structs.replace(message, sequence=self._sequence + 1))
        self._record(begun.event)
        self._sequence += 1
        self._messages[message.id] = begun.message
        self._receipts[message.id] = [begun.receipt]
        arrived = self._advance(lifecycle.advance(begun.message, step)) if step else begun.message
        enqueued = Enqueued(arrived, self._position(arrived), True)
        await _listeners_turn()
        return enqueued

    async def move(self, message_id: MessageId, step: Step, fence: int | None = None) -> Message:
        message = self._message(message_id)
        if fence is not None:
            self._check_fence(message.session_id, fence)
        moved = self._advance(lifecycle.advance(message, step))
        if step.answer:
            self._answers[message_id] = step.answer
        await _listeners_turn()
        return moved

    async def answer(self, message_id: MessageId) -> Answer | None:
        self._check_open()
        return self._answers.get(message_id)

    async def last_answer(self, session_id: SessionId) -> Answer | None:
        self._check_open()
        newest_first = [m for m in reversed(self._messages.values()) if m.session_id == session_id]
        return next((self._answers[m.id] for m in newest_first if m.id in self._answers), None)

    async def last_words(self, session_ids: Sequence[SessionId], length: int) -> dict[SessionId, str]:
        answers = {session_id: await self.last_answer(session_id) for session_id in session_ids}
        return {session_id: answer.text[:length] for session_id, answer in answers.items() if answer and answer.text}

    async def begin_attempt(
        self, message_id: MessageId, at: datetime, fence: int, batch_id: str | None = None
    ) -> Message:
        message = self._message(message_id)
        self._check_fence(message.session_id, fence)
        self._messages[message_id] = begun = lifecycle.begin_attempt(message, at, batch_id)
        return begun

    async def message(self, message_id: MessageId) -> Message:
        return self._message(message_id)

    async def find_messages(self, prefix: str, limit: int = 9) -> Sequence[MessageId]:
        self._check_open()
        return [message_id for message_id in self._messages if message_id.startswith(prefix)][:limit]

    async def pending(self, session_id: SessionId | None = None) -> Sequence[Message]:
        self._check_open()
        return [m for m in self._pending() if session_id in (None, m.session_id)]

    async def first_pending(self, session_id: SessionId) -> Message | None:
        return next(iter(ordering.delivery_order(await self.pending(session_id))), None)

    async def next_pending(self, session_id: SessionId, limit: int) -> Sequence[Message]:
        return ordering.delivery_order(await self.pending(session_id))[:limit]

    async def batch(self, batch_id: str) -> Sequence[Message]:
        self._check_open()
        return [message for message in self._messages.values() if message.batch_id == batch_id]

    async def thread(self, thread_id: MessageId, limit: int = 1000) -> Sequence[Message]:
        self._check_open()
        return [m for m in self._messages.values() if m.thread == thread_id][:limit]

    async def take_inbox(self, session_id: SessionId, at: datetime, limit: int = 20) -> Sequence[Message]:
        self._session(session_id)
        waiting = ordering.inbox_order(m for m in self._pending() if m.session_id == session_id)
        due = [message for message in waiting if not lifecycle.is_expired(message, at)][:limit]
        taken = [self._advance(lifecycle.hand_out(message, at)) for message in due]
        await _listeners_turn()
        return taken

    async def messages(
        self, session_id: SessionId, limit: int = 50, statuses: Sequence[Status] = ()
    ) -> Sequence[Message]:
        self._check_open()
        wanted = statuses or tuple(Status)
        newest_first = reversed(self._messages.values())
        return [m for m in newest_first if m.session_id == session_id and m.status in wanted][:limit]

    async def expired(self, now: datetime) -> Sequence[Message]:
        self._check_open()
        return sorted((m for m in self._pending() if lifecycle.is_expired(m, now)), key=lambda m: m.timeout_at or now)

    async def next_timeout(self) -> datetime | None:
        self._check_open()
        return min((m.timeout_at for m in self._pending() if m.timeout_at), default=None)

    async def forget_messages(self, before: datetime, limit: int = 1000) -> Sequence[MessageId]:
        self._check_open()
        followed = {rules.is_follow_up_of(reminder) for reminder in self._reminders.values()}
        unfinished = {message.batch_id for message in self._pending()} - {None}
        old = [
            m
            for m in self._messages.values()
            if rules.is_forgettable(m, self._sessions[m.session_id], before)
            and m.id not in followed
            and m.batch_id not in unfinished
        ]
        forgotten = [message.id for message in sorted(old, key=lambda m: m.queued_at)[:limit]]
        for message_id in forgotten:
            del self._messages[message_id], self._receipts[message_id]
            self._answers.pop(message_id, None)
        self._events = [e for e in self._events if e.at >= before or e is self._events[-1]]
        self._reminders = {i: r for i, r in self._reminders.items() if not rules.is_done_before(r, before)}
        self._questions = {i: q for i, q in self._questions.items() if q.ended_at is None or q.ended_at >= before}
        return forgotten

    async def with_notices(self, limit: int = 1000) -> Sequence[Message]:
        self._check_open()
        newest_first = reversed(self._messages.values())
        return [m for m in newest_first if m.status not in lifecycle.PENDING and rules.wants_notices(m)][:limit]

    async def count_by_status(self) -> dict[Status, int]:
        self._check_open()
        return dict(Counter(message.status for message in self._messages.values()))

    async def receipts(self, message_id: MessageId) -> Sequence[Receipt]:
        self._check_open()
        return list(self._receipts.get(message_id, ()))

    # leases

    async def acquire_lease(self, session_id: SessionId, owner: str, now: datetime, until: datetime) -> Lease | None:
        self._session(session_id)
        held = self._leases.get(session_id)
        if held and held.owner != owner and held.expires_at > now:
            return None
        if not held or held.owner != owner:
            self._fences[session_id] = self._fences.get(session_id, 0) + 1
        lease = Lease(session_id=session_id, owner=owner, fence=self._fences[session_id], expires_at=until)
        self._leases[session_id] = lease
        return lease

    async def release_lease(self, lease: Lease) -> None:
        self._check_open()
        held = self._leases.get(lease.session_id)
        if held and (held.owner, held.fence) == (lease.owner, lease.fence):
            del self._leases[lease.session_id]

    async def release_leases(self, group: str) -> None:
        self._check_open()
        of_group = [one for one in self._leases.values() if one.owner == group or one.owner.startswith(f"{group}:")]
        for lease in of_group:
            del self._leases[lease.session_id]

    # requests that start something

    async def begin_request(
        self, key: str, digest: str, session_id: SessionId, at: datetime, before: datetime
    ) -> Begun:
        self._check_open()
        self._requests = {name: one for name, one in self._requests.items() if one[2] >= before}
        stored_digest, begun, _ = self._requests.setdefault(key, (digest, Begun(session_id), at))
        rules.check_same_request(key, stored_digest, digest)
        return begun

    async def answer_request(self, key: str, answer: str) -> None:
        self._check_open()
        if stored := self._requests.get(key):
            digest, begun, at = stored
            self._requests[key] = (digest, structs.replace(begun, answer=answer), at)

    async def drop_request(self, key: str) -> None:
        self._check_open()
        self._requests.pop(key, None)

    # events

    async def add_event(self, event: Event) -> Event:
        self._check_open()
        written = self._record(event)
        await _listeners_turn()
        return written

    async def events(self, after: int = 0, limit: int = 1000) -> Sequence[Event]:
        self._check_open()
        return [event for event in self._events if event.seq > after][:limit]

    async def signals(self, session_id: SessionId | None = None, limit: int = 50) -> Sequence[Event]:
        self._check_open()
        told = [event for event in self._events if event.kind is EventKind.SIGNAL]
        return [event for event in told if session_id in (None, event.session_id)][-limit:]

    async def used_names(self) -> Collection[str]:
        self._check_open()
        kinds = (EventKind.SESSION_CREATED, EventKind.SESSION_RENAMED)
        told = [event.data for event in self._events if event.kind in kinds]
        return {str(data[key]) for data in told for key in ("name", "from", "to") if key in data}

    async def last_event_seq(self) -> int:
        self._check_open()
        return self._events[-1].seq if self._events else 0

    def on_event(self, listener: Callable[[Event], None]) -> None:
        self._listeners.append(listener)

    # drafts, reminders

    async def save_draft(self, draft: Draft, event: Event | None = None) -> None:
        self._session(draft.session_id)
        if event:
            self._record(event)
        self._drafts[draft.session_id] = draft
        await _listeners_turn()

    async def draft(self, session_id: SessionId) -> Draft | None:
        self._check_open()
        return self._drafts.get(session_id)

    async def drafts(self) -> Sequence[Draft]:
        self._check_open()
        return list(self._drafts.values())

    async def delete_draft(self, session_id: SessionId, event: Event | None = None) -> None:
        self._check_open()
        if self._drafts.pop(session_id, None) and event:
            self._record(event)
            await _listeners_turn()

    async def add_reminder(self, reminder: Reminder) -> None:
        self._session(reminder.session_id)
        if reminder.id in self._reminders:
            raise rules.id_taken("reminder", reminder.id)
        self._reminders[reminder.id] = reminder

    async def change_reminder(self, reminder_id: ReminderId, changes: dict[str, Any]) -> Reminder:
        self._check_open()
        if reminder_id not in self._reminders:
            raise rules.no_reminder(reminder_id)
        reminder = rules.replaced(self._reminders[reminder_id], changes)
        self._session(reminder.session_id)
        self._reminders[reminder_id] = reminder
        return reminder

    async def reminders(self) -> Sequence[Reminder]:
        self._check_open()
        waiting = (r for r in self._reminders.values() if r.fired_at is None and r.cancelled_at is None)
        return sorted(waiting, key=lambda r: (r.fire_at, r.created_at, r.id))

    # questions

    async def add_question(self, question: Question, event: Event) -> None:
        self._session(question.session_id)
        if question.id in self._questions:
            raise rules.id_taken("question", question.id)
        self._questions[question.id] = question
        self._record(event)
        await _listeners_turn()

    async def end_question(
        self, question_id: QuestionId, at: datetime, ending: Ending, event: Event | None = None
    ) -> Question:
        return await self._save_question(rules.ended(self._question(question_id), at, ending), event)

    async def correct_question(self, question_id: QuestionId, ending: Ending, event: Event) -> Question:
        return await self._save_question(rules.corrected(self._question(question_id), ending), event)

    async def _save_question(self, question: Question, event: Event | None) -> Question:
        self._questions[question.id] = question
        if event:
            self._record(event)
        await _listeners_turn()
        return question

    async def question(self, question_id: QuestionId) -> Question:
        return self._question(question_id)

    async def questions(self, session_id: SessionId | None = None, limit: int = 50) -> Sequence[Question]:
        self._check_open()
        known = [q for q in self._questions.values() if session_id in (None, q.session_id)]
        return sorted(known, key=lambda question: question.asked_at)[-limit:]

    async def open_questions(self) -> Sequence[Question]:
        self._check_open()
        return sorted((q for q in self._questions.values() if q.end is None), key=lambda question: question.asked_at)

    # the dashboard

    async def unsettled(self, limit: int = 200) -> Sequence[Message]:
        self._check_open()
        wanted = ("uncertain", "dead", "failed", "expired")
        return [m for m in reversed(self._messages.values()) if m.status in wanted][:limit]

    async def search(self, text: str, session_id: SessionId | None = None, limit: int = 50) -> Sequence[Hit]:
        self._check_open()
        hits = list(find_hits(text, self._messages.values(), self._answers, self._events))
        chosen = [hit for hit in hits if session_id is None or hit.session_id == session_id]
        return sorted(chosen, key=lambda hit: hit.at, reverse=True)[:limit]

    # clocks

    async def clock(self, name: str) -> datetime | None:
        self._check_open()
        return self._clocks.get(name)

    async def save_clock(self, name: str, at: datetime) -> None:
        self._check_open()
        self._clocks[name] = at

    # parts that several hops use

    def _check_open(self) -> None:
        if not self._is_open:
            raise rules.store_closed()

    def _session(self, session_id: SessionId) -> Session:
        self._check_open()
        if session_id not in self._sessions:
            raise rules.no_session(session_id)
        return self._sessions[session_id]

    def _message(self, message_id: MessageId) -> Message:
        self._check_open()
        if message_id not in self._messages:
            raise rules.no_message(message_id)
        return self._messages[message_id]

    def _question(self, question_id: QuestionId) -> Question:
        self._check_open()
        if question_id not in self._questions:
            raise rules.no_question(question_id)
        return self._questions[question_id]

    def _yielding(self, session: Session) -> dict[SessionId, Session]:
        others = (other for other in self._sessions.values() if other.id != session.id)
        return {other.id: rules.yielded(other) for other in others if other.name == session.name}

    def _advance(self, advance: lifecycle.Advance) -> Message:
        self._record(advance.event)
        self._messages[advance.message.id] = advance.message
        self._receipts[advance.message.id].append(advance.receipt)
        return advance.message

    def _same_key(self, message: Message) -> Message | None:
        if message.idempotency_key is None:
            return None
        key = (message.session_id, message.idempotency_key)
        return next((m for m in self._messages.values() if (m.session_id, m.idempotency_key) == key), None)

    def _pending(self) -> Iterable[Message]:
        return (m for m in self._messages.values() if m.status in lifecycle.PENDING)

    def _position(self, message: Message) -> int:
        order = ordering.delivery_order(m for m in self._pending() if m.session_id == message.session_id)
        return order.index(message) + 1 if message in order else 0

    def _check_fence(self, session_id: SessionId, fence: int) -> None:
        held = self._leases.get(session_id)
        if held is None or held.fence != fence:
            raise rules.lease_lost(session_id, fence)

    def _record(self, event: Event) -> Event:
        written = rules.sealed(
            event, (self._events[-1].seq if self._events else 0) + 1, msgspec.json.encode(event.data)
        )
        self._events.append(written)
        for listener in self._listeners:
            asyncio.get_running_loop().call_soon(listener, written)
        return written


async def _listeners_turn() -> None:
    """Let the listeners hear of a change before its caller goes on."""
    await asyncio.sleep(0)
