"""A weaker witness never overwrites a stronger one that is newer."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from hark.model.signal import SignalSource, SignalState
from hark.signals.status import Status, is_repeated, may_clear, may_replace

NOW = datetime(2026, 1, 1, tzinfo=UTC)
EARLIER, LATER = NOW - timedelta(seconds=1), NOW + timedelta(seconds=1)
SAID = Status(SignalState.COMPLETED, SignalSource.RECORD, NOW)
WORKS = Status(SignalState.WORKING, SignalSource.COMMAND, NOW)
ASKED = Status(SignalState.NEEDS_INPUT, SignalSource.HOOK, NOW)
GUESSED = Status(SignalState.ERROR, SignalSource.INFERRED, NOW)


@pytest.mark.parametrize(
    ("now", "source", "at", "may"),
    [
        (Status(), SignalSource.INFERRED, NOW, True),
        (SAID, SignalSource.HOOK, EARLIER, False),  # weaker and older
        (SAID, SignalSource.HOOK, LATER, True),  # weaker, but what it tells happened later
        (SAID, SignalSource.INFERRED, LATER, False),  # a guess never replaces a word
        (WORKS, SignalSource.INFERRED, LATER, True),  # but may say how the work has ended
        (GUESSED, SignalSource.INFERRED, LATER, True),
        (GUESSED, SignalSource.HOOK, EARLIER, True),
        (ASKED, SignalSource.COMMAND, EARLIER, True),  # stronger
    ],
)
def test_who_is_believed(now: Status, source: SignalSource, at: datetime, may: bool) -> None:
    assert may_replace(now, source, at) is may


def test_what_happened_before_it_clears_nothing() -> None:
    assert not may_clear(SAID, EARLIER)
    assert may_clear(SAID, LATER)
    assert not may_clear(Status(), LATER)


def test_a_hook_that_says_what_is_known_is_no_news() -> None:
    asked = Status(SignalState.NEEDS_INPUT, SignalSource.COMMAND, NOW)

    assert is_repeated(asked, SignalState.NEEDS_INPUT, SignalSource.HOOK)
    assert not is_repeated(SAID, SignalState.NEEDS_INPUT, SignalSource.HOOK)
    assert not is_repeated(asked, SignalState.NEEDS_INPUT, SignalSource.COMMAND)
