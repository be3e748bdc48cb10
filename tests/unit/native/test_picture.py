from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hark.agents.native.channel import State
from hark.agents.native.picture import Picture, Turn, continued, events_between, message_ids
from hark.model.heard import Said
from hark.model.ids import MessageId

AT = datetime(2026, 1, 2, tzinfo=UTC)
A, B = MessageId("aaaaaaaaaaaa"), MessageId("bbbbbbbbbbbb")
PROMPT, STOP, BREAK = Said.PROMPT_SUBMITTED, Said.STOPPED, Said.INTERRUPTED


def turn(name: str, *ids: MessageId, end: Said | None = None) -> Turn:
    return Turn(id=name, message_ids=ids, end=end)


def picture(*turns: Turn, state: State = State.BUSY, conversation: str = "c") -> Picture:
    return Picture(conversation=conversation, state=state, turns=turns)


CASES: tuple[tuple[str, Picture | None, Picture, list[tuple[Said, tuple[MessageId, ...]]]], ...] = (
    ("a turn of the past is no news", None, picture(turn("1", end=STOP)), []),
    ("a turn of ours is, whenever we come", None, picture(turn("1", A, end=STOP)), [(PROMPT, (A,)), (STOP, (A,))]),
    ("a running turn of the human's", None, picture(turn("1")), [(PROMPT, ())]),
    ("nothing new", picture(turn("1", A)), picture(turn("1", A)), []),
    ("its end", picture(turn("1", A)), picture(turn("1", A, end=STOP)), [(STOP, (A,))]),
    ("what was asked shows later than the turn", picture(turn("1")), picture(turn("1", A)), [(PROMPT, (A,))]),
    (
        "a turn ends and the next one begins",
        picture(turn("1", A)),
        picture(turn("1", A, end=BREAK), turn("2", B)),
        [(BREAK, (A,)), (PROMPT, (B,))],
    ),
    ("a permission", picture(turn("1", A)), picture(turn("1", A), state=State.WAITING), [(Said.PERMISSION_ASKED, ())]),
    (
        "its answer, and then the end",
        picture(turn("1", A), state=State.WAITING),
        picture(turn("1", A, end=BREAK), state=State.IDLE),
        [(Said.PERMISSION_ANSWERED, ()), (BREAK, (A,))],
    ),
    (
        "another conversation is looked at for the first time",
        picture(turn("1", A)),
        picture(turn("9", end=STOP), turn("10", B, end=STOP), conversation="d"),
        [(PROMPT, (B,)), (STOP, (B,))],
    ),
)


@pytest.mark.parametrize(("name", "before", "after", "expected"), CASES, ids=[name for name, *_ in CASES])
def test_what_happened_between_two_looks(
    name: str, before: Picture | None, after: Picture, expected: list[tuple[Said, tuple[MessageId, ...]]]
) -> None:
    events = events_between(before, after, AT)

    assert [(event.said, event.message_ids) for event in events] == expected
    assert [event.at for event in events] == sorted({event.at for event in events})


def test_a_turn_that_has_ended_does_not_run_again() -> None:
    before = picture(turn("1", A, end=BREAK), state=State.IDLE)

    after = continued(before, picture(turn("1", A), turn("2", B)))

    assert after.turns == (turn("1", A, end=BREAK), turn("2", B))


def test_a_turn_out_of_view_runs_until_all_is_idle() -> None:
    before = picture(turn("1", A))

    busy = continued(before, picture(turn("7")))
    idle = continued(busy, picture(turn("8", end=STOP), state=State.IDLE))

    assert busy.turns[0] == turn("1", A)
    assert idle.turns[0] == turn("1", A, end=STOP)


def test_a_payload_has_the_id_it_is_named_after_and_those_of_its_headers() -> None:
    text = f"[Input from: x via hark send · {A}]\none\n[Input from: y via hark send · {B}]\ntwo"

    assert message_ids(text, A) == (A, B)
    assert message_ids("raw", A) == (A,)
    assert message_ids("raw", None) == ()
