"""The contract of all stores. Each method is one hop: a whole transaction, durable when the method returns, or nothing at all.

`sqlite` implements the contract. Tests have an implementation in memory, and `tests/integration/contract` runs one suite over both.
Instants are aware UTC with microseconds. Errors are HarkErrors: `name-taken`, `transition-illegal`, `lease-lost`,
`idempotency-conflict`, `message-not-found`, `session-not-found`, `disk-full`, `store-locked`, `store-corrupt`, `store-closed`.
"""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from typing import Any, Protocol

from msgspec import Struct

from hark.model.answer import Answer
from hark.model.event import Event
from hark.model.ids import MessageId, QuestionId, ReminderId, SessionId
from hark.model.message import Draft, Lease, Message, Receipt, Status
from hark.model.question import Ending, Question
from hark.model.reminder import Reminder
from hark.model.session import Session
from hark.model.viewer import Browser, Hit, Notification
from hark.queue.lifecycle import Step


class Enqueued(Struct, frozen=True):
    message: Message
    """The message as it is stored, with its sequence. If the idempotency key was used before, the message that was stored then."""
    position: int
    """The message's place in the order of delivery to its session: 1 for the next message. It is 0 for a message that is not pending any
    more (a repeated key), and for a message in the inbox or one that is kept back, which keep no other message waiting."""
    is_new: bool


class Begun(Struct, frozen=True):
    """A request with an idempotency key, as it was when it first came."""

    session_id: SessionId
    """The id of the session that the request starts."""
    answer: str | None = None
    """The answer to the request; None if the request is not done yet, or a daemon died before it was done."""


class Record(Protocol):
    """What the API may read of a store: messages, receipts, events and drafts. Nothing here changes anything."""

    async def message(self, message_id: MessageId) -> Message: ...
    async def pending(self, session_id: SessionId | None = None) -> Sequence[Message]:
        """Return the messages that are queued, held or staged, of one session or of all, in order of arrival."""

    async def messages(
        self, session_id: SessionId, limit: int = 50, statuses: Sequence[Status] = ()
    ) -> Sequence[Message]:
        """Return the newest `limit` messages of a session, newest first. If `statuses` are named, return only messages with one of them."""

    async def thread(self, thread_id: MessageId, limit: int = 1000) -> Sequence[Message]:
        """Return the first `limit` messages of a thread in order of arrival. `thread_id` is the id of the thread's first message, which
        need not be stored any more."""

    async def count_by_status(self) -> dict[Status, int]: ...
    async def receipts(self, message_id: MessageId) -> Sequence[Receipt]:
        """Return the receipts of a message in the order in which they were written."""

    async def answer(self, message_id: MessageId) -> Answer | None:
        """Return the answer that was stored with the step that completed the message; None if there is none."""

    async def last_answer(self, session_id: SessionId) -> Answer | None:
        """Return the answer to the newest message of the session that has one; None if no message has one."""

    async def last_words(self, session_ids: Sequence[SessionId], length: int) -> dict[SessionId, str]:
        """Return the beginning of the last answer of each of these sessions that has one, at most `length` characters."""

    async def events(self, after: int = 0, limit: int = 1000) -> Sequence[Event]:
        """Return the events with a seq above `after`, in order."""

    async def signals(self, session_id: SessionId | None = None, limit: int = 50) -> Sequence[Event]:
        """Return the newest `limit` signals, of one session or of all, oldest first."""

    async def questions(self, session_id: SessionId | None = None, limit: int = 50) -> Sequence[Question]:
        """Return the newest `limit` questions, open or ended, of one session or of all, oldest first."""

    async def question(self, question_id: QuestionId) -> Question:
        """Return one question. Raise `question-not-found` if there is none with this id."""

    async def last_event_seq(self) -> int: ...
    async def unsettled(self, limit: int = 200) -> Sequence[Message]:
        """Return the newest messages that are uncertain, dead, failed or expired, newest first."""

    async def search(self, text: str, session_id: SessionId | None = None, limit: int = 50) -> Sequence[Hit]:
        """Return the places in messages, their senders, answers and signals that hold the text, newest first. The text is plain, not a
        pattern; ASCII letters are found in either case."""

    async def notifications(self, limit: int = 100) -> Sequence[Notification]:
        """Return the newest reports of alerts, newest first."""

    async def draft(self, session_id: SessionId) -> Draft | None: ...


class Store(Record, Protocol):
    async def open(self) -> None: ...
    async def close(self) -> None:
        """Make everything durable that was accepted, and close the store. Later calls raise `store-closed`. Closing twice is harmless."""

    # sessions
    async def add_session(self, session: Session, event: Event | None) -> None:
        """Add a session. Raise `name-taken` if a session that is running or starting has the name; a session that is gone yields the
        name and is called NAME~ID from then on."""

    async def change_session(
        self, session_id: SessionId, changes: dict[str, Any], event: Event | None = None
    ) -> Session:
        """Set the named fields of a Session (`msgspec.structs.replace` semantics). A new name follows the rules of `add_session`.
        Raise `name-taken` or `session-not-found`."""

    async def start_heir(self, session_id: SessionId, changes: dict[str, Any], event: Event) -> Session:
        """Do what `change_session` does, and in the same transaction give the session all messages that wait for the session that it is
        the heir of (`lifecycle.take_over`)."""

    async def save_signal(
        self, session_id: SessionId, changes: dict[str, Any], event: Event | None, memory: str
    ) -> Session:
        """Do what `change_session` does, and in the same transaction save `memory`, which is needed to recognise the session's
        announcements when they come again."""

    async def signal_memory(self, session_id: SessionId) -> str | None: ...
    async def remove_session(self, session_id: SessionId, event: Event | None = None) -> None:
        """Forget the session with its messages and receipts, reminders, draft and lease; its events stay. Raise `session-not-found` if
        there is no such session."""

    async def forgettable_sessions(self, before: datetime, limit: int = 100) -> Sequence[SessionId]:
        """Return the sessions that were gone before `before`, that no stored message is for, and that have no draft."""

    async def session(self, session_id: SessionId) -> Session: ...
    async def sessions(self) -> Sequence[Session]:
        """Return the sessions in order of creation."""

    # messages
    async def enqueue(self, message: Message, step: Step | None = None) -> Enqueued:
        """Write the message, its first receipt and its event, and apply the step to the new message in the same transaction. If the idempotency key was used before for the same session and the same
        text, return the stored message and write nothing; if it was used for another text, raise `idempotency-conflict`. Raise
        `session-not-found` for an unknown session."""

    async def move(self, message_id: MessageId, step: Step, fence: int | None = None) -> Message:
        """Apply `lifecycle.advance` to the stored message, and write message, receipt, event and answer together. With a fence, raise
        `lease-lost` unless the session's lease has exactly that fence."""

    async def begin_attempt(
        self, message_id: MessageId, at: datetime, fence: int, batch_id: str | None = None
    ) -> Message:
        """Apply `lifecycle.begin_attempt` to the stored message, so that the attempt is durable before the first key is pressed. `batch_id`
        names the payload that the message goes in. Raise `lease-lost` or `transition-illegal`."""

    async def find_messages(self, prefix: str, limit: int = 9) -> Sequence[MessageId]:
        """Return the ids that start with the prefix, the oldest message first. The prefix is plain text, not a pattern."""

    async def first_pending(self, session_id: SessionId) -> Message | None:
        """Return the message to deliver next: the first of `queue.ordering.delivery_order`; None if no message is pending."""

    async def next_pending(self, session_id: SessionId, limit: int) -> Sequence[Message]:
        """Return the first `limit` messages of `queue.ordering.delivery_order`."""

    async def batch(self, batch_id: str) -> Sequence[Message]:
        """Return all messages that went in one payload, whatever became of them, in order of arrival."""

    async def take_inbox(self, session_id: SessionId, at: datetime, limit: int = 20) -> Sequence[Message]:
        """Hand out the first `limit` messages of `queue.ordering.inbox_order` that have not expired (`lifecycle.hand_out`), write their
        receipts and events, and return the messages as they are now. However many callers ask at the same time, each message is
        handed out once. Raise `session-not-found`."""

    async def expired(self, now: datetime) -> Sequence[Message]:
        """Return the pending messages whose timeout_at is not after now."""

    async def next_timeout(self) -> datetime | None:
        """Return the earliest timeout_at of a pending message; None if no pending message has one."""

    async def forget_messages(self, before: datetime, limit: int = 1000) -> Sequence[MessageId]:
        """Remove the messages that ended before `before`, with their receipts, oldest first (`rules.is_forgettable`). Also remove the
        reminders that were done before `before`, the questions that ended before it, and the events from before it. Return the ids of the messages; call this again until
        it returns none."""

    async def with_notices(self, limit: int = 1000) -> Sequence[Message]:
        """Return the newest messages that do not wait any more and whose sending sessions asked to be told about them, newest first."""

    # leases: at most one delivery per session at a time, also across processes

    async def acquire_lease(self, session_id: SessionId, owner: str, now: datetime, until: datetime) -> Lease | None:
        """Grant the owner a lease until `until`, or return None while somebody else's lease has not expired. The owner's own lease is
        prolonged with its fence unchanged; a new lease has a higher fence than any earlier lease of that session, even after a
        release."""

    async def release_lease(self, lease: Lease) -> None:
        """End the lease at once, if it is still the session's current lease."""

    async def release_leases(self, group: str) -> None:
        """End the leases of every owner that is called GROUP or GROUP:anything. The caller must know that these owners are dead."""

    # requests that start something
    async def begin_request(
        self, key: str, digest: str, session_id: SessionId, at: datetime, before: datetime
    ) -> Begun:
        """Store that a request has begun, or return the request that came with the same key before. Raise `idempotency-conflict` if that
        request has another digest. Forget the requests that began before `before`."""

    async def answer_request(self, key: str, answer: str) -> None: ...
    async def drop_request(self, key: str) -> None:
        """Forget a request that has started nothing, so that its key can be used again."""

    # events
    async def add_event(self, event: Event) -> Event:
        """Store the event, and return it with its seq."""

    async def used_names(self) -> Collection[str]:
        """Return every name that a session has or had, as far back as the events go."""

    def on_event(self, listener: Callable[[Event], None]) -> None:
        """Call the listener after each event has become durable, on the event loop that opened the store, in order of seq."""

    # drafts, reminders
    async def save_draft(self, draft: Draft, event: Event | None = None) -> None:
        """Store the draft of a session, in the place of an earlier one, and write the event in the same transaction."""

    async def drafts(self) -> Sequence[Draft]:
        """Return all drafts that are not back in their boxes yet."""

    async def delete_draft(self, session_id: SessionId, event: Event | None = None) -> None:
        """Delete the draft of a session and write the event. If the session has no draft, do nothing and write no event."""

    async def add_reminder(self, reminder: Reminder) -> None: ...
    async def change_reminder(self, reminder_id: ReminderId, changes: dict[str, Any]) -> Reminder: ...
    async def reminders(self) -> Sequence[Reminder]:
        """Return the reminders that are neither fired nor cancelled, the earliest first."""

    # questions
    async def add_question(self, question: Question, event: Event) -> None:
        """Store a question that an agent asks, and write the event. Raise `session-not-found`."""

    async def end_question(
        self, question_id: QuestionId, at: datetime, ending: Ending, event: Event | None = None
    ) -> Question:
        """Store how an open question has ended, and write the event. Raise `question-ended` if it has ended before, or
        `question-not-found`."""

    async def correct_question(self, question_id: QuestionId, ending: Ending, event: Event) -> Question:
        """Store that a question ended in another way than was written down, and write the event. The time of its end stays. Raise
        `question-not-found`."""

    async def open_questions(self) -> Sequence[Question]:
        """Return the questions that have not ended, oldest first."""

    # the dashboard
    async def save_browser(self, browser: Browser) -> None:
        """Store a browser. Of one that is stored already, only `last_seen_at` and `expires_at` change."""

    async def browsers(self) -> Sequence[Browser]:
        """Return the browsers that may look at the dashboard, the oldest first."""

    async def delete_browser(self, browser_id: str) -> None:
        """Delete a browser; if there is no such browser, do nothing."""

    async def acknowledge(self, user: str, subject: str, seq: int, at: datetime) -> None:
        """Store that the user has seen the subject up to `seq`. A lower number than the stored one changes nothing."""

    async def acknowledgements(self, user: str) -> dict[str, int]:
        """Return how far the user has seen each subject."""

    async def forget_acknowledgements(self, subject: str) -> None: ...
    async def add_notification(self, notification: Notification) -> Notification:
        """Store the report of an alert, and return it with its sequence. Only the newest `rules.NOTIFICATIONS_KEPT` are kept."""

    # clocks
    async def clock(self, name: str) -> datetime | None:
        """Return the time of one of the daemon's clocks when it was last saved; None if it was never saved."""

    async def save_clock(self, name: str, at: datetime) -> None: ...
