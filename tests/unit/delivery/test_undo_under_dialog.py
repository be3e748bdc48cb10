"""While no box is seen, the undo that is left only erases: a paste of the draft would go into a dialog, or beside our own text."""

from collections.abc import Sequence

from msgspec.structs import replace

from hark.delivery.carriers.steps import (
    Answer,
    CloseEditor,
    Delivery,
    EditorOpened,
    LeaveUndo,
    Look,
    OpenEditor,
    Paste,
    Press,
    PressEnter,
    Seen,
    Step,
    Submitted,
)
from hark.delivery.carriers.submit import Job
from hark.delivery.carriers.undo import Undo, Write, leaves_draft_out, pasting_back
from hark.delivery.carriers.undo_under_dialog import with_draft_while_seen
from hark.delivery.screen.capture import Screen
from hark.terminal.holds.airlock_client import Undone
from tests.unit.delivery.screens import DEMO, screen, tall
from tests.unit.delivery.scripted import DIALOG, EMPTY, MESSAGE_ID, OURS, TEXT

JOB = Job(text=TEXT, message_id=MESSAGE_ID, look=DEMO, way_back=pasting_back("mine", "ne", TEXT, DEMO))
EDITOR = screen("the editor‸", 60)


def delivery(*steps: Step) -> Delivery:
    for step in steps:
        answer = yield step
        assert answer is not None
    return Submitted()


def play(steps: Sequence[Step], screens: list[Screen], refused: type[PressEnter] | None = None) -> list[Undo]:
    """Return the undos that are left, one after the other."""
    running = with_draft_while_seen(delivery(*steps), JOB)
    undos: list[Undo] = []
    try:
        step = next(running)
        while True:
            answer = answer_to(step, screens, refused)
            undo = step.writes if isinstance(step, LeaveUndo) else getattr(step, "then", None)
            undos += [undo] if undo is not None and answer is not False else []
            step = running.send(answer)
    except StopIteration:
        return undos


def answer_to(step: Step, screens: list[Screen], refused: type[PressEnter] | None) -> Answer:
    if isinstance(step, Look):
        return Seen(screens.pop(0), 0.0)
    if isinstance(step, OpenEditor):
        return EditorOpened("mine")
    return refused is None or not isinstance(step, refused)


def test_a_dialog_takes_the_draft_out_of_the_undo_and_the_box_puts_it_back() -> None:
    steps: list[Step] = [LeaveUndo(JOB.undo), Look(), Look()]

    whole, under, again = play(steps, [tall(DIALOG), tall(OURS)])

    assert whole == again == JOB.undo
    assert leaves_draft_out(under)
    assert not leaves_draft_out(whole)
    assert under[:-1] == whole[: len(under) - 1]
    assert not any(write.paste for write in under)


def test_an_undo_that_is_left_under_a_dialog_leaves_the_draft_out_with_whatever_step_it_comes() -> None:
    enter = PressEnter(tall(OURS), "", JOB.way_back.after_enter)
    steps: list[Step] = [Look(), LeaveUndo(JOB.undo), Press(("x",), JOB.undo), Paste("x", JOB.undo), enter]

    undos = play(steps, [tall(DIALOG)])

    assert len(undos) == 4
    assert all(map(leaves_draft_out, undos))


def test_a_step_that_is_refused_does_not_count_as_the_undo_that_stands() -> None:
    steps: list[Step] = [LeaveUndo(JOB.undo), PressEnter(tall(OURS), "", ()), Look()]

    undos = play(steps, [tall(DIALOG)], refused=PressEnter)

    assert len(undos) == 2
    assert leaves_draft_out(undos[-1])


def test_the_screen_of_an_open_editor_says_nothing_about_the_box() -> None:
    steps: list[Step] = [LeaveUndo(JOB.undo), OpenEditor(("C-g",), 1.0), Look(), CloseEditor("x"), Look(), Look()]

    undos = play(steps, [tall(EDITOR), tall(EDITOR), tall(EMPTY)])

    assert undos == [JOB.undo]


def test_a_dialog_behind_the_editor_counts() -> None:
    steps: list[Step] = [LeaveUndo(JOB.undo), OpenEditor(("C-g",), 1.0), Look(), CloseEditor("x"), Look()]

    undos = play(steps, [tall(EDITOR), tall(DIALOG)])

    assert leaves_draft_out(undos[-1])


def test_an_undo_that_only_erases_says_that_no_box_was_seen() -> None:
    erasing, moving = (Write(keys=("BSpace",)),), (Write(keys=("Right",)),)

    assert play([LeaveUndo(erasing), Look()], [tall(DIALOG)]) == [erasing, (*erasing, Write(leaves_draft_out=True))]
    assert play([LeaveUndo(moving), Look()], [tall(DIALOG)]) == [moving]


def test_a_draft_is_the_humans_only_if_the_undo_brought_it_back_and_they_typed_since() -> None:
    touched = Undone(label="m", is_after_enter=False, is_touched=True)

    assert touched.is_draft_the_humans
    assert not Undone(label="m", is_after_enter=False, is_touched=False).is_draft_the_humans
    assert not Undone(label="m", is_after_enter=False, is_touched=True, leaves_draft_out=True).is_draft_the_humans


def test_a_blank_screen_and_the_other_screen_of_the_terminal_prove_no_dialog() -> None:
    """Codex leaves its alternate screen for its editor, and comes back to a blank one."""
    box = replace(tall(OURS), is_alternate=True)
    blank = replace(screen("‸", 60), is_alternate=True)
    main = screen("a line of the shell‸", 60)
    steps: list[Step] = [
        Look(),
        OpenEditor(("C-g",), 1.0),
        CloseEditor("mine"),
        LeaveUndo(JOB.undo),
        Look(),
        Look(),
        Look(),
    ]

    assert play(steps, [box, main, blank, box]) == [JOB.undo]
