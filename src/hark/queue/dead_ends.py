"""Decides which messages nobody will complete any more, because the agent that had them has ended."""

from hark.model.message import Message, Status
from hark.model.session import Session, SessionState

HAD = (Status.SUBMITTED, Status.ACKNOWLEDGED)
"""The statuses of a message that an agent has and has not finished."""


def is_dead_end(message: Message, session: Session) -> bool:
    """True if the agent that had the message has ended. A session that has come back has another agent, which has only what it was given
    since it was started."""
    if message.status not in HAD:
        return False
    if session.state is SessionState.GONE:
        return True
    taken_at = message.delivered_at or message.queued_at
    return session.started_at is not None and taken_at < session.started_at
