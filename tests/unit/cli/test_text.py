import ast
import os
import sys
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from wcwidth import wcswidth

from hark.cli.text import (
    again,
    cut,
    harmless,
    is_colourful,
    key_values,
    one_line,
    paint_status,
    redraw,
    table,
    terminal_columns,
)


def test_columns_are_aligned_and_lines_do_not_end_in_spaces() -> None:
    drawn = table(("NAME", "STATE", "COMMAND"), [("a", "running", "sh"), ("longer", "gone", "")])

    assert drawn.splitlines() == [
        "NAME    STATE    COMMAND",
        "a       running  sh",
        "longer  gone",
    ]


def test_wide_characters_take_two_columns() -> None:
    drawn = table(("NAME", "X"), [("日本", "1"), ("abcd", "2")])

    assert drawn.splitlines() == ["NAME  X", "日本  1", "abcd  2"]


def test_the_last_column_ends_where_the_terminal_ends() -> None:
    drawn = table(("A", "TEXT"), [("1", "x" * 50)], columns=20)

    assert drawn.splitlines()[1] == "1  " + "x" * 16 + "…"
    assert cut("日本語", 4) == "日…"


def test_text_of_strangers_cannot_drive_the_terminal() -> None:
    assert one_line("a\x1b[2J\nb\x9b\u202e\u200d\t\r\n") == "a\\x1b[2J b\\x9b\\u202e   "
    assert "\x1b" not in table(("A", "B"), [("x\x1b[31m", "y\x1b]0;title\x07")])


@pytest.mark.parametrize(
    ("variables", "is_terminal", "expected"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),  # empty means not set: no-color.org
        ({"TERM": "dumb"}, True, False),
    ],
)
def test_colour_is_for_terminals_whose_owner_wants_it(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], is_terminal: bool, expected: bool
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout.isatty", lambda: is_terminal)

    assert is_colourful() is expected
    assert harmless(paint_status("held ")) == ("\x1b[33mheld \x1b[0m" if expected else "held ")


def test_a_text_that_is_drawn_again_cannot_drive_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")

    redraw("one\x1b]0;title\x07\n\x1b[Htwo")

    assert capsys.readouterr().out == "\x1b[H\x1b[Kone\\x1b]0;title\\x07\n\x1b[K\\x1b[Htwo\n\x1b[J"


def test_values_are_quoted_where_a_word_would_not_do() -> None:
    assert key_values({"a": "x", "b": "two words", "c": 3, "d": None, "e": "", "f": "1\n2"}) == (
        'a=x b="two words" c=3 d=null e="" f="1\\n2"'
    )


@pytest.mark.parametrize(("repeat", "words"), [("every 1800", "every 30m"), ("cron 0 9 * * 1-5", "cron 0 9 * * 1-5")])
def test_how_a_reminder_repeats(repeat: str, words: str) -> None:
    assert again(repeat) == words


CELLS = st.text(st.characters(min_codepoint=32, max_codepoint=0x2FFF, exclude_categories=["C", "M", "Z"]), max_size=60)


@given(st.lists(st.tuples(*[CELLS] * 6), min_size=1, max_size=4), st.integers(min_value=24, max_value=200))
@example([("4f1c00000000", "held", "x" * 40, "y" * 40, "z", "w" * 90)], 40)
@settings(deadline=None)
def test_no_line_is_longer_than_the_terminal_is_wide(rows: list[tuple[str, ...]], columns: int) -> None:
    drawn = table(("ID", "STATUS", "FROM", "TO", "AGE", "TEXT"), rows, columns=columns)

    assert all(wcswidth(line) <= columns for line in drawn.splitlines())


def test_a_narrow_terminal_gets_blocks_and_ids_whole() -> None:
    drawn = table(
        ("ID", "STATUS", "AT", "TEXT"), [("4f1c00000000", "held", "2026-01-02 03:04:05", "x" * 90)] * 2, columns=40
    )

    block = ["ID      4f1c00000000", "STATUS  held", "AT      2026-01-02 03:04:05", "TEXT    " + "x" * 31 + "…"]
    assert drawn.splitlines() == [*block, "", *block]


def test_the_widest_columns_are_cut_first() -> None:
    drawn = table(("ID", "FROM", "TEXT"), [("4f1c00000000", "a" * 20, "x" * 90)], columns=60)

    assert drawn.splitlines()[1] == "4f1c00000000  " + "a" * 20 + "  " + "x" * 23 + "…"


def test_every_table_knows_how_wide_the_terminal_is() -> None:
    calls = [
        call
        for path in Path("src/hark/cli").rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "table"
    ]

    assert len(calls) > 5
    assert all("columns" in {keyword.arg for keyword in call.keywords} for call in calls)


@pytest.mark.parametrize(("said", "expected"), [("40", 40), ("", 120), ("0", 120), ("wide", 120), ("٤٠", 120)])
def test_the_width_is_what_the_user_says_or_the_terminals(
    monkeypatch: pytest.MonkeyPatch, said: str, expected: int
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setattr("sys.stdout.fileno", lambda: 1)
    monkeypatch.setattr("os.get_terminal_size", lambda descriptor: os.terminal_size((120, 40)))
    monkeypatch.setenv("COLUMNS", said)

    assert terminal_columns() == expected
