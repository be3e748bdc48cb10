"""Notices: what hark tells the sender of a message about what became of it. One function per kind says whether it is due, to
whom and in which words; `key` makes sure that one fact never becomes two notices, however often it is looked at.

A notice is a message like any other, from hark to the session that has sent the first one. It asks for no notices itself.
"""

from msgspec import Struct

from hark.model.ids import SessionId
from hark.model.message import Message, Status
from hark.model.session import Session

SENDER = "hark"
LONGEST_QUOTE = 80


class Notice(Struct, frozen=True, kw_only=True):
    key: str
    session_id: SessionId
    """Who is told: the session that has sent the message."""
    text: str


def on_stop(message: Message, recipient: Session, detail: str) -> Notice | None:
    """The turn of the message has stopped; `detail` says how, as its receipt does."""
    if not message.notify_on_stop or message.status is not Status.COMPLETED:
        return None
    return _notice("stop", message, f"{name(recipient)} has stopped working on your message: {detail}")


def name(recipient: Session) -> str:
    return f"{recipient.name} ({recipient.id})"


def quote(text: str) -> str:
    """The beginning of the message, on one line."""
    line = " ".join(text.split())
    return f'"{line}"' if len(line) <= LONGEST_QUOTE else f'"{line[:LONGEST_QUOTE]}..."'


def _notice(kind: str, message: Message, words: str) -> Notice | None:
    """Somebody who is no session cannot be told."""
    if message.sender_session_id is None:
        return None
    text = f"[hark] {words}\nOriginal: {quote(message.text)}"
    return Notice(key=f"notice:{kind}:{message.id}", session_id=message.sender_session_id, text=text)
