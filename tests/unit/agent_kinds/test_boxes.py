"""The box of every agent's data file, held against the screens that the real agents have drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from hark.agents.kinds import load_kinds
from hark.delivery.screen.box import Box, read_box
from hark.delivery.screen.capture import Screen, parse_rows
from tests.agents.record_screens import LONG_LINE, ONE_LINE, SCREENS
from tests.agents.screen import load

DRAFTS = {
    "busy-draft": [ONE_LINE],
    "draft-one-line": [ONE_LINE],
    "draft-three-lines": ["first line", "", "third line"],
    "draft-three-lines-cursor-on-first": ["first line", "", "third line"],
    "draft-first-line-empty": ["", "second line", "third line"],
    "draft-first-line-empty-cursor-on-first": ["", "second line", "third line"],
    "draft-last-line-empty": ["first line", ""],
    "draft-only-spaces": [""],
}
EMPTY = ("busy-empty", "busy-queued", "empty-after-a-denial", "empty-after-a-turn", "empty-fresh")
# aider reads nothing while it works, and a draft higher than the screen has lost the rule above it.
WITHOUT_A_BOX = {("aider", "busy-empty"), ("aider", "busy-draft"), ("aider", "draft-pasted-long")}


def recorded(names: tuple[str, ...]) -> list[Path]:
    """In all looks of the agents."""
    paths = [path for path in sorted(SCREENS.glob("*/*.txt")) if name_in_any_look(path) in names]
    return [path for path in paths if (path.parent.name, path.stem) not in WITHOUT_A_BOX]


def name_in_any_look(path: Path) -> str:
    return path.stem.partition(".")[0]


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def box_on(path: Path) -> Box | None:
    shown = load(path)
    screen = Screen(
        rows=parse_rows(shown.rows),
        columns=shown.columns,
        cursor_x=shown.cursor_x,
        cursor_y=shown.cursor_y,
        is_cursor_visible=bool(shown.cursor_flag),
    )
    return read_box(screen, load_kinds().get(path.parent.name).box)


@pytest.mark.parametrize("path", recorded(EMPTY), ids=name_of)
def test_an_empty_box_is_read_as_one(path: Path) -> None:
    box = box_on(path)

    assert box is not None
    assert box.is_empty


@pytest.mark.parametrize("path", recorded(tuple(DRAFTS)), ids=name_of)
def test_a_draft_is_read_row_by_row(path: Path) -> None:
    box = box_on(path)

    assert box is not None
    assert [row.rstrip() for row in box.rows] == DRAFTS[name_in_any_look(path)]
    assert not box.is_empty
    assert box.cursor_row == (0 if path.stem.endswith("cursor-on-first") else len(box.rows) - 1)


@pytest.mark.parametrize("path", recorded(("draft-wrapped",)), ids=name_of)
def test_a_wrapped_draft_is_read_whole(path: Path) -> None:
    box = box_on(path)

    assert box is not None
    assert len(box.rows) == 3
    assert "".join("".join(box.rows).split()) == "".join(LONG_LINE.split())


@pytest.mark.parametrize("path", recorded(("draft-pasted-long",)), ids=name_of)
def test_a_collapsed_paste_is_known_by_its_placeholder(path: Path) -> None:
    box, look = box_on(path), load_kinds().get(path.parent.name).box

    assert box is not None
    assert len(box.rows) == 1
    assert look.placeholder is not None
    assert box.rows[0].strip().startswith("[Paste")


@pytest.mark.parametrize("path", recorded(("permission-dialog",)), ids=name_of)
def test_a_dialog_is_no_box(path: Path) -> None:
    assert box_on(path) is None


@pytest.mark.parametrize(("kind", "name"), sorted(WITHOUT_A_BOX))
def test_what_cannot_be_read_as_a_box_is_none(kind: str, name: str) -> None:
    assert box_on(SCREENS / kind / f"{name}.txt") is None
