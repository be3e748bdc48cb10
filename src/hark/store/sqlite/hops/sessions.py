"""Writes and reads sessions, and what hark remembers about their signals, inside a transaction."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from hark.model.event import Event
from hark.model.ids import SessionId
from hark.model.session import Session
from hark.store import rules
from hark.store.sqlite.rows import SESSIONS, to_micros
from hark.store.sqlite.transaction import Transaction


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
