"""Threads: a reply goes to whoever sent the message, and counts how many replies lead to it from the first message of its thread."""

from hark.model.errors import HarkError
from hark.model.ids import SessionId
from hark.model.message import Message


def receiver_of_reply(message: Message, replier: SessionId | None) -> SessionId:
    """Return the session that gets a reply to the message: the session that sent it. Raise `request-invalid` if no session sent it, or
    if the replier did. `replier` is None if no session replies."""
    if message.sender_session_id is None:
        detail = f"message {message.id} was not sent by a session, so nobody can get a reply"
        raise HarkError(
            "request-invalid", detail, "answer in your own words on the screen, or use `hark send NAME TEXT`"
        )
    if message.sender_session_id == replier:
        raise HarkError(
            "request-invalid",
            f"message {message.id} is your own, and a reply would go to yourself",
            "name the message that you were sent, or use `hark send NAME TEXT`",
        )
    return message.sender_session_id


def hops_of_reply(message: Message) -> int:
    """Return how many replies lead from the first message of the thread to a reply to this message."""
    return message.hops + 1
