"""Which lines are near misses, and which of them are worth a line in the log."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hark.signals.marker import Marker, MarkerReader, NearMiss
from hark.signals.near_misses import HOUR_S, MOST_MENTIONS, MOST_RESEMBLING, NearMissLog, wording

READER = MarkerReader()


@pytest.mark.parametrize(
    ("line", "is_mention"),
    [
        ("--<schmux:completed:no brackets>--", False),
        ("schmux:completed:plain", False),
        ("--[schmux:completed:a link](x)--", False),
        ("<[hark completed]>", False),
        ("--<[hark:finished:no such state]>--", False),
        ("--<[hark:completed:not whole", False),
        ("$ hark send a 'hello'", True),
        ("import schmux", True),
        ("a shark", True),
    ],
)
def test_every_line_with_a_namespace_that_is_no_marker_is_a_near_miss(line: str, is_mention: bool) -> None:
    seen = READER.read(line)

    assert isinstance(seen, NearMiss)
    assert (seen.line, seen.is_mention) == (line, is_mention)
    assert seen.why


@given(st.text(max_size=80), st.sampled_from(["hark", "schmux"]), st.text(max_size=80))
def test_no_line_with_a_namespace_is_passed_over(before: str, name: str, after: str) -> None:
    assert isinstance(READER.read(before + name + after), NearMiss | Marker)


@given(st.text(max_size=200).filter(lambda line: "hark" not in line and "schmux" not in line))
def test_a_line_without_a_namespace_is_nothing(line: str) -> None:
    assert READER.read(line) is None


def test_only_the_namespaces_that_are_configured_count() -> None:
    assert isinstance(MarkerReader(("mine",)).read("mine:completed:x"), NearMiss)
    assert MarkerReader(("mine",)).read("hark:completed:x") is None


def resembling(number: int) -> NearMiss:
    return NearMiss(f"hark:completed:{number}", "why")


def mention(number: int) -> NearMiss:
    return NearMiss(f"hark {number}", "why", is_mention=True)


def test_a_line_is_logged_once_in_an_hour_however_often_it_is_drawn() -> None:
    log = NearMissLog(0.0)

    assert [log.admit(resembling(1)) for _ in range(3)] == [True, False, False]
    assert log.end_hour(HOUR_S - 1) == 0
    assert not log.admit(resembling(1))

    assert log.end_hour(HOUR_S) == 0
    assert log.admit(resembling(1))


def test_a_flood_is_cut_off_counted_and_told_at_the_end_of_the_hour() -> None:
    log = NearMissLog(0.0)

    admitted = sum(log.admit(mention(number)) for number in range(5000))

    assert admitted == MOST_MENTIONS
    assert log.has_left_out
    assert log.end_hour(HOUR_S) == 5000 - MOST_MENTIONS
    assert not log.has_left_out


def test_mere_mentions_take_no_room_from_lines_that_resemble_a_marker() -> None:
    log = NearMissLog(0.0)
    for number in range(5000):
        log.admit(mention(number))

    assert sum(log.admit(resembling(number)) for number in range(1000)) == MOST_RESEMBLING


def test_what_an_ended_session_has_left_out_is_told_before_the_hour_is_over() -> None:
    log = NearMissLog(0.0)
    for number in range(MOST_MENTIONS + 3):
        log.admit(mention(number))

    assert log.end_hour(1.0, is_last=True) == 3


def test_the_words_of_the_log_show_the_cleaned_line_in_quotes() -> None:
    miss = NearMiss("--<[schmux:completed:Taskdone]>--", "why")

    assert (
        wording("abc12345", miss) == '[signal] abc12345 - potential missed signal: "--<[schmux:completed:Taskdone]>--"'
    )
    assert len(wording("abc12345", NearMiss("hark" * 10_000, "why"))) < 1000
