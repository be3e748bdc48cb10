"""Captured lines with attributes become cells."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hark.delivery.screen.capture import Screen, parse_row, parse_rows

CELLS = {
    "ASCII": ("ab", ("a", "b")),
    "blanks at the end stay": ("a  ", ("a", " ", " ")),
    "a wide character takes two columns": ("漢x", ("漢", "", "x")),
    "a combining mark joins its character": ("e\u0301x", ("e\u0301", "x")),
    "a combining mark joins a wide character": ("漢\u0301x", ("漢\u0301", "", "x")),
    "a joined emoji is one character": ("👩\u200d💻x", ("👩\u200d💻", "", "x")),
    "a joined family is one character": ("👩\u200d👩\u200d👧x", ("👩\u200d👩\u200d👧", "", "x")),
    "a flag takes two columns": ("🇩🇪x", ("🇩", "🇪", "x")),
    "a variation selector takes no room": ("❤\ufe0fx", ("❤\ufe0f", "x")),
    "attributes take no room": ("\x1b[1;31ma\x1b[0mb", ("a", "b")),
    "hyperlinks take no room": ("\x1b]8;;https://x.y\x1b\\a\x1b]8;;\x1b\\b", ("a", "b")),
    "hyperlinks that end in BEL take no room": ("\x1b]8;;https://x.y/m\x07a", ("a",)),
    "character sets take no room": ("\x1b(0\x0ea\x0f\x1b(Bb", ("a", "b")),
    "an escape alone takes no room": ("a\x1b", ("a",)),
    "nothing": ("", ()),
}


@pytest.mark.parametrize(("line", "cells"), CELLS.values(), ids=CELLS.keys())
def test_a_line_becomes_cells(line: str, cells: tuple[str, ...]) -> None:
    row, _ = parse_row(line)

    assert row.cells == cells
    assert len(row.ghost) == len(cells)


GHOSTS = {
    "dim": ("a\x1b[2mb", ".g"),
    "dim off by 22": ("\x1b[2ma\x1b[22mb", "g."),
    "dim off by 0": ("\x1b[2ma\x1b[0mb", "g."),
    "dim off by the empty list": ("\x1b[2ma\x1b[mb", "g."),
    "dim among others": ("\x1b[1;2;34ma", "g"),
    "off and on in one": ("\x1b[2ma\x1b[0;2mb", "gg"),
    "colour 2 of 256 is not dim": ("\x1b[38;5;2ma\x1b[48;5;2mb\x1b[58;5;2mc", "..."),
    "true colours are not dim": ("\x1b[38;2;2;2;2ma\x1b[48;2;0;2;0mb\x1b[58;2;2;2;2mc", "..."),
    "dim after a colour": ("\x1b[38;5;2;2ma\x1b[0mb\x1b[38;2;1;2;3;2mc", "g.g"),
    "a colour does not end dim": ("\x1b[2;38;5;0ma\x1b[38;2;0;0;0mb", "gg"),
    "a curly underline does not end dim": ("\x1b[2;4:3ma\x1b[4:0mb", "gg"),
    "colours with colons are not dim": ("\x1b[38:2::2:2:2ma\x1b[58:5:2mb", ".."),
    "a wide character is dim in both its columns": ("\x1b[2m漢\x1b[0mx", "gg."),
    "a colour cut short": ("\x1b[38ma\x1b[38;5mb", ".."),
}


@pytest.mark.parametrize(("line", "ghosts"), GHOSTS.values(), ids=GHOSTS.keys())
def test_dim_cells_are_ghosts(line: str, ghosts: str) -> None:
    row, _ = parse_row(line)

    assert "".join("g" if is_ghost else "." for is_ghost in row.ghost) == ghosts


def test_attributes_carry_over_to_the_next_line() -> None:
    first, second, third = parse_rows(["a\x1b[2mb", "c", "d\x1b[0me"])

    assert (first.ghost, second.ghost, third.ghost) == ((False, True), (True,), (True, False))


def test_typed_leaves_ghosts_out() -> None:
    row, _ = parse_row("❯ ab\x1b[2mcd\x1b[0m ")

    assert row.typed(2) == "ab "
    assert row.part(2) == "abcd "
    assert row.text == "❯ abcd"


def test_a_screen_contains_words_that_a_row_end_cuts_in_two() -> None:
    screen = Screen(rows=parse_rows(["  in 0123", "4567", "x"]), columns=9, cursor_x=0, cursor_y=0)

    assert screen.contains("01234567")
    assert screen.contains("67x")
    assert not screen.contains("7654")


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"])))
def test_every_visible_character_is_in_exactly_one_cell(text: str) -> None:
    row, _ = parse_row("." + text)

    assert "".join(row.cells) == "." + text
    assert len(row.cells) == len(row.ghost)


@given(st.text())
def test_no_line_is_too_odd_to_be_read(line: str) -> None:
    row, _ = parse_row(line)

    assert len(row.cells) == len(row.ghost)
