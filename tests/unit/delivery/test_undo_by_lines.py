"""The undo that finds the cursor of a draft by the starts of its lines: it comes to the right place whatever blanks, which no screen
shows, stand at the ends of the lines."""

import pytest

from hark.delivery.carriers.undo import going_back_on
from hark.delivery.screen.box import read_box
from tests.unit.delivery.screens import CLAUDE, draw_box

RULE = "─" * 60


def walk(lines: list[str], keys: list[str]) -> tuple[int, int]:
    """Return the line and the column in which an agent's cursor stands after these keys, beginning at the end."""
    y, x = len(lines) - 1, len(lines[-1])
    for key in keys:
        if key == "C-a":
            x = 0
        elif key == "S-Left" and x:
            x -= 1
        elif key == "S-Left" and y:
            y, x = y - 1, len(lines[y - 1])
        elif key == "Right" and x < len(lines[y]):
            x += 1
        elif key == "Right" and y < len(lines) - 1:
            y, x = y + 1, 0
    return y, x


@pytest.mark.parametrize(
    ("draft", "cursor"),
    [
        ("half a thought", 6),
        ("half a thought  ", 6),  # The blanks at the end do not show.
        ("half a thought  ", 14),  # The cursor stands before them.
        ("half a thought  ", 16),  # And behind them.
        ("one  \ntwo \nthree", 2),
        ("one  \ntwo \nthree", 7),
        ("one  \ntwo \nthree ", 5),
        ("a\n\nb  ", 2),
        ("漢字 and more ", 2),
    ],
)
def test_the_cursor_comes_to_its_place(draft: str, cursor: int) -> None:
    seen = draw_box(draft, cursor, columns=60, prompt="❯\u00a0", rule=RULE)
    box = read_box(seen, CLAUDE)
    assert box is not None

    writes = going_back_on(seen, box, CLAUDE)

    place = draft[:cursor].count("\n"), cursor - draft[:cursor].rfind("\n") - 1
    assert walk(draft.split("\n"), [key for write in writes for key in write.keys]) == place


def test_each_start_of_a_line_is_a_write_of_its_own() -> None:
    seen = draw_box("one\ntwo\nthree", 1, columns=60, prompt="❯\u00a0", rule=RULE)
    box = read_box(seen, CLAUDE)
    assert box is not None

    assert all(write.keys == ("C-a",) for write in going_back_on(seen, box, CLAUDE) if "C-a" in write.keys)
