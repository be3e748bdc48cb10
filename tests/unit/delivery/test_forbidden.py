"""Keys that must not be pressed, wherever or in an empty box."""

import pytest

from hark.delivery.forbidden import Forbidden
from hark.delivery.screen.capture import Screen
from tests.unit.delivery.screens import DEMO, draw_box, screen

KEYS = Forbidden(always=("C-y",), in_empty_box=("Left", "C-c"))
EMPTY = draw_box("", 0)
DRAFT = draw_box("draft", 5)
DIALOG = screen("Run it?\n‸1. Yes")

CASES: dict[str, tuple[tuple[str, ...], Screen | None, str | None]] = {
    "a harmless key": (("Home", "C-k"), EMPTY, None),
    "a key that is never pressed": (("Home", "C-y"), DRAFT, "C-y"),
    "in an empty box": (("Left",), EMPTY, "Left"),
    "beside a draft": (("Left", "C-c"), DRAFT, None),
    "where no box is to be seen": (("Left",), DIALOG, "Left"),
    "before anything was seen": (("C-c",), None, "C-c"),
}


@pytest.mark.parametrize(("keys", "seen", "refused"), CASES.values(), ids=CASES.keys())
def test_the_first_forbidden_key_is_named(keys: tuple[str, ...], seen: Screen | None, refused: str | None) -> None:
    assert KEYS.first_of(keys, seen, DEMO) == refused
