"""Where typing during a turn is unsafe, the turn is told by what the agent shows; held against what real agents have drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from hark.agents.kinds import load_kinds
from hark.delivery.carriers.steps import Held, Outcome, Stuck
from hark.delivery.carriers.submit import wait_for_idle
from hark.delivery.screen.capture import Screen, parse_rows
from hark.model.message import HoldReason
from tests.agents.record_screens import SCREENS
from tests.agents.screen import load

KINDS = [
    path.name for path in sorted(SCREENS.iterdir()) if (kind := load_kinds().get(path.name)).idle_only and kind.busy
]
PATHS = [path for kind in KINDS for path in sorted((SCREENS / kind).glob("*.txt"))]


def shown_on(path: Path) -> Screen:
    shown = load(path)
    return Screen(
        rows=parse_rows(shown.rows),
        columns=shown.columns,
        cursor_x=shown.cursor_x,
        cursor_y=shown.cursor_y,
        title=shown.title,
    )


def test_there_are_such_agents() -> None:
    assert {"codex", "gemini", "opencode"} <= set(KINDS)


@pytest.mark.parametrize("path", PATHS, ids=[f"{path.parent.name}/{path.stem}" for path in PATHS])
def test_a_running_turn_is_known(path: Path) -> None:
    is_busy = load_kinds().get(path.parent.name).is_at_work(shown_on(path))

    # While it asks there is no box, whatever else is said about a turn.
    assert is_busy == path.stem.startswith("busy-") or path.stem == "permission-dialog"


def test_an_agent_that_may_be_typed_to_is_never_at_work() -> None:
    assert not load_kinds().get("claude").is_at_work(shown_on(SCREENS / "claude/busy-draft.txt"))


def outcome_of(is_in_box: bool) -> Outcome:
    delivery = wait_for_idle(is_in_box=is_in_box)
    with pytest.raises(StopIteration) as end:
        next(delivery)
    outcome: Outcome = end.value.value
    return outcome


def test_a_message_for_an_agent_at_work_is_held_as_busy_and_nothing_is_asked_of_the_terminal() -> None:
    outcome = outcome_of(is_in_box=False)

    assert isinstance(outcome, Held)
    assert outcome.reason is HoldReason.BUSY


def test_a_text_that_is_in_the_box_already_stays_there() -> None:
    assert isinstance(outcome_of(is_in_box=True), Stuck)


OF_OPENCODE = sorted((SCREENS / "opencode").glob("*.txt"))


@pytest.mark.parametrize("path", OF_OPENCODE, ids=[path.stem for path in OF_OPENCODE])
def test_a_conversation_that_has_not_begun_is_known(path: Path) -> None:
    loses_keys = load_kinds().get("opencode").loses_keys(shown_on(path))

    assert loses_keys == (path.stem == "empty-fresh")
