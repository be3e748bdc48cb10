"""What every store can do. Each method is one hop: a whole transaction, durable when it returns, or nothing at all.

`sqlite` implements it. Tests have an implementation in memory, and `tests/integration/contract` runs one suite over both.
Instants are aware UTC with microseconds. Errors are HarkErrors: `name-taken`, `transition-illegal`, `lease-lost`,
`idempotency-conflict`, `message-not-found`, `session-not-found`, `disk-full`, `store-locked`, `store-corrupt`, `store-closed`.
"""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from typing import Any, Protocol

from msgspec import Struct

from hark.model.event import Event
from hark.model.ids import MessageId, ReminderId, SessionId
from hark.model.message import Draft, Lease, Message, Receipt, Status
from hark.model.reminder import Reminder
from hark.model.session import Session
from hark.queue.lifecycle import Step


class Enqueued(Struct, frozen=True):
    message: Message
    """As stored, with its sequence. With a repeated idempotency key: the message that was stored the first time."""
    position: int
    """1 for the next one to be delivered to that session; 0 when it is not pending any more (a repeated key), and for an
    inbox message: it is in nobody's way."""
    is_new: bool


class Begun(Struct, frozen=True):
    """A request with an idempotency key, as it was when it first came."""

    session_id: SessionId
    """The id of the session that it starts."""
    answer: str | None = None
    """What was answered; None as long as it is not done, also when a daemon died over it."""


class Store(Protocol):
    async def open(self) -> None: ...
    async def close(self) -> None:
        """Everything that was accepted is durable afterwards. Later calls raise `store-closed`. Closing twice is harmless."""

    # sessions
    async def add_session(self, session: Session, event: Event | None) -> None:
        """Raises `name-taken` when a running session, or one that is starting, has that name; a gone one yields it and is called NAME~ID from then on."""

    async def change_session(
        self, session_id: SessionId, changes: dict[str, Any], event: Event | None = None
    ) -> Session:
        """Sets the named fields of a Session (`msgspec.structs.replace` semantics); a new name as in
        `add_session`. Raises `name-taken`, `session-not-found`."""

    async def save_signal(
        self, session_id: SessionId, changes: dict[str, Any], event: Event | None, memory: str
    ) -> Session:
        """`change_session`, and in the same transaction what it takes to know the session's announcements again."""

    async def signal_memory(self, session_id: SessionId) -> str | None: ...

    async def remove_session(self, session_id: SessionId, event: Event | None = None) -> None:
        """Forgets it with its messages and receipts, reminders, draft and lease; its events stay. Unknown: `session-not-found`."""

    async def forgettable_sessions(self, before: datetime, limit: int = 100) -> Sequence[SessionId]:
        """Sessions that were gone before that, with no message to them on record and no draft."""

    async def session(self, session_id: SessionId) -> Session: ...
    async def sessions(self) -> Sequence[Session]:
        """Returns the sessions in order of creation."""

    # messages
    async def enqueue(self, message: Message) -> Enqueued:
        """Writes the message, its first receipt and its event. The same idempotency key for the same session and the same
        text returns the stored message and writes nothing; with another text it raises `idempotency-conflict`. An unknown
        session raises `session-not-found`."""

    async def move(self, message_id: MessageId, step: Step, fence: int | None = None) -> Message:
        """`lifecycle.advance` on the stored message; writes message, receipt and event together. With a fence, raises
        `lease-lost` unless the session's lease has exactly that fence."""

    async def begin_attempt(
        self, message_id: MessageId, at: datetime, fence: int, batch_id: str | None = None
    ) -> Message:
        """`lifecycle.begin_attempt`, durable before the first key; `batch_id` names the payload that it goes in. Raises `lease-lost` and `transition-illegal`."""

    async def message(self, message_id: MessageId) -> Message: ...
    async def find_messages(self, prefix: str, limit: int = 9) -> Sequence[MessageId]:
        """Ids that start with the prefix, oldest first; the prefix is plain text, not a pattern."""

    async def pending(self, session_id: SessionId | None = None) -> Sequence[Message]:
        """Returns the messages that are queued, held or staged, of one session or of all, in order of arrival."""

    async def first_pending(self, session_id: SessionId) -> Message | None:
        """The one to be delivered next: the first of `queue.ordering.delivery_order`."""

    async def next_pending(self, session_id: SessionId, limit: int) -> Sequence[Message]:
        """The first ones of `queue.ordering.delivery_order`."""

    async def batch(self, batch_id: str) -> Sequence[Message]:
        """All that went in one payload, whatever became of them, in order of arrival."""

    async def take_inbox(self, session_id: SessionId, at: datetime, limit: int = 20) -> Sequence[Message]:
        """Hands out the first of `queue.ordering.inbox_order` that have not expired (`lifecycle.hand_out`), with their
        receipts and events, and returns them as they are now. However many ask at the same time, each message is handed
        out once. Raises `session-not-found`."""

    async def messages(
        self, session_id: SessionId, limit: int = 50, statuses: Sequence[Status] = ()
    ) -> Sequence[Message]:
        """The newest `limit` messages of a session, newest first; only those statuses, unless none are named."""

    async def expired(self, now: datetime) -> Sequence[Message]:
        """Pending messages whose timeout_at is not after now."""

    async def next_timeout(self) -> datetime | None:
        """The earliest timeout_at of a pending message."""

    async def forget_messages(self, before: datetime, limit: int = 1000) -> Sequence[MessageId]:
        """Removes, with their receipts, messages that ended before that, oldest first (`rules.is_forgettable`); and with them
        reminders that are done and events of before. Returns the ids; call it again until there are none."""

    async def with_notices(self, limit: int = 1000) -> Sequence[Message]:
        """The newest messages that do not wait any more and whose sending sessions asked to be told of them, newest first."""

    async def count_by_status(self) -> dict[Status, int]: ...

    async def receipts(self, message_id: MessageId) -> Sequence[Receipt]:
        """Returns the receipts of a message in the order in which they were written."""

    # leases: at most one delivery per session at a time, also across processes
    async def acquire_lease(self, session_id: SessionId, owner: str, now: datetime, until: datetime) -> Lease | None:
        """None while somebody else's lease has not expired. The owner's own lease is prolonged with its fence unchanged; a new
        grant has a fence higher than any before it for that session, also after a release."""

    async def release_lease(self, lease: Lease) -> None:
        """Ends it at once; a lease that is not the current one any more is left alone."""

    async def release_leases(self, group: str) -> None:
        """Ends the leases of every owner that is called GROUP or GROUP:anything; for who knows that these owners are dead."""

    # requests that start something
    async def begin_request(
        self, key: str, digest: str, session_id: SessionId, at: datetime, before: datetime
    ) -> Begun:
        """Writes down that a request has begun, or returns the one that came with that key before. The same key with another
        digest raises `idempotency-conflict`. Requests that began before `before` are forgotten."""

    async def answer_request(self, key: str, answer: str) -> None: ...
    async def drop_request(self, key: str) -> None:
        """Forgets a request that has started nothing, so that its key can be used again."""

    # events
    async def add_event(self, event: Event) -> Event:
        """Returns it with its seq."""

    async def events(self, after: int = 0, limit: int = 1000) -> Sequence[Event]:
        """Events with a seq above `after`, in order."""

    async def signals(self, session_id: SessionId | None = None, limit: int = 50) -> Sequence[Event]:
        """The newest `limit` signals, of one session or of all, in order."""

    async def used_names(self) -> Collection[str]:
        """Every name that a session has or had, as far back as the events go."""

    async def last_event_seq(self) -> int: ...

    def on_event(self, listener: Callable[[Event], None]) -> None:
        """Calls the listener, on the event loop that opened the store and in order of seq, after an event has become durable."""

    # drafts, reminders
    async def save_draft(self, draft: Draft, event: Event | None = None) -> None:
        """One per session; a second one replaces the first. The event is written in the same transaction."""

    async def draft(self, session_id: SessionId) -> Draft | None: ...
    async def drafts(self) -> Sequence[Draft]:
        """All that are not back yet."""

    async def delete_draft(self, session_id: SessionId, event: Event | None = None) -> None:
        """Deleting a draft that is not there is harmless, and then the event is not written."""

    async def add_reminder(self, reminder: Reminder) -> None: ...
    async def change_reminder(self, reminder_id: ReminderId, changes: dict[str, Any]) -> Reminder: ...
    async def reminders(self) -> Sequence[Reminder]:
        """Returns the reminders that are neither fired nor cancelled, the earliest first."""

    # clocks
    async def clock(self, name: str) -> datetime | None:
        """Where a clock of the daemon stood when it was saved last."""

    async def save_clock(self, name: str, at: datetime) -> None: ...
