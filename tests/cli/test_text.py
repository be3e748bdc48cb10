import pytest

from hark.cli.text import again, cut, harmless, is_colourful, key_values, one_line, paint_status, table


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


def test_values_are_quoted_where_a_word_would_not_do() -> None:
    assert key_values({"a": "x", "b": "two words", "c": 3, "d": None, "e": "", "f": "1\n2"}) == (
        'a=x b="two words" c=3 d=null e="" f="1\\n2"'
    )


@pytest.mark.parametrize(("repeat", "words"), [("every 1800", "every 30m"), ("cron 0 9 * * 1-5", "cron 0 9 * * 1-5")])
def test_how_a_reminder_repeats(repeat: str, words: str) -> None:
    assert again(repeat) == words
