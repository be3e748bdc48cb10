from datetime import UTC, datetime
from typing import Any

import pytest

from hark.model.ids import MessageId, SessionId
from hark.model.message import HoldReason, Message, Status
from hark.queue.lifecycle import Step, advance
from hark.queue.retrying import LONGEST_S, backoff_s, is_given_up

T0 = datetime(2026, 3, 1, tzinfo=UTC)


def make_message(status: Status, **fields: Any) -> Message:
    known: dict[str, Any] = {"text": "hi", "queued_at": T0, "status": status}
    return Message(id=MessageId("m"), session_id=SessionId("s"), **(known | fields))


def test_every_wait_is_twice_the_one_before_up_to_a_minute() -> None:
    waits = [backoff_s(attempts) for attempts in range(40)]

    assert waits[:5] == [0.0, 0.2, 0.4, 0.8, 1.6]
    assert waits == sorted(waits)
    assert waits[-1] == LONGEST_S


@pytest.mark.parametrize(
    ("attempts", "most", "fields", "is_over"),
    [
        (2, 3, {}, False),
        (3, 3, {}, True),
        (99, 0, {}, False),  # never
        (3, 3, {"attempted_at": T0}, False),  # its text may be in the box
        (3, 3, {"status": Status.STAGED}, False),
        (3, 3, {"status": Status.HELD, "hold_reason": HoldReason.DRAFT}, True),
    ],
)
def test_a_message_is_given_up_after_too_many_attempts_and_not_while_it_may_be_in_the_box(
    attempts: int, most: int, fields: dict[str, Any], is_over: bool
) -> None:
    message = make_message(
        fields.get("status", Status.QUEUED), attempts=attempts, **{k: v for k, v in fields.items() if k != "status"}
    )

    assert is_given_up(message, most) is is_over


@pytest.mark.parametrize("status", [Status.DEAD, Status.UNCERTAIN])
def test_what_is_tried_again_begins_anew_and_does_not_expire(status: Status) -> None:
    dead = make_message(status, attempts=20, timeout_at=T0)

    again = advance(dead, Step(status=Status.QUEUED, at=T0)).message

    assert (again.attempts, again.timeout_at, again.ended_at) == (0, None, None)
