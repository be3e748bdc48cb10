"""Notices, by which hark tells the sender of a message what happened to that message. One function per kind of notice decides whether
the notice is due, to whom it goes, and in which words; `key` makes sure that one fact never becomes two notices, however often hark
looks at the message.

A notice is a message like any other, from hark to the session that sent the original message. A notice asks for no notices itself.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from msgspec import Struct

from hark.model.ids import SessionId
from hark.model.message import HoldReason, Message, Receipt, Status
from hark.model.session import Session
from hark.model.text.duration import format_duration
from hark.queue.lifecycle import has_reached

SENDER = "hark"
LONGEST_QUOTE = 80
LONGEST_ANSWER_QUOTE = 600
"""How many characters of an answer a notice quotes."""


class Notice(Struct, frozen=True, kw_only=True):
    key: str
    session_id: SessionId
    """The session that receives the notice: the sender of the original message."""
    text: str


def on_stop(
    message: Message, recipient: Session, detail: str, count: int = 1, answer: str | None = None
) -> Notice | None:
    """Return the notice that the turn of the message has stopped; None if none is due. `detail` says how the turn stopped, in the
    words of the receipt. `count` says how often the message has been completed, this time included. `answer` is the agent's answer,
    made harmless; None if there is none."""
    if not message.notify_on_stop or message.status not in _STOPS:
        return None
    if message.status is Status.FAILED:
        # The notice of the failure says the same.
        return None if message.notify_on_failure else _failure(message, recipient, detail, count)
    words = f"{name(recipient)} has stopped working on your message: {detail}"
    return _notice("stop", message, words, _answer_lines(message, answer) if answer else "", count=count)


def _answer_lines(message: Message, answer: str) -> str:
    """Return the beginning of the answer on one line, and how to read the rest if there is more."""
    line = " ".join(answer.split())
    if len(line) <= LONGEST_ANSWER_QUOTE:
        return f"\nAnswer: {line}"
    return f"\nAnswer: {line[:LONGEST_ANSWER_QUOTE]}...\nRead all of it with: hark show --answer {message.id}"


def on_delivery(message: Message, recipient: Session) -> Notice | None:
    if not message.notify_on_delivery or not has_reached(message.status, Status.SUBMITTED):
        return None
    return _notice("delivery", message, f"Message delivered to {name(recipient)}")


def on_failure(message: Message, recipient: Session, detail: str, count: int = 1) -> Notice | None:
    """Return the notice that the message will not arrive by itself any more, or not as long as the session is gone; None if none is
    due. `count` says how often that has happened, this time included, because somebody may have tried the message again."""
    if not message.notify_on_failure:
        return None
    if message.status is Status.HELD and message.hold_reason is HoldReason.SESSION_GONE:
        return _notice("gone", message, f"Message to {name(recipient)} waits: the session is gone", count=count)
    return _failure(message, recipient, detail, count) if message.status in _FAILURES else None


def _failure(message: Message, recipient: Session, detail: str, count: int) -> Notice | None:
    words = f"Message to {name(recipient)} {_FAILURES[message.status]}: {detail or message.status}"
    hint = f"\nLook at it with: hark show {message.id}"
    return _notice("failure", message, words, hint, count=count)


def after_delivery(message: Message, recipient: Session) -> Notice | None:
    if message.notify_after_s is None or message.delivered_at is None:
        return None
    since = format_duration(message.notify_after_s)
    words = f"Reminder: {since} since your message to {recipient.name} was delivered"
    return _notice("after", message, words, f"\nYou can check status with: hark output {recipient.id}")


def follow_up_at(message: Message) -> datetime | None:
    """Return the time at which the sender wants to be reminded of the message; None if there is none."""
    if message.notify_after_s is None or message.delivered_at is None or message.sender_session_id is None:
        return None
    return message.delivered_at + timedelta(seconds=message.notify_after_s)


def due(message: Message, recipient: Session, receipts: Sequence[Receipt], answer: str | None = None) -> list[Notice]:
    """Return the notices that are due for the message as it is now, with its answer if there is one. The number of receipts that say the
    same tells one failure from the next."""
    detail = receipts[-1].detail if receipts else ""
    stops = sum(receipt.status in _STOPS for receipt in receipts)
    if message.hold_reason is HoldReason.SESSION_GONE:
        failures = sum(receipt.reason is HoldReason.SESSION_GONE for receipt in receipts)
    else:
        failures = sum(receipt.status in _FAILURES for receipt in receipts)
    notices = (
        on_delivery(message, recipient),
        on_stop(message, recipient, detail, stops, answer),
        on_failure(message, recipient, detail, failures),
    )
    return [notice for notice in notices if notice]


_STOPS = frozenset({Status.COMPLETED, Status.INTERRUPTED, Status.FAILED})
_FAILURES = {
    Status.FAILED: "was not finished",
    Status.EXPIRED: "was not delivered",
    Status.DEAD: "was given up",
    Status.UNCERTAIN: "may or may not have arrived",
}


def name(recipient: Session) -> str:
    return f"{recipient.name} ({recipient.id})"


def quote(text: str) -> str:
    """Return the beginning of the message in quotes, on one line."""
    line = " ".join(text.split())
    return f'"{line}"' if len(line) <= LONGEST_QUOTE else f'"{line[:LONGEST_QUOTE]}..."'


def _notice(kind: str, message: Message, words: str, hint: str = "", *, count: int = 1) -> Notice | None:
    """Make a notice; return None if the sender is not a session and so cannot be told."""
    if message.sender_session_id is None:
        return None
    text = f"[hark] {words}\nOriginal: {quote(message.text)}{hint}"
    again = f":{count}" if count > 1 else ""
    return Notice(key=f"notice:{kind}:{message.id}{again}", session_id=message.sender_session_id, text=text)
