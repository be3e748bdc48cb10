"""Brings the text cursor of an input box back to where it was: rows by Up and Down, then columns by Left and Right.

The cursor moves only inside the box: Up on the first row and Down on the last would leave the draft for the history. hark looks
at what the keys did and does not assume it; a wide character or a cluster may take one press or several.
"""

import re
from collections.abc import Generator
from math import inf

from msgspec.structs import replace

from hark.delivery.carriers.steps import Answer, AskUnread, Press, Step
from hark.delivery.carriers.submit import Looking, Test, look, look_again, watch_for
from hark.delivery.screen.box import Box, BoxLook, read_box
from hark.delivery.screen.capture import Row, Screen, parse_row

MOVED_WITHIN_S = 0.5
ARRIVES_WITHIN_S = 0.3
"""How long the cursor may take to arrive once it has moved: a press whose effect is not drawn by then did not count."""
WALK_WITHIN_S = 1.5
"""How long the walk may take in all: keys are held for two seconds at the most."""
UNREAD_WITHIN_S = 0.05
"""How long to wait before another look, while the agent has not read all keys."""
IDLE_PRESSES = 3
"""The number of presses in a row without effect after which the walk is given up."""


def walk_cursor(target: Box, box_look: BoxLook) -> Generator[Step, Answer, bool]:
    """Bring the cursor to where `target` had it. Return whether it stands there, in a box with the same rows.

    Press all needed keys at once. If not all of them counted (some agents work off a burst as one key, for example in vim's
    normal mode), press them one by one from then on, and see the effect of each before the next. An agent under load may draw the
    presses late: so Up and Down are repeated only as often as stays within the draft even if all presses before still take
    effect. Nothing is pressed or believed before the agent has read every key."""
    began = seen = yield from look()
    before: Box | None = None
    is_one_by_one, idle, rows_unseen, has_drawn, was_unread = False, 0, 0, False, False
    while idle < IDLE_PRESSES and seen.at_s - began.at_s < WALK_WITHIN_S:
        if before is not None and (yield AskUnread()):
            seen, was_unread = (yield from look_again(UNREAD_WITHIN_S)), True
            continue
        if before is not None:
            # The last look may be older than the last key that the agent has read.
            within_s = ARRIVES_WITHIN_S if was_unread else 0.0
            seen, was_unread = (yield from watch_for(_has_come(before, target, box_look), within_s)), False
        box = read_box(seen.screen, box_look)
        if box is None or not same_rows(box, target):
            return False
        if is_at(box, target):
            return True
        if before is not None:
            is_one_by_one = is_one_by_one or before.cursor_row == box.cursor_row
            idle = idle + 1 if is_at(before, box) else 0
            rows_unseen = max(0, rows_unseen - abs(before.cursor_row - box.cursor_row))
            # Presses that the agent has not drawn, although it has drawn the others, did not count.
            rows_unseen = 0 if idle and has_drawn else rows_unseen
            has_drawn = has_drawn or not idle
        keys = _keys(box, target, seen.screen.rows[seen.screen.cursor_y], box_look)
        keys = keys[:1] if is_one_by_one else keys
        if rows_unseen + len(keys) <= _room(box, keys[0]):
            if not (yield Press(keys)):
                return False
            rows_unseen, has_drawn = rows_unseen + _rows(keys), False
        seen = yield from _watch(box, target, box_look, is_one_by_one=is_one_by_one)
        before = box
    box = read_box(seen.screen, box_look)
    return box is not None and same_rows(box, target) and is_at(box, target)


def _rows(keys: tuple[str, ...]) -> int:
    return len(keys) if keys[0] in ("Up", "Down") else 0


def _room(box: Box, key: str) -> float:
    """Return how often the key may be pressed before it leaves the draft for the history."""
    return {"Up": box.cursor_row, "Down": len(box.rows) - 1 - box.cursor_row}.get(key, inf)


def place_of_typing(seen: Box, back: Box) -> Box | None:
    """Return `back` with the cursor where the human was typing, for a draft that came back different from the one that was seen. Keys
    that were not drawn yet stood before the cursor, so the text that was seen behind the cursor is still behind it. Return None if it
    is not."""
    behind = _behind(seen)
    letters = "".join(behind.split())
    if not letters:
        return None
    for row in range(len(back.rows) - 1, -1, -1):
        cells = parse_row(back.rows[row])[0].cells
        for column in range(len(cells), -1, -1):
            place = replace(back, cursor_row=row, cursor_x=back.starts[row] + column)
            found = "".join(_behind(place).split())
            if found == letters:
                blanks = len(behind) - len(behind.lstrip(" "))
                return replace(place, cursor_x=max(place.cursor_x - blanks, back.starts[row]))
            if not letters.endswith(found):
                return None
    return None


def _behind(box: Box) -> str:
    """Return the text behind the cursor, row by row."""
    row = parse_row(box.rows[box.cursor_row])[0]
    return "\n".join((row.part(box.cursor_x - box.starts[box.cursor_row]), *box.rows[box.cursor_row + 1 :]))


def same_rows(box: Box, other: Box) -> bool:
    return [row.rstrip() for row in box.rows] == [row.rstrip() for row in other.rows]


def is_at(box: Box, target: Box) -> bool:
    return (box.cursor_row, box.cursor_x) == (target.cursor_row, target.cursor_x)


def _watch(box: Box, target: Box, box_look: BoxLook, *, is_one_by_one: bool) -> Looking:
    """Wait until the cursor has moved, and has come all the way unless keys go one by one: a screen drawn between two presses is no
    reason to press more."""
    seen = yield from watch_for(_has_left(box, box_look), MOVED_WITHIN_S)
    if is_one_by_one:
        return seen
    return (yield from watch_for(_has_come(box, target, box_look), ARRIVES_WITHIN_S))


def _has_left(before: Box, box_look: BoxLook) -> Test:
    def has_left(screen: Screen) -> bool:
        box = read_box(screen, box_look)
        return box is not None and not is_at(box, before)

    return has_left


def _has_come(before: Box, target: Box, box_look: BoxLook) -> Test:
    """Return a test for screens on which the cursor has come to its place, or to its row if the way goes by rows first."""
    is_in_row = before.cursor_row == target.cursor_row

    def has_come(screen: Screen) -> bool:
        box = read_box(screen, box_look)
        return box is not None and (is_at(box, target) or (not is_in_row and box.cursor_row == target.cursor_row))

    return has_come


def _keys(box: Box, target: Box, row: Row, box_look: BoxLook) -> tuple[str, ...]:
    """Return the keys that bring the cursor nearer to its place, rather too few than too many: missing ones are pressed next, and one
    too many may leave the row. The cursor may step over the placeholder of a paste as over one character."""
    if box.cursor_row != target.cursor_row:
        rows = target.cursor_row - box.cursor_row
        return ("Up" if rows < 0 else "Down",) * abs(rows)
    left, right = sorted((box.cursor_x, target.cursor_x))
    characters = sum(1 for cell in row.cells[left:right] if cell) or right - left
    for shown in re.finditer(box_look.placeholder, row.part(left, right)) if box_look.placeholder else ():
        characters -= len(shown[0]) - 1
    return ("Left" if target.cursor_x < box.cursor_x else "Right",) * characters
