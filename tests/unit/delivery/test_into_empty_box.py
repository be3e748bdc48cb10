"""The carrier of an empty box, step by step: what it sees, what it asks for, how it ends."""

from contextlib import suppress

import pytest
from msgspec.structs import replace

from hark.delivery.carriers.empty_box import deliver, put_back
from hark.delivery.carriers.steps import (
    Answer,
    Begin,
    Held,
    LeaveUndo,
    LookAgain,
    Outcome,
    Paste,
    Press,
    PressEnter,
    Stage,
    Step,
    Stuck,
    Submitted,
    Unproven,
    is_late,
)
from hark.delivery.carriers.submit import Job
from hark.delivery.carriers.undo import LATE_S, ROWS_ERASED, Write, erasures
from hark.delivery.screen.capture import Screen
from hark.model.message import HoldReason
from tests.unit.delivery.screens import DEMO, screen
from tests.unit.delivery.scripted import (
    AFTER_OURS,
    COLLAPSED,
    DIALOG,
    DIALOG_AFTER_OURS,
    DRAFT,
    EMPTY,
    HALF_OF_OURS,
    MESSAGE_ID,
    OTHER_COLLAPSED,
    OURS,
    OURS_AND_A_LETTER,
    TEXT,
    ScriptedTerminal,
    box,
)

PASTED = ["Begin", "Paste"]
ENTERED = [*PASTED, "Stage", "PressEnter"]
RETREATED = [*PASTED, "Press"]
OWN_WAY = box(TEXT.split("\n")[0], "hello  th ere ?‸")


def run(terminal: ScriptedTerminal, settle_s: float = 0.0) -> Outcome:
    return terminal.play(deliver(TEXT, MESSAGE_ID, DEMO, settle_s))


def enters(terminal: ScriptedTerminal) -> list[tuple[Screen, str]]:
    """The screen and the proof of each Enter."""
    return [(step.screen, step.proof) for step in terminal.steps if isinstance(step, PressEnter)]


WAYS: dict[str, tuple[list[Screen], list[str], type[Outcome], str]] = {
    "all goes well": ([EMPTY, OURS, EMPTY], ENTERED, Submitted, ""),
    "the echo comes late and in pieces": ([EMPTY, EMPTY, HALF_OF_OURS, OURS, EMPTY], ENTERED, Submitted, ""),
    "the box is slow to let go": ([EMPTY, OURS, OURS, OURS, AFTER_OURS], ENTERED, Submitted, ""),
    "a long paste is collapsed": ([EMPTY, COLLAPSED, COLLAPSED, EMPTY], ENTERED, Submitted, ""),
    "a human types on as soon as the box let go": ([EMPTY, OURS, DRAFT], ENTERED, Submitted, ""),
    "a dialog stands in the box's place, our text above it": ([EMPTY, OURS, DIALOG_AFTER_OURS], ENTERED, Submitted, ""),
    "a dialog stands in the box's place, our text nowhere": ([EMPTY, OURS, DIALOG], ENTERED, Unproven, "changed"),
    "somebody's draft": ([DRAFT], [], Held, "somebody's text"),
    "a draft of a collapsed paste": ([COLLAPSED], [], Held, "somebody's text"),
    "no box": ([DIALOG], [], Held, "no input box"),
    "no echo, so that the way back goes right behind the paste": (
        [EMPTY, EMPTY],
        [*RETREATED, "Press"],
        Held,
        "not echoed",
    ),
    "no echo, but something else is drawn": (
        [EMPTY, box("‸", transcript="another answer")],
        [*RETREATED, "Press"],
        Held,
        "not echoed",
    ),
    "a dialog came before the paste": ([EMPTY, DIALOG], PASTED, Held, "not echoed"),
    "a screen that draws our text in its own way": ([EMPTY, *[OWN_WAY] * 4, EMPTY], ENTERED, Submitted, ""),
    "a stand-in that counts lines in its own way": ([EMPTY, *[OTHER_COLLAPSED] * 4, EMPTY], ENTERED, Submitted, ""),
    "only half of it is echoed, and goes out again": ([EMPTY, *[HALF_OF_OURS] * 12, EMPTY], RETREATED, Held, "other"),
    "only half of it is echoed, and stays": ([EMPTY, HALF_OF_OURS], [*RETREATED, "Press"], Stuck, "something other"),
    "our text on the screen, but no box": ([EMPTY, DIALOG_AFTER_OURS], PASTED, Stuck, "hidden"),
}


@pytest.mark.parametrize(("screens", "asked", "ending", "detail"), WAYS.values(), ids=WAYS.keys())
def test_a_delivery_goes_its_way(screens: list[Screen], asked: list[str], ending: type[Outcome], detail: str) -> None:
    terminal = ScriptedTerminal(screens)

    outcome = run(terminal)

    assert terminal.kinds == asked
    assert isinstance(outcome, ending)
    assert detail in outcome.detail


HELD = {"draft": (DRAFT, HoldReason.DRAFT), "no box": (DIALOG, HoldReason.DIALOG)}


@pytest.mark.parametrize(("seen", "reason"), HELD.values(), ids=HELD.keys())
def test_the_reason_of_a_hold_is_what_is_in_the_way(seen: Screen, reason: HoldReason) -> None:
    outcome = run(ScriptedTerminal([seen]))

    assert isinstance(outcome, Held)
    assert outcome.reason is reason


def test_a_paste_without_echo_is_held_as_a_dialog() -> None:
    outcome = run(ScriptedTerminal([EMPTY, EMPTY]))

    assert isinstance(outcome, Held)
    assert outcome.reason is HoldReason.DIALOG


def test_what_is_pasted_is_the_text_and_the_proof_of_enter_is_the_id() -> None:
    terminal = ScriptedTerminal([EMPTY, OURS, EMPTY])

    run(terminal)

    assert Paste(TEXT) in terminal.steps
    assert enters(terminal) == [(OURS, MESSAGE_ID)]


def test_an_id_cut_by_a_wrap_is_proven_by_what_stands_in_one_row() -> None:
    wrapped = box("[Input from: ann via hark send · 0123456", "789ab]", "hello there‸")
    terminal = ScriptedTerminal([EMPTY, wrapped, EMPTY])

    assert isinstance(run(terminal), Submitted)
    assert enters(terminal) == [(wrapped, "0123456")]


def test_the_attempt_is_on_record_before_the_paste_and_staged_before_enter() -> None:
    terminal = ScriptedTerminal([EMPTY, OURS, EMPTY])

    run(terminal)

    kinds = [type(step) for step in terminal.steps]
    assert kinds.index(Begin) < kinds.index(Paste) < kinds.index(Stage) < kinds.index(PressEnter)


def test_nothing_is_pasted_when_the_attempt_may_not_begin() -> None:
    terminal = ScriptedTerminal([EMPTY], may_begin=False)

    assert isinstance(run(terminal), Held)
    assert terminal.kinds == ["Begin"]


def test_enter_is_not_pressed_when_staging_is_refused() -> None:
    terminal = ScriptedTerminal([EMPTY, OURS], may_stage=False)

    assert isinstance(run(terminal), Stuck)
    assert terminal.kinds == [*PASTED, "Stage", "Press", "Press"]


def test_a_key_of_the_humans_that_was_drawn_late_stays_when_our_text_goes_out_again() -> None:
    beside = box("b" + TEXT.split("\n")[0], "hello there‸")
    terminal = ScriptedTerminal([EMPTY, *[beside] * 14, box("b‸")])

    outcome = run(terminal)

    assert isinstance(outcome, Held)
    assert "PressEnter" not in terminal.kinds
    assert Press(("BSpace",) * len(TEXT)) in terminal.steps


def test_a_text_that_may_not_be_submitted_leaves_the_box_again() -> None:
    terminal = ScriptedTerminal([EMPTY, OURS, OURS, EMPTY], may_stage=False)

    outcome = run(terminal)

    assert isinstance(outcome, Held)
    assert Press(("BSpace",) * erasures(TEXT)) in terminal.steps
    assert "PressEnter" not in terminal.kinds


def test_the_keys_that_empty_the_box_take_our_text_out_where_the_kind_names_them() -> None:
    look = replace(DEMO, empty_keys=("S-End", "BSpace", "S-Home", "BSpace"))
    terminal = ScriptedTerminal([EMPTY, OURS, OURS, EMPTY], may_stage=False)

    outcome = terminal.play(deliver(TEXT, MESSAGE_ID, look, 0.0))

    assert isinstance(outcome, Held)
    assert [step for step in terminal.steps if isinstance(step, Press)] == [Press(look.empty_keys)]


def test_a_key_of_the_humans_stays_although_the_kind_names_keys_that_empty_the_box() -> None:
    look = replace(DEMO, empty_keys=("S-End", "BSpace", "S-Home", "BSpace"))
    beside = box("b" + TEXT.split("\n")[0], "hello there‸")
    terminal = ScriptedTerminal([EMPTY, *[beside] * 14, box("b‸")])

    outcome = terminal.play(deliver(TEXT, MESSAGE_ID, look, 0.0))

    assert isinstance(outcome, Held)
    assert [step for step in terminal.steps if isinstance(step, Press)] == [Press(("BSpace",) * len(TEXT))]


def test_rows_are_erased_where_backspaces_and_deletes_erase_nothing() -> None:
    """As in vim's normal mode."""
    look = replace(DEMO, row_erasers=("C-u", "C-k"))
    terminal = ScriptedTerminal([EMPTY, OURS], may_stage=False)

    terminal.play(deliver(TEXT, MESSAGE_ID, look, 0.0))

    pressed = [step.keys for step in terminal.steps if isinstance(step, Press)]
    by_character = [(key,) * erasures(TEXT) for key in ("BSpace", "DC")]
    assert pressed == [*by_character, ("C-u",) * ROWS_ERASED, ("C-k",) * ROWS_ERASED]


def test_a_draft_of_one_character_is_never_pasted_alone() -> None:
    """An agent may take a paste of one digit for the key, and a dialog may have opened since the look."""
    terminal = ScriptedTerminal([EMPTY, box("1§‸")])
    job = Job(text=TEXT, message_id=MESSAGE_ID, look=DEMO)
    steps: list[Step] = []
    putting = put_back(job, "1")
    answer: Answer | None = None
    with suppress(StopIteration):
        while True:
            steps.append(next(putting) if answer is None else putting.send(answer))
            answer = terminal.answer(steps[-1])

    assert [step for step in steps if isinstance(step, Paste | Press)] == [Paste("1§"), Press(("BSpace",))]


def test_the_mode_in_which_backspaces_erase_nothing_is_left_before_them() -> None:
    look = replace(DEMO, insert_key="IC")
    terminal = ScriptedTerminal([EMPTY, OURS, OURS, EMPTY], may_stage=False)

    outcome = terminal.play(deliver(TEXT, MESSAGE_ID, look, 0.0))

    assert isinstance(outcome, Held)
    assert Press(("IC", *("BSpace",) * erasures(TEXT))) in terminal.steps


def test_the_echo_is_waited_for_from_the_paste_on_not_from_the_look_before_it() -> None:
    """Putting the attempt on record may take longer than an echo."""
    terminal = ScriptedTerminal([EMPTY, EMPTY, OURS, EMPTY], look_takes_s=1.9)

    assert isinstance(run(terminal), Submitted)


def test_a_paste_rests_until_it_has_settled() -> None:
    terminal = ScriptedTerminal([EMPTY, OURS, OURS, OURS, OURS, EMPTY], look_takes_s=0.2)

    assert isinstance(run(terminal, settle_s=0.5), Submitted)
    [at] = [index for index, step in enumerate(terminal.steps) if isinstance(step, PressEnter)]
    before_enter = terminal.steps[:at]
    _for_the_echo, *waits = [round(step.within_s, 1) for step in before_enter if isinstance(step, LookAgain)]
    assert waits == [0.5, 0.3, 0.1]


CHANGES = {
    "a letter more": OURS_AND_A_LETTER,
    "cleared": EMPTY,
    "another's paste": OTHER_COLLAPSED,
    "a dialog": DIALOG,
    "copy mode": replace(OURS, in_mode=True),
    "the cursor moved": replace(OURS, cursor_x=OURS.cursor_x - 1),
    "the cursor is hidden": replace(OURS, is_cursor_visible=False),
}


@pytest.mark.parametrize("changed", CHANGES.values(), ids=CHANGES.keys())
def test_a_box_that_changes_after_the_echo_gets_no_enter(changed: Screen) -> None:
    terminal = ScriptedTerminal([EMPTY, OURS, changed])

    assert isinstance(run(terminal, settle_s=0.1), Stuck)
    assert "PressEnter" not in terminal.kinds


@pytest.mark.parametrize("changed", CHANGES.values(), ids=CHANGES.keys())
def test_a_box_that_changed_while_enter_was_withheld_gets_none(changed: Screen) -> None:
    terminal = ScriptedTerminal([EMPTY, OURS, changed], enters=[False])

    assert isinstance(run(terminal), Stuck)
    assert terminal.kinds.count("PressEnter") == 1


OTHER_THAN_COLLAPSED = {
    "a draft": DRAFT,
    "another's paste": OTHER_COLLAPSED,
    "another's paste of as many lines": box("[Pasted text #2 +1 lines]‸"),
    "another's paste before it": box("[Pasted text #1 +1 lines][Pasted text #2 +1 lines]‸"),
}


@pytest.mark.parametrize("changed", OTHER_THAN_COLLAPSED.values(), ids=OTHER_THAN_COLLAPSED.keys())
def test_a_collapsed_paste_that_became_another_gets_no_enter(changed: Screen) -> None:
    terminal = ScriptedTerminal([EMPTY, COLLAPSED, changed])

    assert isinstance(run(terminal, settle_s=0.1), Stuck)
    assert "PressEnter" not in terminal.kinds


def test_a_withheld_enter_is_tried_again_after_another_look() -> None:
    moved = box(*TEXT.split("\n")[:1], "hello there‸", transcript="one\nmore line")
    terminal = ScriptedTerminal([EMPTY, OURS, moved, EMPTY], enters=[False])

    assert isinstance(run(terminal), Submitted)
    assert terminal.kinds == [*ENTERED, "PressEnter"]
    assert (moved, MESSAGE_ID) in enters(terminal)


def test_a_screen_that_never_stands_still_gets_no_blind_enter() -> None:
    terminal = ScriptedTerminal([EMPTY, OURS], enters=[False] * 9)

    outcome = run(terminal)

    assert isinstance(outcome, Stuck)
    assert terminal.kinds.count("PressEnter") == 3


def test_an_enter_without_effect_is_pressed_again_on_the_same_proof() -> None:
    two_seconds_of_looks = [OURS] * 21
    terminal = ScriptedTerminal([EMPTY, OURS, *two_seconds_of_looks, EMPTY])

    assert isinstance(run(terminal), Submitted)
    assert terminal.kinds == [*ENTERED, "PressEnter"]


def test_a_hold_that_is_over_after_an_enter_without_effect_leaves_it_to_the_next_attempt() -> None:
    """Our text is in the box, and proven to be there: nothing is uncertain."""
    terminal = ScriptedTerminal([EMPTY, OURS], enters=[True, False, False])

    assert isinstance(run(terminal), Stuck)


KEPT = box(TEXT.split("\n")[0], "hello there‸", transcript=f"> {TEXT}")


HALF_DRAWN = screen(f"> {TEXT}\n● working\n‸", 60)


def test_a_screen_that_is_half_drawn_is_no_proof_that_the_box_let_go() -> None:
    terminal = ScriptedTerminal([EMPTY, OURS, HALF_DRAWN, *[KEPT] * 9, EMPTY], look_takes_s=0.05)

    outcome = run(terminal)

    assert isinstance(outcome, Submitted)
    assert outcome.was_kept


def test_a_text_that_the_agent_took_and_kept_is_erased_and_not_submitted_again() -> None:
    terminal = ScriptedTerminal([EMPTY, OURS, *[KEPT] * 5, EMPTY])

    outcome = run(terminal)

    assert isinstance(outcome, Submitted)
    assert outcome.was_kept
    assert terminal.kinds == [*ENTERED, "Press"]


def test_no_second_enter_is_pressed_on_a_text_that_the_agent_says_it_took() -> None:
    """It may not have drawn yet that its box is free, or may have kept the text: neither bears a key."""
    terminal = ScriptedTerminal([EMPTY, OURS], is_taken=True)

    assert isinstance(run(terminal), Unproven)
    assert terminal.kinds == ENTERED


def test_a_box_that_lets_go_a_moment_after_the_text_is_in_the_transcript_gets_no_key() -> None:
    terminal = ScriptedTerminal([EMPTY, OURS, KEPT, KEPT, AFTER_OURS])

    assert run(terminal) == Submitted()
    assert terminal.kinds == ENTERED


LATE = {
    "nothing was ever drawn": [EMPTY, EMPTY],
    "the box was filled, and is empty again": [EMPTY, HALF_OF_OURS, EMPTY],
}


@pytest.mark.parametrize("screens", LATE.values(), ids=LATE.keys())
def test_a_paste_that_may_still_come_is_left_to_whoever_holds_the_keys(screens: list[Screen]) -> None:
    terminal = ScriptedTerminal(screens)

    outcome = run(terminal)

    assert is_late(outcome)
    left = [step.writes for step in terminal.steps if isinstance(step, LeaveUndo)]
    assert left[-1][0] == Write(then_wait_s=LATE_S)


def test_enter_is_pressed_three_times_at_most() -> None:
    terminal = ScriptedTerminal([EMPTY, OURS])

    assert isinstance(run(terminal), Unproven)
    assert terminal.kinds.count("PressEnter") == 3


def test_an_enter_without_effect_is_not_pressed_again_into_a_changed_box() -> None:
    terminal = ScriptedTerminal([EMPTY, OURS, OURS_AND_A_LETTER])

    assert isinstance(run(terminal), Unproven)
    assert terminal.kinds.count("PressEnter") == 1


COVERED = {
    "copy mode": replace(OURS, in_mode=True),
    "a frame drawn with the cursor hidden": replace(OURS, is_cursor_visible=False),
}


@pytest.mark.parametrize("covered", COVERED.values(), ids=COVERED.keys())
def test_a_box_that_is_covered_after_enter_has_not_let_go(covered: Screen) -> None:
    terminal = ScriptedTerminal([EMPTY, OURS, covered])

    assert isinstance(run(terminal), Unproven)


def test_a_box_that_let_go_behind_copy_mode_is_proof() -> None:
    terminal = ScriptedTerminal([EMPTY, OURS, replace(AFTER_OURS, in_mode=True)])

    assert isinstance(run(terminal), Submitted)
