from datetime import UTC, datetime

import pytest

from hark.model.ids import MessageId, SessionId
from hark.model.message import HoldReason, Message, Mode, Status
from hark.queue.estimate import estimate
from hark.queue.turns import Phase

T0 = datetime(2026, 3, 1, tzinfo=UTC)


def make_message(mode: Mode = Mode.SEQUENTIAL, reason: HoldReason | None = None) -> Message:
    status = Status.HELD if reason else Status.QUEUED
    return Message(
        id=MessageId("m"),
        session_id=SessionId("s"),
        text="hi",
        queued_at=T0,
        mode=mode,
        status=status,
        hold_reason=reason,
    )


@pytest.mark.parametrize(
    ("mode", "position", "reason", "phase", "is_gone", "word"),
    [
        # nobody is there to be delivered to, whatever else
        (Mode.SEQUENTIAL, 1, HoldReason.BUSY, Phase.IDLE, True, "waiting_for_session_gone"),
        # what holds the first holds all
        (Mode.SEQUENTIAL, 3, HoldReason.DO_NOT_DISTURB, Phase.IDLE, False, "waiting_for_do_not_disturb"),
        (Mode.SEQUENTIAL, 3, None, Phase.IDLE, False, "after_earlier_messages"),
        # the agent itself says what it is at
        (Mode.SEQUENTIAL, 1, None, Phase.WAITING, False, "waiting_for_dialog"),
        (Mode.SEQUENTIAL, 1, None, Phase.BUSY, False, "waiting_for_idle"),
        (Mode.IMPORTANT, 1, None, Phase.BUSY, False, "waiting_for_idle"),
        # it does not wait for the end of a turn
        (Mode.URGENT, 1, None, Phase.BUSY, False, "now"),
        (Mode.SEQUENTIAL, 1, None, Phase.UNKNOWN, False, "now"),
    ],
)
def test_the_reason_is_the_true_one(
    mode: Mode, position: int, reason: HoldReason | None, phase: Phase, is_gone: bool, word: str
) -> None:
    first = make_message(reason=reason)

    assert estimate(make_message(mode), position, first, phase, is_gone=is_gone, waits_for_idle=True) == word


def test_an_agent_that_is_typed_to_during_a_turn_gets_it_now() -> None:
    word = estimate(make_message(), 1, None, Phase.BUSY, is_gone=False, waits_for_idle=False)

    assert word == "now"
