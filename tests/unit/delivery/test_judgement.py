"""What an attempt has come to, as a table: the outcome of the carrier, the answers to the questions, and the judgement."""

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from hark.delivery.carriers.steps import Held, Outcome, Stuck, Submitted, Unproven
from hark.delivery.gate import NOT_READ
from hark.delivery.judgement import UNDONE, Judged, Judgement, Question, judge
from hark.model.message import HoldReason

Q = Question
STUCK, LATE_STUCK = Stuck("not echoed"), Stuck("not echoed", is_late=True)
NO_BOX, LATE_HELD = Held(HoldReason.DIALOG, "no box"), Held(HoldReason.BUSY, "slow", is_late=True)
OTHERS = Held(HoldReason.DRAFT, "a draft is there")
CALLED_OFF = Held(HoldReason.CALLED_OFF, f"{UNDONE}: not echoed")
LEFT = Judged(Held(HoldReason.BUSY, NOT_READ), is_left_to_holder=True)


class Row(NamedTuple):
    outcome: Outcome
    answers: tuple[tuple[Question, bool], ...]
    """The questions in the order in which they are asked, with their answers."""
    judged: Judged
    has_begun: bool = True
    has_pressed_enter: bool = False


ROWS: dict[str, Row] = {
    "submitted": Row(Submitted(), (), Judged(Submitted())),
    "nobody can tell": Row(Unproven("?"), (), Judged(Unproven("?")), has_pressed_enter=True),
    "a draft in the way": Row(OTHERS, (), Judged(OTHERS)),
    "nothing of ours was written": Row(LATE_STUCK, (), Judged(LATE_STUCK), has_begun=False),
    "the hold ended first, and it was undone": Row(STUCK, ((Q.WAS_UNDONE, True),), Judged(CALLED_OFF)),
    "it is in the box": Row(STUCK, ((Q.WAS_UNDONE, False), (Q.HAS_UNREAD, False)), Judged(STUCK)),
    "no box, and the agent has read everything": Row(NO_BOX, ((Q.HAS_UNREAD, False),), Judged(NO_BOX)),
    "no box, and the agent does not read": Row(NO_BOX, ((Q.HAS_UNREAD, True), (Q.IS_LEFT_TO_HOLDER, True)), LEFT),
    "the agent does not read, and nobody can undo it": Row(
        NO_BOX, ((Q.HAS_UNREAD, True), (Q.IS_LEFT_TO_HOLDER, False)), Judged(Stuck(NOT_READ))
    ),
    "the agent does not read, and Enter was pressed": Row(
        NO_BOX, ((Q.HAS_UNREAD, True),), Judged(Stuck(NOT_READ)), has_pressed_enter=True
    ),
    "it may still come": Row(LATE_HELD, ((Q.IS_LEFT_TO_HOLDER, True),), Judged(LATE_HELD, is_left_to_holder=True)),
    "it may still come, and nobody can undo it": Row(LATE_HELD, ((Q.IS_LEFT_TO_HOLDER, False),), Judged(LATE_HELD)),
    "it may still come, and Enter was pressed": Row(LATE_HELD, (), Judged(LATE_HELD), has_pressed_enter=True),
    "it may still come into the box": Row(
        LATE_STUCK,
        ((Q.WAS_UNDONE, False), (Q.IS_LEFT_TO_HOLDER, True)),
        Judged(LATE_STUCK, is_left_to_holder=True),
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_what_an_attempt_has_come_to(name: str) -> None:
    row = ROWS[name]
    judgement = judge(row.outcome, has_begun=row.has_begun, has_pressed_enter=row.has_pressed_enter)

    asked, judged = run(judgement, iter(row.answers))

    assert judged == row.judged
    assert asked == [question for question, _ in row.answers]


def run(judgement: Judgement, answers: Iterator[tuple[Question, bool]]) -> tuple[list[Question], Judged]:
    asked: list[Question] = []
    try:
        asked.append(next(judgement))
        while True:
            asked.append(judgement.send(next(answers)[1]))
    except StopIteration as end:
        judged: Judged = end.value
    return asked, judged
