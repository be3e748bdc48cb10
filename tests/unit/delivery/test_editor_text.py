"""An agent that trims drops the blanks at both ends of its draft whenever its editor closes: they are pasted again, and only where the
text is seen with the cursor at its end."""

import pytest

from hark.delivery.carriers.editor_text import EditorKeys, leave_text, set_text
from hark.delivery.carriers.steps import Answer, CloseEditor, Paste, Press, Step
from hark.delivery.carriers.submit import Job
from hark.delivery.screen.capture import Screen
from tests.unit.delivery.screens import DEMO, screen
from tests.unit.delivery.scripted import DIALOG, MESSAGE_ID, TEXT, ScriptedTerminal, box

JOB = Job(text=TEXT, message_id=MESSAGE_ID, look=DEMO)
TRIMS = EditorKeys(key=("C-g",), trims=True)
EDITOR = screen("the editor‸", columns=60)
KEPT, BEHIND, START, WHOLE = box("words‸"), box("words  ‸"), box("‸words"), box(" ‸words")


class Closing(ScriptedTerminal):
    def answer(self, step: Step) -> Answer:
        return True if isinstance(step, CloseEditor) else super().answer(step)


def written(text: str, shown: list[Screen], editor: EditorKeys = TRIMS) -> list[str | tuple[str, ...]]:
    terminal = Closing([EDITOR, *shown])
    terminal.play(leave_text(text, JOB, editor))
    return [
        step.text if isinstance(step, Paste) else step.keys
        for step in terminal.steps
        if isinstance(step, Paste | Press)
    ]


def test_blanks_behind_the_text_are_pasted_again() -> None:
    assert written("words  ", [KEPT, KEPT, KEPT, BEHIND]) == ["  "]


def test_newlines_are_pasted_one_by_one() -> None:
    assert written("words \n\n", [KEPT, KEPT, KEPT, BEHIND]) == [" ", "\n", "\n"]


def test_blanks_before_the_text_are_pasted_at_its_start() -> None:
    keys, blanks = written(" words", [KEPT, KEPT, KEPT, START, START, WHOLE])

    assert set(keys) == {"Left"}
    assert len(keys) >= len("words")
    assert blanks == " "


@pytest.mark.parametrize(
    ("text", "editor"),
    [
        ("words", TRIMS),  # nothing to trim
        ("  ", TRIMS),  # nothing is left to paste behind
        (" words ", EditorKeys(key=("C-g",))),  # this agent keeps them
    ],
)
def test_nothing_is_pasted_where_nothing_was_trimmed(text: str, editor: EditorKeys) -> None:
    assert written(text, [KEPT, KEPT, KEPT], editor) == []


def test_nothing_is_pasted_into_a_dialog_or_into_the_middle_of_the_text() -> None:
    assert written("words  ", [DIALOG]) == []
    assert written("words  ", [box("wor‸ds")]) == []


def test_a_text_that_is_set_gets_its_blanks_too() -> None:
    terminal = Closing([EDITOR, KEPT, KEPT, KEPT, BEHIND])

    terminal.play(set_text("words  ", JOB, TRIMS))

    assert CloseEditor("words") in terminal.steps
    assert Paste("  ") in terminal.steps
