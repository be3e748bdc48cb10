from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hark.model.ids import MessageId, SessionId
from hark.model.message import HoldReason, Message, Status
from hark.queue.lifecycle import Step, advance, begin_attempt
from hark.queue.retrying import LONGEST_IN_BOX_S, LONGEST_S, backoff_s, given_up_as, next_try_s

T0 = datetime(2026, 3, 1, tzinfo=UTC)
IN_BOX: dict[str, Any] = {"status": Status.HELD, "hold_reason": HoldReason.DRAFT, "attempted_at": T0}
OUT_OF_BOX: dict[str, Any] = {"status": Status.HELD, "hold_reason": HoldReason.BUSY}


def make_message(status: Status = Status.QUEUED, **fields: Any) -> Message:
    known: dict[str, Any] = {"text": "hi", "queued_at": T0, "status": status}
    return Message(id=MessageId("m"), session_id=SessionId("s"), **(known | fields))


def test_every_wait_is_twice_the_one_before_up_to_a_minute() -> None:
    waits = [backoff_s(attempts) for attempts in range(40)]

    assert waits[:5] == [0.0, 0.2, 0.4, 0.8, 1.6]
    assert waits == sorted(waits)
    assert waits[-1] == LONGEST_S


@pytest.mark.parametrize(
    ("attempts", "refusals", "most", "fields", "end"),
    [
        (2, 2, 3, {}, None),
        (3, 3, 3, {}, Status.DEAD),
        (3, 1, 3, {}, Status.DEAD),  # the earlier ones were another daemon's
        (99, 99, 0, {}, None),  # 0 never gives up
        (3, 3, 3, OUT_OF_BOX, Status.DEAD),
        (3, 3, 3, IN_BOX, Status.UNCERTAIN),  # nobody knows what becomes of a text in the box
        (1, 3, 3, IN_BOX, Status.UNCERTAIN),  # one attempt, taken up again and again
        (1, 2, 3, IN_BOX, None),
        (3, 3, 3, {"status": Status.STAGED}, Status.UNCERTAIN),
    ],
)
def test_a_message_that_was_refused_too_often_steps_aside(
    attempts: int, refusals: int, most: int, fields: dict[str, Any], end: Status | None
) -> None:
    message = make_message(**fields, attempts=attempts)

    assert given_up_as(message, refusals, most) is end


@given(
    st.integers(0, 40),
    st.integers(0, 40),
    st.integers(1, 40),
    st.sampled_from([{}, OUT_OF_BOX, IN_BOX, {"status": Status.STAGED}]),
)
def test_what_a_message_is_given_up_as_is_legal_and_comes_at_last(
    attempts: int, refusals: int, most: int, fields: dict[str, Any]
) -> None:
    message = make_message(**fields, attempts=attempts)

    end = given_up_as(message, refusals, most)

    assert (end is None) is (max(attempts, refusals) < most)
    if end:
        assert advance(message, Step(status=end, at=T0)).message.ended_at == T0


def test_a_text_in_the_box_is_looked_at_more_often() -> None:
    assert next_try_s(make_message(**OUT_OF_BOX, attempts=30), 1) == LONGEST_S
    assert next_try_s(make_message(**IN_BOX, attempts=30), 30) == LONGEST_IN_BOX_S
    assert next_try_s(make_message(**IN_BOX, attempts=30), 1) == backoff_s(1)


@pytest.mark.parametrize(
    ("counts_attempt", "is_in_box", "attempts"),
    [
        (True, False, 1),  # the agent did not take the text
        (False, False, 0),  # the session was in the way
        (False, True, 1),  # the attempt is not over
    ],
)
def test_an_attempt_that_fails_because_of_the_session_does_not_count(
    counts_attempt: bool, is_in_box: bool, attempts: int
) -> None:
    begun = begin_attempt(make_message(), T0)
    step = Step(status=Status.HELD, at=T0, reason=HoldReason.DIALOG, is_in_box=is_in_box, counts_attempt=counts_attempt)

    assert advance(begun, step).message.attempts == attempts


def test_a_hold_without_an_attempt_changes_no_count() -> None:
    tried = make_message(attempts=2)
    step = Step(status=Status.HELD, at=T0, reason=HoldReason.BUSY, counts_attempt=False)

    assert advance(tried, step).message.attempts == 2


@pytest.mark.parametrize("status", [Status.DEAD, Status.UNCERTAIN])
def test_what_is_tried_again_begins_anew_and_does_not_expire(status: Status) -> None:
    dead = make_message(status, attempts=20, timeout_at=T0)

    again = advance(dead, Step(status=Status.QUEUED, at=T0)).message

    assert (again.attempts, again.timeout_at, again.ended_at) == (0, None, None)
