"""Which drafts stand on the screen as they are: what may be a wrap is left to others."""

import pytest

from hark.delivery.box import read_box
from hark.delivery.by_sentinel import is_plain
from hark.delivery.reading import LineKeys
from tests.delivery.screens import DEMO
from tests.delivery.scripted import box

COLUMNS = box("‸").columns
LONG = "x" * (COLUMNS // 2)

DRAFTS: dict[str, tuple[tuple[str, ...], bool]] = {
    "one line": (("a draft‸",), True),
    "lines": (("a draft", "", "of lines‸"), True),
    "a word that would not have fitted above": ((f"{LONG} and", f"{LONG}‸"), False),
    "a row that is full": (("x" * (COLUMNS - 2), "y‸"), False),
    "a collapsed paste": (("[Pasted text #1 +9 lines]‸",), False),
    "one letter": (("a‸",), False),
    "what opens a completion": (("/help‸",), False),
    "an exception of the agent's": (("has    blanks‸",), False),
    "more rows than a paste may have": (("a", "b", "c", "d‸"), False),
}


@pytest.mark.parametrize(("rows", "expected"), DRAFTS.values(), ids=DRAFTS.keys())
def test_a_draft_is_plain(rows: tuple[str, ...], expected: bool) -> None:
    screen = box(*rows)
    found = read_box(screen, DEMO)
    assert found is not None

    assert is_plain(found, screen, DEMO, LineKeys(most_rows=3, not_for="(?s).*    ")) is expected
