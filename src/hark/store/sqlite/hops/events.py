"""Writes and reads events inside a transaction."""

from collections.abc import Collection, Sequence

from hark.model.event import Event
from hark.model.ids import SessionId
from hark.store.sqlite.rows import EVENTS
from hark.store.sqlite.transaction import Transaction


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
