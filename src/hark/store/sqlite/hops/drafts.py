"""Writes and reads the drafts that are out of their boxes, inside a transaction."""

from collections.abc import Sequence

from hark.model.event import Event
from hark.model.ids import SessionId
from hark.model.message import Draft
from hark.store.sqlite.hops.sessions import find_session
from hark.store.sqlite.rows import DRAFTS
from hark.store.sqlite.transaction import Transaction


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
