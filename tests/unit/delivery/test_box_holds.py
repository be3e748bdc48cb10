"""Whether a box shows a given text, as far as a screen can tell, or the agent's stand-in for it."""

import pytest

from hark.delivery.screen.box import Box, BoxLook, holds_placeholder, holds_text, mentions, undisputed
from tests.unit.delivery.screens import CLAUDE, GENERIC


def box(*rows: str, is_cursor_at_end: bool = True) -> Box:
    return Box(rows=rows, is_cursor_at_start=False, is_cursor_at_end=is_cursor_at_end)


HELD = {
    "to the letter": (box("one", "two"), "one\ntwo", True),
    "blanks dropped at a wrap": (box("one", "two"), "one  two", True),
    "a word cut at a wrap": (box("on", "e two"), "one two", True),
    "an empty line": (box("one", "", "two"), "one\n\ntwo", True),
    "a tab drawn as spaces": (box("a       b"), "a\tb", True),
    "a tab and a space": (box("a        b"), "a\t b", True),
    "blanks at the end": (box("one  "), "one ", True),
    "an ideographic space at a line's start": (box("\u3000one", "\u3000two\u3000"), "\u3000one\n\u3000two\u3000", True),
    "a no-break space at a wrap": (box("one\u00a0", "two"), "one\u00a0two", True),
    "more behind it": (box("one", "two x"), "one\ntwo", False),
    "a row more": (box("one", "two", "x"), "one\ntwo", False),
    "more before it": (box("xone", "two"), "one\ntwo", False),
    "less": (box("one", "tw"), "one\ntwo", False),
    "a line less": (box("one"), "one\ntwo", False),
    "blanks differ, which no screen tells from a wrap": (box("onetwo"), "one two", True),
    "a skin tone that the agent draws as another cell": (box("ok 👍 🏽"), "ok 👍🏽", True),
    "a keycap without its box": (box("1 first"), "1\ufe0f\u20e3 first", True),
    "a family without its joiners": (box("👩💻 x"), "👩\u200d💻 x", True),
    "a soft hyphen, a zero width space and a mark of byte order that are not drawn": (
        box("softhyphen zero bom"),
        "soft\u00adhyphen ze\u200bro \ufeffbom",
        True,
    ),
    "Thai without its marks": (box("ok ภาษาไทย"), "ok ภาษาไทย\u0e49", True),
    "another letter of a script that nobody disputes": (box("größe"), "grüße", False),
    "another Han character": (box("漢学"), "漢字", False),
    "another emoji": (box("👎🏽 ok"), "👍🏽 ok", False),
    "nothing": (box(""), "one", False),
    "no text": (box(""), "", False),
    "the cursor not behind it": (box("one", is_cursor_at_end=False), "one", False),
}


@pytest.mark.parametrize(("seen", "text", "is_held"), HELD.values(), ids=HELD.keys())
def test_a_box_shows_a_text_or_does_not(seen: Box, text: str, is_held: bool) -> None:
    assert holds_text(seen, text) is is_held


def test_what_terminals_dispute_is_left_out() -> None:
    assert undisputed("a\tb  c\u0301 é漢한ア🏳️\u200d🌈👍🏽 ש ก\u0e49^") == "abcé漢한ア🏳🌈👍שก"


PLACEHOLDERS = {
    "collapsed lines": (CLAUDE, "[Pasted text #1 +12 lines]", True),
    "a collapsed long line": (CLAUDE, "[Pasted text #2]", True),
    "text before it": (CLAUDE, "see [Pasted text #1 +12 lines]", False),
    "text behind it": (CLAUDE, "[Pasted text #1 +12 lines] see", False),
    "two of them": (CLAUDE, "[Pasted text #1 +12 lines][Pasted text #2 +3 lines]", False),
    "an agent that collapses nothing": (GENERIC, "[Pasted text #1 +12 lines]", False),
}


@pytest.mark.parametrize(("look", "row", "is_placeholder"), PLACEHOLDERS.values(), ids=PLACEHOLDERS.keys())
def test_a_placeholder_is_one_alone(look: BoxLook, row: str, is_placeholder: bool) -> None:
    assert holds_placeholder(box(row), look) is is_placeholder


def test_a_box_mentions_words_that_a_wrap_cuts_in_two() -> None:
    assert mentions(box("see 0123", "4567 there"), "01234567")
    assert not mentions(box("see 0123", "x4567 there"), "01234567")


@pytest.mark.parametrize(("text", "can_stand"), [("a\nb\nc\nd", True), ("a\nb\nc", False), ("a", False)])
def test_a_placeholder_stands_only_for_a_paste_of_as_many_lines(text: str, can_stand: bool) -> None:
    assert holds_placeholder(box("[Pasted text #1 +3 lines]"), CLAUDE, text) is can_stand
