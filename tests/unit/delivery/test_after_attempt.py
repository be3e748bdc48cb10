"""What follows from an attempt, as tables."""

import pytest

from hark.delivery.after_attempt import (
    LOST_AFTER,
    QUIETEST_S,
    Becomes,
    Pause,
    Refusal,
    blame_nobody,
    count_failure,
    count_refusal,
    is_lost,
    pause_after,
    what_becomes,
)
from hark.delivery.carriers.steps import Held, Outcome, Stuck, Submitted, Unproven
from hark.delivery.gate import Hold
from hark.delivery.session_view import Limits, Memory
from hark.model.message import Channel, HoldReason, Message, Status
from tests.unit.delivery.views import NOW, given_to, in_box, make_message

OUTCOMES: list[tuple[Outcome, Becomes]] = [
    (Submitted("seen"), Becomes(Status.SUBMITTED)),
    (Unproven("gone"), Becomes(Status.UNCERTAIN)),
    (
        Held(HoldReason.DIALOG, "no box"),
        Becomes(Status.HELD, is_in_box=False, hold=Hold(HoldReason.DIALOG, "no box")),
    ),
    (
        Held(HoldReason.DRAFT, "not echoed", is_refused=True),
        Becomes(Status.HELD, is_in_box=False, hold=Hold(HoldReason.DRAFT, "not echoed", is_refused=True)),
    ),
    (Stuck("beside others"), Becomes(Status.HELD, is_in_box=True, hold=Hold(HoldReason.DRAFT, "beside others"))),
]


@pytest.mark.parametrize(("outcome", "expected"), OUTCOMES)
def test_the_outcome_says_what_becomes_of_the_messages(outcome: Outcome, expected: Becomes) -> None:
    assert what_becomes(outcome) == expected


PAUSES: dict[str, tuple[Hold, Pause]] = {
    "an event ends it": (Hold(HoldReason.DIALOG, ""), Pause(5.0, is_for_output=True)),
    "time ends it": (Hold(HoldReason.HUMAN_TYPING, "", 0.3), Pause(0.3, is_for_output=False)),
    "no longer than until the next look": (Hold(HoldReason.DRAFT, "", 90.0), Pause(5.0, is_for_output=True)),
    "the human ends it": (Hold(HoldReason.COPY_MODE, ""), Pause(5.0, is_for_output=False)),
    "a hook ends it": (Hold(HoldReason.BUSY, "", 1.0, is_for_hook=True), Pause(1.0, is_for_output=False)),
}


@pytest.mark.parametrize("name", PAUSES)
def test_the_hold_says_how_to_wait(name: str) -> None:
    hold, expected = PAUSES[name]

    assert pause_after(hold, Limits(poll_s=5.0)) == expected


M1 = make_message("m1", status=Status.HELD, hold_reason=HoldReason.DRAFT, attempts=1)
DONE = make_message("m1", status=Status.SUBMITTED)
ONCE = Memory(refused_id=M1.id, refusals=1, resting_id=M1.id, rests_until_s=10.2)
OTHER = Memory(refused_id=make_message("m0").id, refusals=4, resting_id=make_message("m0").id, rests_until_s=99.0)
REFUSALS: dict[str, tuple[Message, Memory, Limits, Refusal]] = {
    "the first": (M1, Memory(), Limits(), Refusal(ONCE)),
    "the first after another message": (M1, OTHER, Limits(), Refusal(ONCE)),
    "the second": (
        M1,
        ONCE,
        Limits(),
        Refusal(Memory(refused_id=M1.id, refusals=2, resting_id=M1.id, rests_until_s=10.4)),
    ),
    "the last": (
        M1,
        ONCE,
        Limits(most_attempts=2),
        Refusal(
            Memory(refused_id=M1.id, refusals=2, resting_id=M1.id, rests_until_s=10.2), "given up after 2 attempts: no"
        ),
    ),
    "there is no last": (
        M1,
        ONCE,
        Limits(most_attempts=0),
        Refusal(Memory(refused_id=M1.id, refusals=2, resting_id=M1.id, rests_until_s=10.4)),
    ),
    "it has arrived meanwhile": (DONE, Memory(), Limits(most_attempts=1), Refusal(Memory())),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_refusal_is_counted(name: str) -> None:
    message, memory, limits, expected = REFUSALS[name]

    assert count_refusal(message, "no", memory, limits, 10.0) == expected


def test_the_first_failure_does_not_count_and_the_second_does() -> None:
    first = count_failure(M1, "broken", OTHER, Limits(most_attempts=1), 10.0)
    second = count_failure(M1, "broken", first.memory, Limits(most_attempts=1), 10.0)

    assert first.given_up is None
    assert (first.memory.refused_id, first.memory.refusals) == (M1.id, 0)
    assert first.memory.resting_id == OTHER.resting_id
    assert second.given_up == "given up after 1 attempts: broken"


REFUSED = Hold(HoldReason.DRAFT, "not echoed", is_refused=True)
ALONE = Hold(HoldReason.DRAFT, "not echoed", QUIETEST_S)
BLAME: list[tuple[Hold, int, bool, Hold]] = [
    (REFUSED, 1, False, REFUSED),
    (REFUSED, 3, False, ALONE),
    (REFUSED, 3, True, REFUSED),
    (Hold(HoldReason.BUSY, ""), 3, False, Hold(HoldReason.BUSY, "")),
]


@pytest.mark.parametrize(("hold", "count", "is_in_box", "expected"), BLAME)
def test_a_refused_payload_of_several_counts_against_none(
    hold: Hold, count: int, is_in_box: bool, expected: Hold
) -> None:
    assert blame_nobody(hold, count, is_in_box=is_in_box) == expected


def test_a_message_with_the_api_is_lost_after_a_while() -> None:
    message = given_to(Channel.NATIVE, seconds_ago=0.0)

    assert not is_lost(message, NOW)
    assert is_lost(message, NOW + LOST_AFTER)
    assert is_lost(in_box(), NOW)
