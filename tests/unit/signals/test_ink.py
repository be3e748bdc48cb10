"""The colours of a captured screen."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hark.delivery.screen.capture import parse_rows
from hark.signals.ink import Ink, read_drawn, without_panels


def test_a_colour_holds_until_another_comes_also_on_the_next_row() -> None:
    first, second = read_drawn(["\x1b[38;5;183mone\x1b[39m two", "\x1b[31;48;2;1;2;3mthree"])

    assert (first.text, second.text) == ("one two", "three")
    assert [first.ink_at(place).foreground for place in (0, 2, 3)] == ["38;5;183", "38;5;183", ""]
    assert second.ink_at(0) == Ink("31", "48;2;1;2;3")


def test_a_colour_is_carried_over_to_a_row_that_names_none() -> None:
    _, second = read_drawn(["\x1b[38:2::1:2:3mone", "two"])

    assert second.ink_at(0) == Ink("38:2::1:2:3", "")


def test_a_reset_and_other_attributes() -> None:
    [row] = read_drawn(["\x1b[1;31;4mone\x1b[0mtwo\x1b[7;92;104mthree\x1b[mfour\x1b[49mfive"])

    assert [row.ink_at(place) for place in (0, 3, 6, 11)] == [Ink("31"), Ink(), Ink("92", "104"), Ink()]


def test_what_stands_on_another_background_than_the_rows_beginning_is_a_panel() -> None:
    [row] = read_drawn(["\x1b[48;5;232m  some words   \x1b[48;5;233m  LSPs are disabled  "])

    assert without_panels(row).text == "  some words"


@given(st.lists(st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=40), max_size=5))
def test_the_text_is_what_the_rest_of_hark_sees_too(lines: list[str]) -> None:
    assert [row.text for row in read_drawn(lines)] == parse_rows(lines).plain
