"""Whom to tell, when, and in which words."""

from __future__ import annotations

from datetime import time

import pytest

from hark.model.signal import SignalState
from hark.signals.telling import is_quiet, is_wanted, parse_hours, parse_rules, parse_ways, terminal_bytes, wording


@pytest.mark.parametrize(
    ("rules", "state", "session", "wanted"),
    [
        ("needs_input", "needs_input", "any", True),
        ("needs_input", "completed", "any", False),
        ("needs_input, completed:backend*", "completed", "backend-2", True),
        ("needs_input, completed:backend*", "completed", "front", False),
        ("*:front", "working", "front", True),
        ("", "error", "any", False),
    ],
)
def test_rules_are_by_state_and_session(rules: str, state: str, session: str, wanted: bool) -> None:
    assert is_wanted(parse_rules(rules), SignalState(state), session) is wanted


@pytest.mark.parametrize(
    ("hours", "now", "quiet"),
    [
        ("", time(3), False),
        ("22:00-07:00", time(23), True),  # over midnight
        ("22:00-07:00", time(6, 59), True),
        ("22:00-07:00", time(7), False),
        ("12:00-13:30", time(13, 29), True),
        ("12:00-13:30", time(14), False),
    ],
)
def test_quiet_hours(hours: str, now: time, quiet: bool) -> None:
    assert is_quiet(parse_hours(hours), now) is quiet


def test_what_nobody_can_mean_is_refused() -> None:
    for wrong in (lambda: parse_rules("done"), lambda: parse_ways("smoke"), lambda: parse_hours("late")):
        with pytest.raises(ValueError, match=r"\w"):
            wrong()


def test_words_are_one_harmless_line() -> None:
    words = wording("backend", SignalState.NEEDS_INPUT, "which\x1b[31m one?\n" + "x" * 400)

    assert words.startswith("backend needs input: which [31m one? xxx")
    assert len(words) == 200
    assert words.isprintable()


def test_terminals_are_told_by_a_bell_or_by_a_sequence_with_the_words() -> None:
    assert terminal_bytes("bell", "words") == b"\x07"
    assert terminal_bytes("osc9", "some; words") == b"\x1b]9;some, words\x07"
    assert terminal_bytes("osc777", "words") == b"\x1b]777;notify;hark;words\x07"
