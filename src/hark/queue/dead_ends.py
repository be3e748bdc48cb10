"""Decides which messages nobody will complete any more, because the agent that had them has ended."""

from hark.model.message import Message, Status
from hark.model.session import Session, SessionState

WITH_THE_AGENT = (Status.SUBMITTED, Status.ACKNOWLEDGED)
"""The statuses of a message that an agent has and has not finished."""


def is_dead_end(message: Message, session: Session) -> bool:
    """Return True if the agent that had the message has ended. The agent of a session that was started again has only the messages that
    it was given since that start."""
    if message.status not in WITH_THE_AGENT:
        return False
    if session.state is SessionState.GONE:
        return True
    taken_at = message.delivered_at or message.queued_at
    return session.started_at is not None and taken_at < session.started_at
