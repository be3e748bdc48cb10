"""The contract on SQLite, as async methods. Each method hands one hop to the writer and awaits the result."""

import asyncio
import os
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from hark.model.answer import Answer
from hark.model.event import Event
from hark.model.ids import MessageId, QuestionId, ReminderId, SessionId
from hark.model.message import Draft, Lease, Message, Receipt, Status
from hark.model.question import Ending, Question
from hark.model.reminder import Reminder
from hark.model.session import Session
from hark.model.viewer import Browser, Hit, Notification
from hark.queue.lifecycle import Step
from hark.store import rules
from hark.store.contract import Begun, Enqueued
from hark.store.sqlite.hops import (
    clocks,
    drafts,
    events,
    leases,
    messages,
    questions,
    reminders,
    requests,
    sessions,
    viewers,
)
from hark.store.sqlite.transaction import Transaction
from hark.store.sqlite.writer import Writer

P = ParamSpec("P")
T = TypeVar("T")


class SqliteStore:
    def __init__(self, path: str | os.PathLike[str], *, busy_timeout_s: float = 1.0) -> None:
        self._path = Path(path).absolute()
        self._busy_timeout_s = busy_timeout_s
        self._listeners: list[Callable[[Event], None]] = []
        self._writer: Writer | None = None
        self.on_broken: Callable[[str], None] = lambda reason: None
        """The function to call, with the reason, when nothing can be stored or read any more. Only opening the file anew can help."""

    async def open(self) -> None:
        if self._writer is not None:
            return
        writer = Writer(self._path, self._busy_timeout_s, self._hear, lambda reason: self.on_broken(reason))
        await writer.start()
        self._writer = writer

    async def close(self) -> None:
        if self._writer is not None:
            await self._writer.stop()
            self._writer = None

    # sessions

    async def add_session(self, session: Session, event: Event | None) -> None:
        await self._write(sessions.add_session, session, event)

    async def change_session(
        self, session_id: SessionId, changes: dict[str, Any], event: Event | None = None
    ) -> Session:
        return await self._write(sessions.change_session, session_id, changes, event)

    async def start_heir(self, session_id: SessionId, changes: dict[str, Any], event: Event) -> Session:
        return await self._write(messages.start_heir, session_id, changes, event)

    async def save_signal(
        self, session_id: SessionId, changes: dict[str, Any], event: Event | None, memory: str
    ) -> Session:
        return await self._write(sessions.save_signal, session_id, changes, event, memory)

    async def signal_memory(self, session_id: SessionId) -> str | None:
        return await self._read(sessions.find_signal_memory, session_id)

    async def remove_session(self, session_id: SessionId, event: Event | None = None) -> None:
        await self._write(sessions.remove_session, session_id, event)

    async def forgettable_sessions(self, before: datetime, limit: int = 100) -> Sequence[SessionId]:
        return await self._read(sessions.forgettable_sessions, before, limit)

    async def session(self, session_id: SessionId) -> Session:
        return await self._read(sessions.find_session, session_id)

    async def sessions(self) -> Sequence[Session]:
        return await self._read(sessions.list_sessions)

    # messages

    async def enqueue(self, message: Message, step: Step | None = None) -> Enqueued:
        return await self._write(messages.enqueue, message, step)

    async def move(self, message_id: MessageId, step: Step, fence: int | None = None) -> Message:
        return await self._write(messages.move, message_id, step, fence)

    async def begin_attempt(
        self, message_id: MessageId, at: datetime, fence: int, batch_id: str | None = None
    ) -> Message:
        return await self._write(messages.begin_attempt, message_id, at, fence, batch_id)

    async def message(self, message_id: MessageId) -> Message:
        return await self._read(messages.find_message, message_id)

    async def find_messages(self, prefix: str, limit: int = 9) -> Sequence[MessageId]:
        return await self._read(messages.find_messages, prefix, limit)

    async def pending(self, session_id: SessionId | None = None) -> Sequence[Message]:
        return await self._read(messages.list_pending, session_id)

    async def first_pending(self, session_id: SessionId) -> Message | None:
        return await self._read(messages.first_pending, session_id)

    async def next_pending(self, session_id: SessionId, limit: int) -> Sequence[Message]:
        return await self._read(messages.next_pending, session_id, limit)

    async def batch(self, batch_id: str) -> Sequence[Message]:
        return await self._read(messages.list_batch, batch_id)

    async def thread(self, thread_id: MessageId, limit: int = 1000) -> Sequence[Message]:
        return await self._read(messages.list_thread, thread_id, limit)

    async def take_inbox(self, session_id: SessionId, at: datetime, limit: int = 20) -> Sequence[Message]:
        return await self._write(messages.take_inbox, session_id, at, limit)

    async def messages(
        self, session_id: SessionId, limit: int = 50, statuses: Sequence[Status] = ()
    ) -> Sequence[Message]:
        return await self._read(messages.list_messages, session_id, limit, statuses)

    async def expired(self, now: datetime) -> Sequence[Message]:
        return await self._read(messages.list_expired, now)

    async def next_timeout(self) -> datetime | None:
        return await self._read(messages.next_timeout)

    async def forget_messages(self, before: datetime, limit: int = 1000) -> Sequence[MessageId]:
        return await self._write(messages.forget_messages, before, limit)

    async def with_notices(self, limit: int = 1000) -> Sequence[Message]:
        return await self._read(messages.list_with_notices, limit)

    async def count_by_status(self) -> dict[Status, int]:
        return await self._read(messages.count_by_status)

    async def receipts(self, message_id: MessageId) -> Sequence[Receipt]:
        return await self._read(messages.list_receipts, message_id)

    async def answer(self, message_id: MessageId) -> Answer | None:
        return await self._read(messages.find_answer, message_id)

    async def last_words(self, session_ids: Sequence[SessionId], length: int) -> dict[SessionId, str]:
        return await self._read(messages.find_last_words, session_ids, length)

    async def last_answer(self, session_id: SessionId) -> Answer | None:
        return await self._read(messages.find_last_answer, session_id)

    # leases

    async def acquire_lease(self, session_id: SessionId, owner: str, now: datetime, until: datetime) -> Lease | None:
        return await self._write(leases.acquire_lease, session_id, owner, now, until)

    async def release_lease(self, lease: Lease) -> None:
        await self._write(leases.release_lease, lease)

    async def release_leases(self, group: str) -> None:
        await self._write(leases.release_leases, group)

    # requests that start something

    async def begin_request(
        self, key: str, digest: str, session_id: SessionId, at: datetime, before: datetime
    ) -> Begun:
        return await self._write(requests.begin_request, key, digest, session_id, at, before)

    async def answer_request(self, key: str, answer: str) -> None:
        await self._write(requests.answer_request, key, answer)

    async def drop_request(self, key: str) -> None:
        await self._write(requests.drop_request, key)

    # events

    async def add_event(self, event: Event) -> Event:
        return await self._write(events.add_event, event)

    async def events(self, after: int = 0, limit: int = 1000) -> Sequence[Event]:
        return await self._read(events.list_events, after, limit)

    async def signals(self, session_id: SessionId | None = None, limit: int = 50) -> Sequence[Event]:
        return await self._read(events.list_signals, session_id, limit)

    async def used_names(self) -> Collection[str]:
        return await self._read(events.list_used_names)

    async def last_event_seq(self) -> int:
        return await self._read(events.last_event_seq)

    def on_event(self, listener: Callable[[Event], None]) -> None:
        self._listeners.append(listener)

    # drafts, reminders

    async def save_draft(self, draft: Draft, event: Event | None = None) -> None:
        await self._write(drafts.save_draft, draft, event)

    async def draft(self, session_id: SessionId) -> Draft | None:
        return await self._read(drafts.find_draft, session_id)

    async def drafts(self) -> Sequence[Draft]:
        return await self._read(drafts.list_drafts)

    async def delete_draft(self, session_id: SessionId, event: Event | None = None) -> None:
        await self._write(drafts.delete_draft, session_id, event)

    async def add_reminder(self, reminder: Reminder) -> None:
        await self._write(reminders.add_reminder, reminder)

    async def change_reminder(self, reminder_id: ReminderId, changes: dict[str, Any]) -> Reminder:
        return await self._write(reminders.change_reminder, reminder_id, changes)

    async def reminders(self) -> Sequence[Reminder]:
        return await self._read(reminders.list_reminders)

    # questions

    async def add_question(self, question: Question, event: Event) -> None:
        await self._write(questions.add_question, question, event)

    async def end_question(
        self, question_id: QuestionId, at: datetime, ending: Ending, event: Event | None = None
    ) -> Question:
        return await self._write(questions.end_question, question_id, at, ending, event)

    async def correct_question(self, question_id: QuestionId, ending: Ending, event: Event) -> Question:
        return await self._write(questions.correct_question, question_id, ending, event)

    async def question(self, question_id: QuestionId) -> Question:
        return await self._read(questions.find_question, question_id)

    async def questions(self, session_id: SessionId | None = None, limit: int = 50) -> Sequence[Question]:
        return await self._read(questions.list_questions, session_id, limit)

    async def open_questions(self) -> Sequence[Question]:
        return await self._read(questions.list_open_questions)

    # the dashboard

    async def unsettled(self, limit: int = 200) -> Sequence[Message]:
        return await self._read(viewers.list_unsettled, limit)

    async def search(self, text: str, session_id: SessionId | None = None, limit: int = 50) -> Sequence[Hit]:
        return await self._read(viewers.search, text, session_id, limit)

    async def save_browser(self, browser: Browser) -> None:
        await self._write(viewers.save_browser, browser)

    async def browsers(self) -> Sequence[Browser]:
        return await self._read(viewers.list_browsers)

    async def delete_browser(self, browser_id: str) -> None:
        await self._write(viewers.delete_browser, browser_id)

    async def acknowledge(self, user: str, subject: str, seq: int, at: datetime) -> None:
        await self._write(viewers.acknowledge, user, subject, seq, at)

    async def acknowledgements(self, user: str) -> dict[str, int]:
        return await self._read(viewers.list_acknowledgements, user)

    async def forget_acknowledgements(self, subject: str) -> None:
        await self._write(viewers.forget_acknowledgements, subject)

    async def add_notification(self, notification: Notification) -> Notification:
        return await self._write(viewers.add_notification, notification)

    async def notifications(self, limit: int = 100) -> Sequence[Notification]:
        return await self._read(viewers.list_notifications, limit)

    # clocks

    async def clock(self, name: str) -> datetime | None:
        return await self._read(clocks.find_clock, name)

    async def save_clock(self, name: str, at: datetime) -> None:
        await self._write(clocks.save_clock, name, at)

    # handing hops to the writer

    async def _write(self, body: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._opened_writer().run(lambda transaction: body(transaction, *args, **kwargs))

    async def _read(self, body: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._opened_writer().run(lambda transaction: body(transaction, *args, **kwargs), is_read=True)

    def _opened_writer(self) -> Writer:
        if self._writer is None:
            raise rules.store_closed()
        return self._writer

    def _hear(self, event: Event) -> None:
        """Give each listener a turn of its own on the loop, before the caller's turn: a listener that raises harms nobody else."""
        for listener in self._listeners:
            asyncio.get_running_loop().call_soon(listener, event)
