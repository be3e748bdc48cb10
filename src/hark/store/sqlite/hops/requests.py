"""Writes and reads requests that start something, by their idempotency keys, inside a transaction."""

from datetime import datetime

from hark.model.ids import SessionId
from hark.store import rules
from hark.store.contract import Begun
from hark.store.sqlite.rows import to_micros
from hark.store.sqlite.transaction import Transaction


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
