"""Which messages nobody will complete any more."""

from datetime import UTC, datetime, timedelta

import pytest

from hark.model.ids import MessageId, SessionId
from hark.model.message import Message, Status
from hark.model.session import Pane, Session, SessionState
from hark.queue.dead_ends import is_dead_end

START = datetime(2026, 1, 1, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def make_session(state: SessionState, started_s: float | None) -> Session:
    return Session(
        id=SessionId("00000001"),
        name="a",
        agent="demo",
        host="here",
        pane=Pane(socket="/tmp/tmux", pane_id="%1", pid=1),
        command=("demo",),
        directory="/",
        created_at=START,
        state=state,
        started_at=None if started_s is None else at(started_s),
    )


@pytest.mark.parametrize(
    ("status", "given_s", "state", "started_s", "expected"),
    [
        # The agent has ended with the message.
        (Status.SUBMITTED, 5, SessionState.GONE, 1, True),
        (Status.ACKNOWLEDGED, 5, SessionState.GONE, None, True),
        (Status.ACKNOWLEDGED, None, SessionState.GONE, 1, True),
        # The agent is at work on it.
        (Status.ACKNOWLEDGED, 5, SessionState.RUNNING, 1, False),
        (Status.ACKNOWLEDGED, 5, SessionState.RUNNING, None, False),
        # The session has come back with another agent since.
        (Status.ACKNOWLEDGED, 5, SessionState.RUNNING, 9, True),
        (Status.SUBMITTED, 9, SessionState.RUNNING, 9, False),
        # It still waits, or has ended.
        (Status.QUEUED, None, SessionState.GONE, 1, False),
        (Status.HELD, None, SessionState.GONE, 1, False),
        (Status.COMPLETED, 5, SessionState.GONE, 1, False),
        (Status.UNCERTAIN, 5, SessionState.GONE, 1, False),
    ],
)
def test_a_message_is_at_a_dead_end_if_the_agent_that_had_it_has_ended(
    status: Status, given_s: float | None, state: SessionState, started_s: float | None, expected: bool
) -> None:
    message = Message(
        id=MessageId("m1"),
        session_id=SessionId("00000001"),
        text="hello",
        queued_at=START,
        status=status,
        delivered_at=None if given_s is None else at(given_s),
    )

    assert is_dead_end(message, make_session(state, started_s)) is expected
