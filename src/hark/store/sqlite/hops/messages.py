"""Writes and reads messages, with their receipts and answers, inside a transaction."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from msgspec import structs

from hark.model.answer import Answer
from hark.model.event import Event
from hark.model.ids import MessageId, SessionId
from hark.model.message import Message, Mode, Receipt, Status
from hark.model.session import Session
from hark.queue import lifecycle, ordering
from hark.queue.lifecycle import Step
from hark.store import rules
from hark.store.contract import Enqueued
from hark.store.sqlite.hops.leases import check_fence
from hark.store.sqlite.hops.sessions import change_session, find_session
from hark.store.sqlite.rows import ANSWERS, MESSAGES, RECEIPTS, from_micros, to_micros
from hark.store.sqlite.transaction import Transaction

_LAST_CHARACTER = "\U0010ffff"
_WAITING = (Status.QUEUED, Status.HELD)
_IN_ORDER = (
    ((Status.STAGED,), tuple(Mode)),
    *((_WAITING, (mode,)) for mode in (Mode.URGENT, Mode.IMPORTANT, Mode.SEQUENTIAL)),
)


def enqueue(transaction: Transaction, message: Message, step: Step | None) -> Enqueued:
    find_session(transaction, message.session_id)
    if stored := _same_key(transaction, message):
        rules.check_repeat(stored, message)
        return Enqueued(stored, _position(transaction, stored), False)
    begun = lifecycle.first(message)
    sequence = transaction.cell("enqueue-message", MESSAGES.to_row(begun.message))
    transaction.run("insert-receipt", RECEIPTS.to_row(begun.receipt))
    transaction.record(begun.event)
    arrived = structs.replace(begun.message, sequence=sequence)
    if step:
        arrived = _advance(transaction, lifecycle.advance(arrived, step))
    return Enqueued(arrived, _position(transaction, arrived, is_new=True), True)


def move(transaction: Transaction, message_id: MessageId, step: Step, fence: int | None) -> Message:
    message = find_message(transaction, message_id)
    if fence is not None:
        check_fence(transaction, message.session_id, fence)
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


def find_last_words(transaction: Transaction, session_ids: Sequence[SessionId], length: int) -> dict[SessionId, str]:
    found = {one: transaction.one("find-last-words", session_id=one, length=length) for one in session_ids}
    return {session_id: str(row[0]) for session_id, row in found.items() if row and row[0]}


def start_heir(transaction: Transaction, session_id: SessionId, changes: dict[str, Any], event: Event) -> Session:
    """Change the session, and give it the messages that wait for the session that it is the heir of."""
    session = change_session(transaction, session_id, changes, event)
    for message in list_pending(transaction, session.heir_of) if session.heir_of else ():
        _advance(transaction, lifecycle.take_over(message, session_id, event.at))
    return session


def _advance(transaction: Transaction, advance: lifecycle.Advance) -> Message:
    transaction.run("move-message", MESSAGES.to_row(advance.message))
    transaction.run("insert-receipt", RECEIPTS.to_row(advance.receipt))
    transaction.record(advance.event)
    return advance.message


def begin_attempt(
    transaction: Transaction, message_id: MessageId, at: datetime, fence: int, batch_id: str | None
) -> Message:
    message = find_message(transaction, message_id)
    check_fence(transaction, message.session_id, fence)
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
    transaction.run("delete-old-questions", {"before": to_micros(before)})
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
    if message.status not in lifecycle.PENDING or message.is_inbox or message.is_kept_back:
        return 0
    place = {
        "session_id": message.session_id,
        "status": message.status,
        "delivery_mode": message.mode,
        "sequence": message.sequence,
    }
    return int(transaction.cell("count-pending-before-new" if is_new else "count-pending-before", place)) + 1
