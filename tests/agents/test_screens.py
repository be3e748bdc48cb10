"""The recorded screens, and that what tests read off a screen holds on all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agents.launch import LAUNCHES
from tests.agents.marks import MARKS
from tests.agents.record_screens import SCREENS
from tests.agents.screen import load

ALL = [pytest.param(path, id=f"{path.parent.name}/{path.stem}") for path in sorted(SCREENS.glob("*/*.txt"))]


def test_every_agent_has_screens() -> None:
    assert {path.name for path in SCREENS.iterdir()} == set(LAUNCHES)


@pytest.mark.parametrize("path", ALL)
def test_only_an_empty_box_is_taken_for_one(path: Path) -> None:
    screen = load(path).without_colours()
    is_empty = path.stem.startswith("empty-") or path.stem in ("busy-empty", "busy-queued")
    # aider has no box while it is busy.
    is_empty &= not (path.parent.name == "aider" and path.stem.startswith("busy-"))

    assert MARKS[path.parent.name].has_empty_box(screen) == is_empty


@pytest.mark.parametrize("path", ALL)
def test_only_a_dialog_is_taken_for_one(path: Path) -> None:
    dialog = MARKS[path.parent.name].dialog
    # What was asked of a user of aider stays on the screen above.
    is_asked = path.stem == "permission-dialog" or (path.parent.name, path.stem) == ("aider", "empty-after-a-denial")

    assert (dialog in load(path).without_colours().text) == is_asked


@pytest.mark.parametrize("path", ALL)
def test_only_a_running_turn_is_taken_for_one(path: Path) -> None:
    assert MARKS[path.parent.name].is_busy(load(path).without_colours()) == path.stem.startswith("busy-")
