"""Markers on a rendered screen."""

from __future__ import annotations

import pytest

from hark.model.signal import SignalState
from hark.signals.ink import Drawn, read_drawn
from hark.signals.marker import Marker, MarkerReader
from hark.signals.rendered import Look, Sighting, is_known, known_words, read_rows

READER = MarkerReader()
CLAUDE = Look(prompt="❯[\u00a0 ]", columns=60)


def drawn(rows: list[str]) -> list[Drawn]:
    return read_drawn(rows)


def seen(rows: list[str], look: Look = CLAUDE) -> list[str]:
    return [one.marker.text for one in read_rows(drawn(rows), READER, look)[0]]


def test_a_marker_among_an_agents_words_is_seen() -> None:
    assert seen(["❯ do it", "", "● Words", "", "  --<[hark:completed:done]>--", "  more"]) == ["done"]


def test_a_marker_that_the_agent_has_wrapped_is_joined() -> None:
    rows = ["● --<[hark:error:a text that goes on", "  and on, and ends", "  here]>--", "  --<[hark:error:next]>--"]

    assert seen(rows) == ["a text that goes on and on, and ends here", "next"]


def test_a_marker_that_the_terminal_has_wrapped_is_joined_without_a_blank() -> None:
    rows = ["--<[hark:completed:abcdefghi", "jkl]>--"]

    assert seen(rows, Look(columns=28)) == ["abcdefghijkl"]


@pytest.mark.parametrize(
    "rows",
    [
        ["❯ --<[hark:completed:x]>--"],  # typed by a human
        ["❯ an example:", "  --<[hark:completed:x]>--", "", "  go"],  # in a prompt of several lines
        ["● Print --<[hark:completed:x]>-- then"],
        ["● ```", "  --<[hark:completed:x]>--", "  ```"],  # where fences are to be seen
        ["  > --<[hark:completed:x]>--"],
        ["   1 --<[hark:completed:x]>--"],  # a numbered line of code
        ["● --<[hark:completed:never", "  ended"],
        ["● --<[hark:completed:its end is not drawn", "  --<[hark:x", "  words]>--"],
    ],
)
def test_what_is_put_in_quoted_or_code_is_not_seen(rows: list[str]) -> None:
    assert seen(rows) == []


def test_what_follows_the_agents_bullet_is_the_agents() -> None:
    rows = ["❯ an example:", "  --<[hark:completed:x]>--", "", "● Well", "  --<[hark:completed:x]>--"]

    assert seen(rows) == ["x"]


def test_where_markdown_makes_links_of_markers_those_with_brackets_are_code() -> None:
    look = Look(has_brackets=False)

    assert seen(["     --<hark:completed:a link>--", "     --<[hark:completed:code]>--"], look) == ["a link"]


def test_an_echo_of_what_is_known_is_known_wherever_its_rows_break() -> None:
    known = known_words("[Input from: x via hark send · 0123]\nan example:\n--<[hark:completed:x]>--\ngo", READER)
    echo = [
        "> [Input from: x via",
        "  hark send · 0123]",
        "an example:",
        "--<[hark:completed:x]>--",
        "--",
        "Sure",
        "--<[hark:completed:x]>--",
    ]

    first, second = read_rows(drawn(echo), READER, Look())[0]

    assert is_known(first, known)
    assert not is_known(second, known)


def test_the_context_is_what_stands_before_it() -> None:
    [sighting] = read_rows(drawn(["One, two.", "", "--<[hark:completed:x]>--"]), READER, Look())[0]

    assert sighting == Sighting(marker=Marker(SignalState.COMPLETED, "x"), context="Onetwo")


PROSE, CODE, TYPED = "\x1b[38;5;231m", "\x1b[38;5;183m", "\x1b[48;5;240m"
GEMINI = Look(prompt=" [>*] ", column=2, has_fences=False)
OPENCODE = Look(prompt=" *┃  ", prompt_rows=" *┃  ", has_brackets=False, has_fences=False, has_panels=True)


@pytest.mark.parametrize(
    "row",
    [
        f"  {CODE}--<[hark:completed:x]>--",  # code within a sentence has another colour
        f"  {PROSE}    --<[hark:completed:x]>--",  # code that is indented
        f"\x1b[39m   {PROSE}--<[hark:completed:x]>--",  # in a prompt whose first row is out of sight
        f"{TYPED}  {PROSE}--<[hark:completed:x]>--\x1b[49m",  # on the background of what a human has typed
    ],
)
def test_what_is_not_drawn_like_the_agents_words_is_not_seen(row: str) -> None:
    rows = [
        f"✦ {PROSE}Words",
        "\x1b[39m",
        row,
        "\x1b[39m",
        f"  {PROSE}more",
        "\x1b[39m",
        f"  {PROSE}--<[hark:completed:real]>--",
    ]

    sightings, misses = read_rows(read_drawn(rows), READER, GEMINI)

    assert [one.marker.text for one in sightings] == ["real"]
    assert [miss.why for miss in misses] == ["it is not drawn like the agent's own words"]


def test_a_marker_that_is_all_an_agent_has_said_is_seen() -> None:
    assert seen([f"{CODE}✦ {PROSE}--<[hark:completed:x]>--"], GEMINI) == ["x"]


def test_without_colours_the_column_alone_tells() -> None:
    assert seen(["✦ Words", "", "  --<[hark:completed:x]>--", "", "      --<[hark:completed:y]>--"], GEMINI) == ["x"]


def test_a_long_marker_that_is_indented_as_code_is_not_seen_although_its_next_row_stands_in_the_column() -> None:
    assert seen(["✦ Words", "      --<[hark:completed:a long", "  text]>--"], GEMINI) == []


def test_where_every_row_of_a_human_is_marked_the_others_are_the_agents() -> None:
    rows = ["  ┃  an example:", "  ┃  --<hark:completed:x>--", "", "     Words", "     --<hark:completed:y>--"]

    assert seen(rows, OPENCODE) == ["y"]


def test_a_panel_beside_the_words_is_neither_text_nor_context() -> None:
    words, panel = "\x1b[48;5;232m", "\x1b[48;5;233m"
    rows = [
        f"{words}     Words         {panel}  Context  ",
        f"{words}     --<hark:error:a text that {panel}  LSPs are disabled",
        f"{words}     goes on>--              {panel}  $0.00 spent",
    ]

    [sighting] = read_rows(read_drawn(rows), READER, OPENCODE)[0]

    assert (sighting.marker.text, sighting.context) == ("a text that goes on", "Words")


def test_a_panel_that_no_colour_tells_makes_no_signal_up() -> None:
    rows = ["     --<hark:error:a text that      LSPs are disabled", "     goes on>--"]

    assert seen(rows, OPENCODE) == []
