"""The bodies of the hops about the dashboard: browsers, what users have seen, reports of alerts, and the search."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import structs

from hark.model.ids import SessionId
from hark.model.message import Message
from hark.model.viewer import Browser, Hit, Notification
from hark.store.rules import NOTIFICATIONS_KEPT
from hark.store.sqlite.rows import BROWSERS, MESSAGES, NOTIFICATIONS, from_micros, to_micros
from hark.store.sqlite.transaction import Transaction

_SEARCHES = (("message", "search-messages"), ("answer", "search-answers"), ("signal", "search-signals"))


def save_browser(transaction: Transaction, browser: Browser) -> None:
    transaction.run("save-browser", BROWSERS.to_row(browser))


def list_browsers(transaction: Transaction) -> Sequence[Browser]:
    return [BROWSERS.from_row(row) for row in transaction.all("list-browsers")]


def delete_browser(transaction: Transaction, browser_id: str) -> None:
    transaction.run("delete-browser", {"id": browser_id})


def acknowledge(transaction: Transaction, user: str, subject: str, seq: int, at: datetime) -> None:
    transaction.run("acknowledge", {"user": user, "subject": subject, "seq": seq, "at": to_micros(at)})


def list_acknowledgements(transaction: Transaction, user: str) -> dict[str, int]:
    return dict(transaction.all("list-acknowledgements", user=user))


def forget_acknowledgements(transaction: Transaction, subject: str) -> None:
    transaction.run("forget-acknowledgements", {"subject": subject})


def add_notification(transaction: Transaction, notification: Notification) -> Notification:
    row = NOTIFICATIONS.to_row(notification)
    del row["sequence"]
    sequence = transaction.cell("insert-notification", row)
    transaction.run("forget-notifications", {"kept": NOTIFICATIONS_KEPT})
    return structs.replace(notification, sequence=sequence)


def list_notifications(transaction: Transaction, limit: int) -> Sequence[Notification]:
    return [NOTIFICATIONS.from_row(row) for row in transaction.all("list-notifications", limit=limit)]


def list_unsettled(transaction: Transaction, limit: int) -> Sequence[Message]:
    return [MESSAGES.from_row(row) for row in transaction.all("list-unsettled", limit=limit)]


def search(transaction: Transaction, text: str, session_id: SessionId | None, limit: int) -> Sequence[Hit]:
    escaped = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    found = [
        Hit(kind=kind, at=from_micros(at), session_id=found_in or "", message_id=message_id, text=said)
        for kind, query in _SEARCHES
        for at, found_in, message_id, said in transaction.all(
            query, pattern=f"%{escaped}%", session_id=session_id, limit=limit
        )
    ]
    return sorted(found, key=lambda hit: hit.at, reverse=True)[:limit]
