"""What the simulator has brought to light, each as the smallest scenario that shows it, in many timings."""

from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from hark.delivery.carriers.editor_text import EditorKeys
from tests.campaigns.simulation.broken import BROKEN
from tests.campaigns.simulation.flavour import Flavour
from tests.campaigns.simulation.run import run
from tests.campaigns.simulation.scenario import Scenario, draw_scenario
from tests.campaigns.simulation.trace import Trace
from tests.unit.delivery.screens import DEMO

TIMINGS = 150

PLAIN = Flavour(
    look=DEMO,
    prompt="❯ ",
    columns=40,
    height=14,
    spare=0,
    wraps_words=True,
    by_rows=True,
    collapses_over=-1,
    has_stash=True,
    editor=EditorKeys(key=("C-g",)),
    editor_loses_keys=True,
    editor_swallows=False,
    settle_ms=0.0,
    settle_s=0.0,
    dialog_waits_ms=0.0,
    is_vim=False,
    lag_ms=40.0,
    ghost="",
    step_ms=4.0,
)
TRIMS = replace(PLAIN, editor=EditorKeys(key=("C-g",), trims=True))
SWALLOWS = replace(PLAIN, editor=EditorKeys(key=("C-g",), after=("End",)), editor_swallows=True)
COLLAPSES = replace(PLAIN, collapses_over=2)
LETTERS = tuple((30.0 + 40 * index, ("key", letter)) for index, letter in enumerate("abc"))
AROUND_A_PASTE = (
    ("key", "x"),
    ("key", "C-j"),
    ("key", "y"),
    ("paste", "a\nb\nc\nd"),
    ("key", "Home"),
    ("key", "Right"),
)

BASE = replace(
    draw_scenario(Random(0), 0),
    flavour=PLAIN,
    carrier="editor",
    body="hi",
    draft="half a thought",
    pasted=False,
    cursor=5,
    stashed="",
    script=(),
    dialog=None,
    prints=(),
    start_ms=20.0,
    crash_at=None,
    called_off_at=None,
)

FOUND: dict[str, dict[str, Any]] = {
    "a screen drawn between two arrow keys made the cursor go on too far": {"carrier": "stash"},
    "the cursor was walked over a collapsed paste letter by letter": {
        "flavour": COLLAPSES,
        "carrier": "stash",
        "draft": "",
        "script": tuple((2.0 + index, action) for index, action in enumerate(AROUND_A_PASTE)),
        "start_ms": 100.0,
    },
    "a submit brought back what the human had stashed": {"carrier": "stash", "draft": "", "stashed": "put away"},
    "our own text, hidden by a dialog for a while, was taken for a human's draft": {
        "carrier": "stash",
        "draft": "",
        "dialog": (25.0, 4000.0),
    },
    "a text too long for the pane was said not to be there": {
        "flavour": replace(PLAIN, height=10),
        "carrier": "stash",
        "body": "so long " * 40,
        "draft": "",
    },
    "the agent trimmed the blank that keeps Enter from completing": {"flavour": TRIMS, "body": "see @file"},
    "blanks at the end of a draft were pasted into an editor that was not gone": {
        "flavour": TRIMS,
        "draft": "trailing  ",
    },
    "a draft of many lines came back collapsed, because its last newline is trimmed": {
        "flavour": replace(TRIMS, collapses_over=2),
        "draft": "blank\n\nbetween\n",
    },
    "the newlines at the end of a draft came back collapsed": {
        "flavour": replace(TRIMS, collapses_over=2),
        "draft": "x\n\n\n\n",
        "cursor": 2,
    },
    "the cursor was taken for back in its place between two blanks": {
        "flavour": TRIMS,
        "draft": "trailing\n  ",
        "cursor": 2,
    },
    "blanks before the draft were lost when the editor closed": {"flavour": TRIMS, "draft": "  both\nends \n"},
    "blanks were lost with an editor that had changed nothing": {
        "flavour": TRIMS,
        "draft": "\n both ends  ",
        "called_off_at": "begin",
    },
    "a key that the editor swallows was pressed before the editor was gone": {"flavour": SWALLOWS, "script": LETTERS},
    "keys followed while the editor was closing": {"called_off_at": "begin", "script": LETTERS},
    "a draft was taken off the record before it was back": {
        "flavour": replace(TRIMS, lag_ms=300.0),
        "draft": "trailing  ",
    },
    "the id in a box that had grown out of the pane was taken for one in the transcript": {
        "flavour": replace(PLAIN, settle_ms=40.0, height=10),
        "carrier": "none",
        "draft": "",
        "body": "1\n2\n3\n4\n5\n6",
    },
    "our text in a box that came out from behind a dialog was taken for one in the transcript": {
        "flavour": replace(PLAIN, step_ms=40.0),
        "carrier": "none",
        "draft": "",
        "crash_at": 3,
        "dialog": (90.0, 500.0),
    },
    "a stash that a dialog did not take was said to be back": {
        "carrier": "stash",
        "crash_at": 4,
        "dialog": (590.0, 600.0),
    },
}

SLOW = replace(PLAIN, lag_ms=240.0)
NOT_DRAWN: dict[str, dict[str, Any]] = {
    "a blank at the end was not drawn yet, and the cursor was walked back before it": {"cursor": 0, "typed": " "},
    "a mark without a width was not drawn yet": {"cursor": 0, "typed": "\u0301"},
    "an arrow key was not drawn yet, and the cursor was walked to where it had been": {"typed": "Left"},
    "a letter in an empty box was not drawn yet": {"draft": "", "cursor": 0, "typed": "b"},
    "a letter was not read yet": {"typed": "b", "deaf": (10.0, 150.0)},
    "a blank was not read yet": {"cursor": 0, "typed": " ", "deaf": (10.0, 150.0)},
}


def with_undrawn_key(name: str, *, is_adopted: bool) -> Scenario:
    changes = dict(NOT_DRAWN[name])
    script = ((15.0, ("key", changes.pop("typed"))), (900.0, ("key", "z")))
    return replace(
        BASE, flavour=replace(SLOW, is_adopted=is_adopted), carrier="stash", script=script, start_ms=20.0, **changes
    )


@pytest.mark.parametrize("is_adopted", [False, True])
@pytest.mark.parametrize("name", NOT_DRAWN)
def test_a_hold_that_begins_before_the_last_key_is_drawn_does_no_harm(name: str, is_adopted: bool) -> None:
    scenario = with_undrawn_key(name, is_adopted=is_adopted)

    for seed in range(TIMINGS):
        result = run(replace(scenario, seed=seed))

        assert not result.violations, tell(replace(scenario, seed=seed))


# A mark joins the character before the cursor; a letter before our header is found out before Enter.
HARMLESS = ("a mark without a width was not drawn yet", "a letter in an empty box was not drawn yet")


@pytest.mark.parametrize("name", [name for name in NOT_DRAWN if name not in HARMLESS])
def test_without_the_wait_for_the_last_key_it_would(name: str) -> None:
    scenario = with_undrawn_key(name, is_adopted=False)
    careless = BROKEN["does not wait for keys that are not drawn"]

    assert any(run(replace(scenario, seed=seed), careless).violations for seed in range(TIMINGS))


@pytest.mark.parametrize("name", FOUND)
def test_it_does_not_happen_again(name: str) -> None:
    scenario = replace(BASE, **FOUND[name])

    for seed in range(TIMINGS):
        result = run(replace(scenario, seed=seed))

        assert not result.violations, tell(replace(scenario, seed=seed))


FOUND_IN_A_MILLION = (
    69396,
    664812143461,
    664812613836,
    664812775704,
    431816747646,
    431816806980,
    431817001815,
    900008010,
    422544,
    634667,
    383394,
    431359,
    499752,
    591123,
    821921,
    976747,
    3958,
    8009,
    287,
    6051,
    8219,
    503546,
    500002825,
    821621,
    832663,
    907824,
    32234,
    900043865,
    900046094,
    *(
        900029742,
        900034545,
        700014255,
        700057817,
        800048038,
        1000032154,
        1000049041,
        1000072676,
        1000102659,
        1000102982,
        1000106078,
        1000136106,
        2000081232,
        800085107,
    ),
)


@pytest.mark.parametrize("seed", FOUND_IN_A_MILLION)
def test_what_a_million_runs_have_found(seed: int) -> None:
    """An undo that took a draft out before it was on record; a cursor that stood where blanks were still to be drawn; a blank with a
    combining mark at a wrap, or behind one; a cursor in the last row of a draft of which the rows above may be wrapped.

    An undo with the stash key, left under a dialog because the step that should have replaced it was refused; a key that an agent
    read late in a dialog that nobody could know of; a draft that was dropped from the record while the undo had still to paste it,
    and one that was pasted beside itself because the hold ended while the editor was opening. A mark that a dialog swallowed, so that
    the key that erases it took a letter of the draft; a draft that an undo under a dialog had left out, and that was dropped from the
    record because the human had typed since. A cursor behind blanks that an agent had trimmed and hark had pasted again; such blanks,
    lost because the daemon died before it could paste them. A cursor in a draft that the screen shows otherwise than it is; a draft
    that an undo should have fetched from the history, where no Enter had put our text before it; a newline in a collapsed paste,
    pasted behind it once more. A mark in a draft that the human was taken to have typed behind; a newline behind a collapsed paste, which
    the agent trims; a collapsed text that was submitted by the human's Enter after a dialog had swallowed the undo, and came again; a
    draft that was dropped from the record when the hold was over and its undo had still to erase it, or by a later delivery, whose undo knew nothing of it. A
    mark whose erasing key a dialog had swallowed; blanks that an agent trimmed when its editor closed and the daemon died; an old prompt
    from the history, because a dialog had swallowed the key that clears the box.

    Seeds 1000032154 and 1000106078 were settled by the checks, not by the carriers: a mark may stay if a dialog opens in the instant in
    which it is pasted, and an agent that trims loses blanks behind a collapsed paste."""
    scenario = draw_scenario(Random(seed), seed)

    assert not run(scenario).violations, tell(scenario)


@pytest.mark.parametrize("carrier", ["stash", "editor", "sentinel"])
def test_an_agent_that_takes_the_draft_away_late_gets_it_back_before_the_human_types_on(carrier: str) -> None:
    """The agent reads nothing for so long that hark gives up; then it reads the key by which its draft goes."""
    typed = ((700.0, ("key", "x")), (900.0, ("key", "y")), (1500.0, ("key", "z")), (2600.0, ("key", "w")))
    scenario = replace(BASE, carrier=carrier, script=typed, start_ms=400.0)

    for lasts_ms in range(1000, 2600, 40):
        slow = replace(scenario, deaf=(395.0, float(lasts_ms)), seed=lasts_ms)
        assert not run(slow).violations, tell(slow)


FIRST_STEP_AFTER_THE_DIALOG_IS_SEEN = 11


@pytest.mark.parametrize("crash_at", range(FIRST_STEP_AFTER_THE_DIALOG_IS_SEEN, 22))
def test_an_undo_under_a_dialog_that_closes_leaves_the_draft_in_the_stash(crash_at: int) -> None:
    """The dialog has swallowed the erasing keys of the undo: its last key, which unstashes, would stash our text over the draft.
    (If the daemon dies before it sees the dialog, that still happens: then the dialog must close within the 0.3 s of the undo.)"""
    scenario = replace(draw_scenario(Random(208883), 208883), crash_at=crash_at)

    for lasts_ms in range(60, 900, 20):
        timed = replace(scenario, dialog=(407.0, float(lasts_ms)))
        assert not run(timed).violations, tell(timed)


def test_the_way_back_to_a_row_above_does_not_go_on_in_the_history() -> None:
    scenario = draw_scenario(Random(4300), 4300)

    assert not run(scenario).violations, tell(scenario)


@pytest.mark.parametrize("dialog_at", range(1000, 1200, 5))
def test_enter_is_withheld_when_a_dialog_comes_after_the_editor_has_proven_a_box_too_large_for_the_pane(
    dialog_at: int,
) -> None:
    small = replace(PLAIN, height=10, lag_ms=15.0)
    scenario = replace(BASE, flavour=small, body="so long " * 40, draft="", dialog=(float(dialog_at), 3000.0))

    for seed in range(20):
        assert not run(replace(scenario, seed=seed)).violations


def tell(scenario: Scenario) -> str:
    trace = Trace()
    result = run(scenario, trace=trace)
    return "\n".join([str(trace), *result.violations])
