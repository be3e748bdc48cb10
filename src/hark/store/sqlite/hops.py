"""The bodies of the hops: each function does what one method of the contract does inside its transaction."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from msgspec import structs

from hark.model.answer import Answer
from hark.model.event import Event
from hark.model.ids import MessageId, ReminderId, SessionId
from hark.model.message import Draft, Lease, Message, Mode, Receipt, Status
from hark.model.reminder import Reminder
from hark.model.session import Session
from hark.queue import lifecycle, ordering
from hark.queue.lifecycle import Step
from hark.store import rules
from hark.store.contract import Begun, Enqueued
from hark.store.sqlite.rows import (
    ANSWERS,
    DRAFTS,
    EVENTS,
    MESSAGES,
    RECEIPTS,
    REMINDERS,
    SESSIONS,
    from_micros,
    to_micros,
)
from hark.store.sqlite.transaction import Transaction

_LAST_CHARACTER = "\U0010ffff"
_WAITING = (Status.QUEUED, Status.HELD)
_IN_ORDER = (
    ((Status.STAGED,), tuple(Mode)),
    *((_WAITING, (mode,)) for mode in (Mode.URGENT, Mode.IMPORTANT, Mode.SEQUENTIAL)),
)

# sessions


def add_session(transaction: Transaction, session: Session, event: Event | None) -> None:
    _free_name(transaction, session)
    transaction.run("insert-session", SESSIONS.to_row(session))
    if event:
        transaction.record(event)


def change_session(
    transaction: Transaction, session_id: SessionId, changes: dict[str, Any], event: Event | None
) -> Session:
    session = rules.replaced(find_session(transaction, session_id), changes)
    _free_name(transaction, session)
    transaction.run("update-session", SESSIONS.to_row(session))
    if event:
        transaction.record(event)
    return session


def save_signal(
    transaction: Transaction, session_id: SessionId, changes: dict[str, Any], event: Event | None, memory: str
) -> Session:
    session = rules.replaced(find_session(transaction, session_id), changes)
    transaction.run("update-session", SESSIONS.to_row(session))
    transaction.run("save-signal-memory", {"session_id": session_id, "memory": memory})
    if event:
        transaction.record(event)
    return session


def find_signal_memory(transaction: Transaction, session_id: SessionId) -> str | None:
    row = transaction.one("find-signal-memory", session_id=session_id)
    return str(row[0]) if row else None


def remove_session(transaction: Transaction, session_id: SessionId, event: Event | None) -> None:
    find_session(transaction, session_id)
    transaction.run("delete-session", {"session_id": session_id})
    if event:
        transaction.record(event)


def forgettable_sessions(transaction: Transaction, before: datetime, limit: int) -> Sequence[SessionId]:
    found = transaction.all("list-empty-gone-sessions", before=to_micros(before), limit=limit)
    return [session_id for (session_id,) in found]


def find_session(transaction: Transaction, session_id: SessionId) -> Session:
    row = transaction.one("find-session", session_id=session_id)
    if row is None:
        raise rules.no_session(session_id)
    return SESSIONS.from_row(row)


def list_sessions(transaction: Transaction) -> Sequence[Session]:
    return [SESSIONS.from_row(row) for row in transaction.all("list-sessions")]


def _free_name(transaction: Transaction, session: Session) -> None:
    row = transaction.one("find-session-by-name", name=session.name)
    if row is None:
        return
    holder = SESSIONS.from_row(row)
    if holder.id != session.id:
        transaction.run("update-session", SESSIONS.to_row(rules.yielded(holder)))


# messages


def enqueue(transaction: Transaction, message: Message) -> Enqueued:
    find_session(transaction, message.session_id)
    if stored := _same_key(transaction, message):
        rules.check_repeat(stored, message)
        return Enqueued(stored, _position(transaction, stored), False)
    begun = lifecycle.first(message)
    sequence = transaction.cell("enqueue-message", MESSAGES.to_row(begun.message))
    transaction.run("insert-receipt", RECEIPTS.to_row(begun.receipt))
    transaction.record(begun.event)
    arrived = structs.replace(begun.message, sequence=sequence)
    return Enqueued(arrived, _position(transaction, arrived, is_new=True), True)


def move(transaction: Transaction, message_id: MessageId, step: Step, fence: int | None) -> Message:
    message = find_message(transaction, message_id)
    if fence is not None:
        _check_fence(transaction, message.session_id, fence)
    moved = _advance(transaction, lifecycle.advance(message, step))
    if step.answer:
        transaction.run("save-answer", ANSWERS.to_row(step.answer))
    return moved


def find_answer(transaction: Transaction, message_id: MessageId) -> Answer | None:
    row = transaction.one("find-answer", message_id=message_id)
    return ANSWERS.from_row(row) if row else None


def find_last_answer(transaction: Transaction, session_id: SessionId) -> Answer | None:
    row = transaction.one("find-last-answered", session_id=session_id)
    return find_answer(transaction, row[0]) if row else None


def _advance(transaction: Transaction, advance: lifecycle.Advance) -> Message:
    transaction.run("move-message", MESSAGES.to_row(advance.message))
    transaction.run("insert-receipt", RECEIPTS.to_row(advance.receipt))
    transaction.record(advance.event)
    return advance.message


def begin_attempt(
    transaction: Transaction, message_id: MessageId, at: datetime, fence: int, batch_id: str | None
) -> Message:
    message = find_message(transaction, message_id)
    _check_fence(transaction, message.session_id, fence)
    begun = lifecycle.begin_attempt(message, at, batch_id)
    transaction.run("move-message", MESSAGES.to_row(begun))
    return begun


def find_message(transaction: Transaction, message_id: MessageId) -> Message:
    row = transaction.one("find-message", message_id=message_id)
    if row is None:
        raise rules.no_message(message_id)
    return MESSAGES.from_row(row)


def find_messages(transaction: Transaction, prefix: str, limit: int) -> Sequence[MessageId]:
    found = transaction.all("find-messages-by-prefix", prefix=prefix, prefix_end=prefix + _LAST_CHARACTER, limit=limit)
    return [message_id for (message_id,) in found]


def list_pending(transaction: Transaction, session_id: SessionId | None) -> Sequence[Message]:
    if session_id is None:
        found = transaction.all("list-pending")
    else:
        found = transaction.all("list-pending-of-session", session_id=session_id)
    return [MESSAGES.from_row(row) for row in found]


def first_pending(transaction: Transaction, session_id: SessionId) -> Message | None:
    """Return the message to deliver next: a staged message first, then by mode, then by arrival, as in queue/ordering.py."""
    some = transaction.all("find-some-pending", session_id=session_id)
    if len(some) < 2:
        return MESSAGES.from_row(some[0]) if some else None
    for statuses, modes in _IN_ORDER:
        kinds = [{"session_id": session_id, "status": s, "delivery_mode": m} for s in statuses for m in modes]
        oldest = [transaction.cell("find-first-pending-of-kind", kind) for kind in kinds]
        if found := [sequence for sequence in oldest if sequence is not None]:
            row = transaction.one("find-message-by-sequence", sequence=min(found))
            return MESSAGES.from_row(row) if row else None
    return None


def next_pending(transaction: Transaction, session_id: SessionId, limit: int) -> Sequence[Message]:
    found = transaction.all("list-next-pending", session_id=session_id, limit=limit)
    return [MESSAGES.from_row(row) for row in found]


def list_batch(transaction: Transaction, batch_id: str) -> Sequence[Message]:
    return [MESSAGES.from_row(row) for row in transaction.all("list-batch", batch_id=batch_id)]


def list_thread(transaction: Transaction, thread_id: MessageId, limit: int) -> Sequence[Message]:
    first = transaction.all("find-message", message_id=thread_id)
    replies = transaction.all("list-replies", thread_id=thread_id, limit=limit)
    return [MESSAGES.from_row(row) for row in (*first, *replies)][:limit]


def take_inbox(transaction: Transaction, session_id: SessionId, at: datetime, limit: int) -> Sequence[Message]:
    find_session(transaction, session_id)
    waiting = [MESSAGES.from_row(row) for row in transaction.all("list-inbox", session_id=session_id)]
    due = [message for message in ordering.inbox_order(waiting) if not lifecycle.is_expired(message, at)]
    return [_advance(transaction, lifecycle.hand_out(message, at)) for message in due[:limit]]


def list_messages(
    transaction: Transaction, session_id: SessionId, limit: int, statuses: Sequence[Status]
) -> Sequence[Message]:
    listed = f",{','.join(statuses or Status)},"
    found = transaction.all("list-messages-of-session", session_id=session_id, limit=limit, statuses=listed)
    return [MESSAGES.from_row(row) for row in found]


def list_expired(transaction: Transaction, now: datetime) -> Sequence[Message]:
    return [MESSAGES.from_row(row) for row in transaction.all("list-expired", now=to_micros(now))]


def next_timeout(transaction: Transaction) -> datetime | None:
    earliest = transaction.cell("find-next-timeout", {})
    return None if earliest is None else from_micros(earliest)


def forget_messages(transaction: Transaction, before: datetime, limit: int) -> Sequence[MessageId]:
    old = [found for (found,) in transaction.all("list-old-messages", before=to_micros(before), limit=limit)]
    for message_id in old:
        transaction.run("delete-message", {"message_id": message_id})
    transaction.run("delete-old-reminders", {"before": to_micros(before)})
    transaction.run("delete-old-events", {"before": to_micros(before)})
    return old


def list_with_notices(transaction: Transaction, limit: int) -> Sequence[Message]:
    return [MESSAGES.from_row(row) for row in transaction.all("list-messages-with-notices", limit=limit)]


def count_by_status(transaction: Transaction) -> dict[Status, int]:
    return {Status(status): count for status, count in transaction.all("count-messages-by-status")}


def list_receipts(transaction: Transaction, message_id: MessageId) -> Sequence[Receipt]:
    return [RECEIPTS.from_row(row) for row in transaction.all("list-receipts", message_id=message_id)]


def _same_key(transaction: Transaction, message: Message) -> Message | None:
    if message.idempotency_key is None:
        return None
    row = transaction.one("find-message-by-key", session_id=message.session_id, idempotency_key=message.idempotency_key)
    return MESSAGES.from_row(row) if row else None


def _position(transaction: Transaction, message: Message, *, is_new: bool = False) -> int:
    if message.status not in lifecycle.PENDING or message.is_inbox:
        return 0
    place = {
        "session_id": message.session_id,
        "status": message.status,
        "delivery_mode": message.mode,
        "sequence": message.sequence,
    }
    return int(transaction.cell("count-pending-before-new" if is_new else "count-pending-before", place)) + 1


# leases


def acquire_lease(
    transaction: Transaction, session_id: SessionId, owner: str, now: datetime, until: datetime
) -> Lease | None:
    find_session(transaction, session_id)
    holder, fence, expires_at = transaction.one("find-lease", session_id=session_id) or (None, 0, 0)
    if holder is not None and holder != owner and expires_at > to_micros(now):
        return None
    if holder != owner:
        fence += 1
    expiry = to_micros(until)
    transaction.run("save-lease", {"session_id": session_id, "owner": owner, "fence": fence, "expires_at": expiry})
    return Lease(session_id=session_id, owner=owner, fence=fence, expires_at=until)


def release_lease(transaction: Transaction, lease: Lease) -> None:
    current = {"session_id": lease.session_id, "owner": lease.owner, "fence": lease.fence}
    transaction.run("release-lease", current)


def release_leases(transaction: Transaction, group: str) -> None:
    transaction.run("release-leases", {"owner_group": group})


def _check_fence(transaction: Transaction, session_id: SessionId, fence: int) -> None:
    holder, current, _ = transaction.one("find-lease", session_id=session_id) or (None, 0, 0)
    if holder is None or current != fence:
        raise rules.lease_lost(session_id, fence)


# requests that start something


def begin_request(
    transaction: Transaction, key: str, digest: str, session_id: SessionId, at: datetime, before: datetime
) -> Begun:
    transaction.run("forget-requests", {"before": to_micros(before)})
    if row := transaction.one("find-request", key=key):
        stored_digest, stored_id, answer = row
        rules.check_same_request(key, stored_digest, digest)
        return Begun(SessionId(stored_id), answer)
    begun = {"key": key, "digest": digest, "session_id": session_id, "begun_at": to_micros(at)}
    transaction.run("insert-request", begun)
    return Begun(session_id)


def answer_request(transaction: Transaction, key: str, answer: str) -> None:
    transaction.run("answer-request", {"key": key, "answer": answer})


def drop_request(transaction: Transaction, key: str) -> None:
    transaction.run("delete-request", {"key": key})


# events


def add_event(transaction: Transaction, event: Event) -> Event:
    return transaction.record(event)


def list_events(transaction: Transaction, after: int, limit: int) -> Sequence[Event]:
    return [EVENTS.from_row(row) for row in transaction.all("list-events", after=after, limit=limit)]


def list_signals(transaction: Transaction, session_id: SessionId | None, limit: int) -> Sequence[Event]:
    found = transaction.all("list-signals", session_id=session_id, limit=limit)
    return [EVENTS.from_row(row) for row in reversed(found)]


def list_used_names(transaction: Transaction) -> Collection[str]:
    return {name for row in transaction.all("list-used-names") for name in row if name is not None}


def last_event_seq(transaction: Transaction) -> int:
    return int(transaction.cell("find-last-event-seq", {}))


# drafts, reminders


def save_draft(transaction: Transaction, draft: Draft, event: Event | None) -> None:
    find_session(transaction, draft.session_id)
    transaction.run("save-draft", DRAFTS.to_row(draft))
    if event:
        transaction.record(event)


def find_draft(transaction: Transaction, session_id: SessionId) -> Draft | None:
    row = transaction.one("find-draft", session_id=session_id)
    return DRAFTS.from_row(row) if row else None


def list_drafts(transaction: Transaction) -> Sequence[Draft]:
    return [DRAFTS.from_row(row) for row in transaction.all("list-drafts")]


def delete_draft(transaction: Transaction, session_id: SessionId, event: Event | None) -> None:
    is_there = find_draft(transaction, session_id) is not None
    transaction.run("delete-draft", {"session_id": session_id})
    if event and is_there:
        transaction.record(event)


def add_reminder(transaction: Transaction, reminder: Reminder) -> None:
    find_session(transaction, reminder.session_id)
    transaction.run("insert-reminder", REMINDERS.to_row(reminder))


def change_reminder(transaction: Transaction, reminder_id: ReminderId, changes: dict[str, Any]) -> Reminder:
    row = transaction.one("find-reminder", reminder_id=reminder_id)
    if row is None:
        raise rules.no_reminder(reminder_id)
    reminder = rules.replaced(REMINDERS.from_row(row), changes)
    find_session(transaction, reminder.session_id)
    transaction.run("update-reminder", REMINDERS.to_row(reminder))
    return reminder


def list_reminders(transaction: Transaction) -> Sequence[Reminder]:
    return [REMINDERS.from_row(row) for row in transaction.all("list-reminders")]


# clocks


def find_clock(transaction: Transaction, name: str) -> datetime | None:
    row = transaction.one("find-clock", name=name)
    return from_micros(row[0]) if row else None


def save_clock(transaction: Transaction, name: str, at: datetime) -> None:
    transaction.run("save-clock", {"name": name, "at": to_micros(at)})
