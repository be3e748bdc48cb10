"""A delivery that was cut short is taken up: where is the text?"""

import pytest
from msgspec.structs import replace

from hark.delivery.carriers.empty_box import resume
from hark.delivery.carriers.steps import Held, Outcome, Stuck, Submitted, Unproven
from hark.delivery.screen.box import BoxLook
from hark.delivery.screen.capture import Screen
from tests.unit.delivery.screens import DEMO
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

SHOWS_ALL = replace(DEMO, placeholder=None)
"""An agent that never collapses a paste: what is not in its box was not collapsed either."""

ENTERED = ["Stage", "PressEnter"]
DELIVERED = ["SearchHistory", "Begin", "Paste", "Stage", "PressEnter"]
SEARCHED = ["SearchHistory"]
BOTH = (True, False)

# look, screens, is the id in the scrollback, was it staged, what is asked for, how it ends
WAYS: dict[str, tuple[BoxLook, list[Screen], bool, tuple[bool, ...], list[str], type[Outcome]]] = {
    "in the box": (DEMO, [OURS, EMPTY], False, BOTH, ENTERED, Submitted),
    "in the box, and changed before Enter": (DEMO, [OURS, OURS_AND_A_LETTER], False, BOTH, [], Stuck),
    "in the box, and in its place another's paste": (DEMO, [OURS, OTHER_COLLAPSED], False, BOTH, [], Stuck),
    "beside other text": (DEMO, [OURS_AND_A_LETTER], True, BOTH, [], Stuck),
    "in the transcript, the box empty": (DEMO, [AFTER_OURS], True, BOTH, SEARCHED, Submitted),
    "in the transcript, a draft in the box": (DEMO, [DRAFT], True, BOTH, SEARCHED, Submitted),
    "in the scrollback, a dialog in the box's place": (DEMO, [DIALOG], True, BOTH, SEARCHED, Submitted),
    "on the screen, the box not to be seen": (DEMO, [DIALOG_AFTER_OURS], True, BOTH, [], Stuck),
    "in a box behind copy mode": (DEMO, [replace(OURS, in_mode=True)], True, BOTH, [], Stuck),
    "nowhere, the box not to be seen": (DEMO, [DIALOG], False, BOTH, SEARCHED, Stuck),
    "a collapsed paste that may be ours": (DEMO, [COLLAPSED], False, BOTH, SEARCHED, Stuck),
    "nowhere, but it may have been collapsed": (DEMO, [EMPTY], False, BOTH, SEARCHED, Unproven),
    "nowhere, the program keeps no record": (
        SHOWS_ALL,
        [replace(EMPTY, is_alternate=True)],
        False,
        BOTH,
        SEARCHED,
        Unproven,
    ),
    "nowhere, a draft in the box, and it had been there": (SHOWS_ALL, [DRAFT], False, (True,), SEARCHED, Unproven),
    "nowhere, a draft in the box": (SHOWS_ALL, [DRAFT], False, (False,), SEARCHED, Held),
    "half of it in the box, without the id": (SHOWS_ALL, [HALF_OF_OURS], False, (False,), SEARCHED, Held),
    "provably nowhere": (SHOWS_ALL, [EMPTY, EMPTY, OURS, EMPTY], False, BOTH, DELIVERED, Submitted),
}
CASES = [(*way[:3], was_staged, *way[4:]) for way in WAYS.values() for was_staged in way[3]]
IDS = [f"{name}, {'staged' if was_staged else 'begun'}" for name, way in WAYS.items() for was_staged in way[3]]


@pytest.mark.parametrize(("look", "screens", "is_in_history", "was_staged", "asked", "ending"), CASES, ids=IDS)
def test_the_text_is_looked_for_before_anything_is_done(
    look: BoxLook,
    screens: list[Screen],
    is_in_history: bool,
    was_staged: bool,
    asked: list[str],
    ending: type[Outcome],
) -> None:
    settle_s = 0.1 if ending is Stuck else 0.0
    terminal = ScriptedTerminal(screens, is_in_history=is_in_history)

    outcome = terminal.play(resume(TEXT, MESSAGE_ID, look, settle_s, was_staged))

    assert terminal.kinds == asked
    assert isinstance(outcome, ending)


def test_an_id_cut_by_a_wrap_is_found_beside_other_text() -> None:
    mixed = box("xx [Input from: ann via hark send · 0123456", "789ab]", "hello there‸")
    terminal = ScriptedTerminal([mixed], is_in_history=True)

    assert isinstance(terminal.play(resume(TEXT, MESSAGE_ID, DEMO, 0.0, True)), Stuck)
    assert terminal.kinds == []


@pytest.mark.parametrize(
    ("screens", "was_staged", "ending"),
    [
        ([COLLAPSED], False, Stuck),
        ([EMPTY], False, Unproven),
        ([EMPTY], True, Unproven),
    ],
    ids=[
        "a collapsed paste, which may be anybody's",
        "an empty box, and somebody may have submitted it",
        "staged, and not on record",
    ],
)
def test_what_cannot_be_told_is_neither_pressed_nor_said(
    screens: list[Screen], was_staged: bool, ending: type[Outcome]
) -> None:
    terminal = ScriptedTerminal(screens, is_in_history=False)

    outcome = terminal.play(resume(TEXT, MESSAGE_ID, DEMO, 0.0, was_staged))

    assert isinstance(outcome, ending), outcome
