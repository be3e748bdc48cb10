"""Markers on a rendered screen."""

from __future__ import annotations

import pytest

from hark.model.signal import SignalState
from hark.signals.marker import Marker, MarkerReader
from hark.signals.rendered import Look, Sighting, is_known, known_words, read_rows

READER = MarkerReader()
CLAUDE = Look(prompt="❯[\u00a0 ]", columns=60)


def seen(rows: list[str], look: Look = CLAUDE) -> list[str]:
    return [one.marker.text for one in read_rows(rows, READER, look)[0]]


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

    first, second = read_rows(echo, READER, Look())[0]

    assert is_known(first, known)
    assert not is_known(second, known)


def test_the_context_is_what_stands_before_it() -> None:
    [sighting] = read_rows(["One, two.", "", "--<[hark:completed:x]>--"], READER, Look())[0]

    assert sighting == Sighting(marker=Marker(SignalState.COMPLETED, "x"), context="Onetwo")
