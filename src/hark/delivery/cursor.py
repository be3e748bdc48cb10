"""Brings the text cursor of an input box back to where it was: rows by Up and Down, then columns by Left and Right.

Only inside the box: Up on its first row and Down on its last would leave the draft for the history. What the keys did is
looked at, not assumed; a wide character or a cluster may take one press or several.
"""

import re
from collections.abc import Generator

from hark.delivery.box import Box, BoxLook, read_box
from hark.delivery.screen import Row, Screen
from hark.delivery.steps import Answer, Press, Step
from hark.delivery.submit import Test, look, watch_for

ROUNDS = 4
MOVED_WITHIN_S = 0.5


def walk_cursor(target: Box, box_look: BoxLook) -> Generator[Step, Answer, bool]:
    """Whether the cursor stands where `target` had it, in a box with the same rows.

    All presses that are needed at once; where they did not all count (an agent that works off a burst as one key, as some do
    in vim's normal mode), with a space between them from then on."""
    is_spaced, before = False, None
    for _ in range(ROUNDS):
        seen = yield from look()
        box = read_box(seen.screen, box_look)
        if box is None or not same_rows(box, target):
            return False
        if is_at(box, target):
            return True
        is_spaced = is_spaced or (before is not None and before.cursor_row == box.cursor_row)
        keys = _keys(box, target, seen.screen.rows[seen.screen.cursor_y], box_look.placeholder)
        if not (yield Press(keys, is_spaced)):
            return False
        yield from watch_for(_arrived(target, box_look, is_in_row=box.cursor_row == target.cursor_row), MOVED_WITHIN_S)
        before = box
    seen = yield from look()
    box = read_box(seen.screen, box_look)
    return box is not None and same_rows(box, target) and is_at(box, target)


def same_rows(box: Box, other: Box) -> bool:
    return [row.rstrip() for row in box.rows] == [row.rstrip() for row in other.rows]


def is_at(box: Box, target: Box) -> bool:
    return (box.cursor_row, box.cursor_x) == (target.cursor_row, target.cursor_x)


def _arrived(target: Box, box_look: BoxLook, *, is_in_row: bool) -> Test:
    """All the way: a screen drawn between two presses is no ground for pressing more."""

    def has_arrived(screen: Screen) -> bool:
        box = read_box(screen, box_look)
        return box is not None and (is_at(box, target) or (not is_in_row and box.cursor_row == target.cursor_row))

    return has_arrived


def _keys(box: Box, target: Box, row: Row, placeholder: str | None) -> tuple[str, ...]:
    """Rather too few than too many: what is missing is pressed in the next round, and one too many may leave the row. A
    stand-in for a paste may be stepped over as one."""
    if box.cursor_row != target.cursor_row:
        rows = target.cursor_row - box.cursor_row
        return ("Up" if rows < 0 else "Down",) * abs(rows)
    left, right = sorted((box.cursor_x, target.cursor_x))
    characters = sum(1 for cell in row.cells[left:right] if cell) or right - left
    for shown in re.finditer(placeholder, row.part(left, right)) if placeholder else ():
        characters -= len(shown[0]) - 1
    return ("Left" if target.cursor_x < box.cursor_x else "Right",) * characters
