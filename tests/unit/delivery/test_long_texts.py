"""A text that the screen cannot show whole: its header is seen alone in the box before the rest goes in, or the agent collapses it."""

import pytest
from msgspec.structs import replace

from hark.agents.kinds import load_kinds
from hark.delivery.carriers.empty_box import deliver
from hark.delivery.carriers.steps import Held, Outcome, Paste, Press, Submitted
from hark.delivery.carriers.undo import SPARE_ERASURES, erasures
from hark.delivery.screen.box import BoxLook, read_box
from hark.delivery.screen.capture import Screen
from tests.unit.delivery.screens import DEMO, screen
from tests.unit.delivery.scripted import DIALOG, EMPTY, MESSAGE_ID, ScriptedTerminal, box

HEADER = f"[Input from: ann via hark send · {MESSAGE_ID}]"
LINES = [f"{number} ok" for number in range(60)]
TEXT = "\n".join([HEADER, *LINES])
ALONE = box(f"{HEADER}‸")
ITS_END = box(*LINES[-12:-1], f"{LINES[-1]}‸")
HALF_DRAWN = box(HEADER, LINES[0], f"{LINES[1]}‸")
STAND_IN = box(f"{HEADER}[Pasted text #1 +60 lines]‸")
COLLAPSED = box("[Pasted text #1 +60 lines]‸")
A_KEY_FIRST = box(f"b{HEADER}‸")
GONE = box("‸", transcript="> 59 ok", footer="busy")
IN_TWO = ["Begin", "Paste", "Paste", "Stage", "PressEnter"]

WAYS: dict[str, tuple[list[Screen], list[str], type[Outcome]]] = {
    "the end drives the header out of sight": ([EMPTY, ALONE, ITS_END, GONE], IN_TWO, Submitted),
    "it is drawn in pieces": ([EMPTY, ALONE, ALONE, HALF_DRAWN, ITS_END, GONE], IN_TWO, Submitted),
    "a stand-in takes the place of the rest": ([EMPTY, ALONE, *[STAND_IN] * 4, GONE], IN_TWO, Submitted),
    "Enter makes a new line first": (
        [EMPTY, ALONE, ITS_END, box(*LINES[-11:], "‸"), box(*LINES[-11:], "‸"), GONE],
        [*IN_TWO, "PressEnter"],
        Submitted,
    ),
    "the rest never comes": ([EMPTY, *[ALONE] * 16, EMPTY], ["Begin", "Paste", "Paste", "Press"], Held),
    "a key of the human's stands before the header": (
        [EMPTY, *[A_KEY_FIRST] * 14, box("b‸")],
        ["Begin", "Paste", "Press"],
        Held,
    ),
    "a dialog came before the header": ([EMPTY, DIALOG], ["Begin", "Paste"], Held),
}


def run(screens: list[Screen], look: BoxLook = DEMO) -> tuple[ScriptedTerminal, Outcome]:
    terminal = ScriptedTerminal(screens)
    return terminal, terminal.play(deliver(TEXT, MESSAGE_ID, look, 0.0))


@pytest.mark.parametrize(("screens", "kinds", "ends"), WAYS.values(), ids=WAYS.keys())
def test_the_way_of_a_long_text(screens: list[Screen], kinds: list[str], ends: type[Outcome]) -> None:
    terminal, outcome = run(screens)

    assert terminal.kinds == kinds
    assert isinstance(outcome, ends)


def test_both_pastes_together_are_the_text() -> None:
    terminal, _ = run([EMPTY, ALONE, ITS_END, GONE])

    assert "".join(step.text for step in terminal.steps if isinstance(step, Paste)) == TEXT


def test_what_an_agent_surely_collapses_goes_in_at_once() -> None:
    terminal, outcome = run([EMPTY, COLLAPSED, COLLAPSED, EMPTY], replace(DEMO, collapses_over=100))

    assert [step.text for step in terminal.steps if isinstance(step, Paste)] == [TEXT]
    assert isinstance(outcome, Submitted)


def test_a_stand_in_goes_out_again_by_few_keys() -> None:
    terminal = ScriptedTerminal([EMPTY, COLLAPSED, COLLAPSED, EMPTY], may_stage=False)

    outcome = terminal.play(deliver(TEXT, MESSAGE_ID, replace(DEMO, collapses_over=100), 0.0))

    assert isinstance(outcome, Held)
    [pressed] = [step for step in terminal.steps if isinstance(step, Press)]
    assert len(pressed.keys) == erasures(HEADER) < len(TEXT)


def test_no_more_is_erased_than_an_agent_can_show() -> None:
    assert erasures("x" * 60_000, replace(DEMO, collapses_over=1000)) == 1000 + SPARE_ERASURES
    assert erasures("x" * 60_000, DEMO) == 60_000 + SPARE_ERASURES


CODEX, AIDER = load_kinds().get("codex").box, load_kinds().get("aider").box
CUT = {
    "a sign in the first row": (CODEX, "answer\n\n› 1 ok        ↑\n  2 ok‸\n\n  gpt-5 · /x", ("1 ok", "2 ok")),
    "rows that begin alike, the frame out of sight": (AIDER, "> 1 ok\n> 2 ok‸", ("1 ok", "2 ok")),
    "the first row out of sight": (DEMO, f"{'─' * 20}\n  1 ok\n  2 ok‸\n{'─' * 20}\n  idle", ("1 ok", "2 ok")),
    "the frame out of sight too": (DEMO, f"  1 ok\n  2 ok‸\n{'─' * 20}\n  idle", ("1 ok", "2 ok")),
}


@pytest.mark.parametrize(("look", "text", "rows"), CUT.values(), ids=CUT.keys())
def test_a_box_that_shows_only_its_end_is_read_only_if_its_beginning_is_known(
    look: BoxLook, text: str, rows: tuple[str, ...]
) -> None:
    seen = screen(text, 20)

    found = read_box(seen, replace(look, is_cut_read=True))

    assert read_box(seen, look) is None
    assert found is not None
    assert tuple(row.rstrip() for row in found.rows) == rows
    assert found.is_cursor_at_end


def test_a_row_of_disputed_widths_says_nothing_about_the_blank_that_guards_enter() -> None:
    text = f"{HEADER}\n漢 @README "
    drawn = box(HEADER, "漢 @READM‸E")
    terminal = ScriptedTerminal([EMPTY, *[drawn] * 4, EMPTY])

    outcome = terminal.play(deliver(text, MESSAGE_ID, DEMO, 0.0))

    assert isinstance(outcome, Submitted)


def test_an_empty_box_below_our_text_in_the_transcript_is_no_new_line_in_it() -> None:
    text = f"{HEADER}\nhello"
    echo, tail = f"› {HEADER}\n  hello", "\n\n  gpt-5 · /x" + "\n" * 30
    ours = screen(f"• answer\n\n{echo}‸{tail}", 100)
    below = screen(f"• answer\n\n{echo}\n\n› ‸{tail}", 100)
    answered = screen(f"• answer\n\n{echo}\n\n• Working\n\n› ‸{tail}", 100)
    empty = screen(f"• answer\n\n› ‸{tail}", 100)
    terminal = ScriptedTerminal([empty, ours, below, below, answered])

    outcome = terminal.play(deliver(text, MESSAGE_ID, CODEX, 0.0))

    assert isinstance(outcome, Submitted)
    assert terminal.kinds.count("PressEnter") == 1
