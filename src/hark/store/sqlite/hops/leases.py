"""Grants and ends leases inside a transaction: a lease lets one courier at a time deliver to a session."""

from datetime import datetime

from hark.model.ids import SessionId
from hark.model.message import Lease
from hark.store import rules
from hark.store.sqlite.hops.sessions import find_session
from hark.store.sqlite.rows import to_micros
from hark.store.sqlite.transaction import Transaction


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


def check_fence(transaction: Transaction, session_id: SessionId, fence: int) -> None:
    holder, current, _ = transaction.one("find-lease", session_id=session_id) or (None, 0, 0)
    if holder is None or current != fence:
        raise rules.lease_lost(session_id, fence)
