"""When an agent that has ended starts again: after failures only, with growing pauses, and not for ever."""

import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hark.queue.comebacks import (
    FIRST_PAUSE_S,
    KILLED_WITH_AIRLOCK,
    LONGEST_PAUSE_S,
    RUNS_WELL_S,
    Decision,
    Ending,
    GiveUp,
    Leave,
    StartAgain,
    decide,
    describe,
    is_failure,
    pause_s,
)

FAILED = Ending(exit_code=1)


@pytest.mark.parametrize(
    ("ending", "is_one"),
    [
        (Ending(exit_code=0), False),
        (Ending(exit_code=1), True),
        (Ending(exit_code=127), True),  # Its program was not there.
        (Ending(signal=signal.SIGKILL), True),
        (Ending(signal=signal.SIGTERM), True),
        (Ending(signal=signal.SIGSEGV), True),
        (KILLED_WITH_AIRLOCK, True),
        (Ending(signal=signal.SIGINT), False),  # A human pressed Ctrl-C.
        (Ending(exit_code=130), False),  # The same, as most programs report it.
        (Ending(signal=signal.SIGHUP, was_told=True), False),  # Its pane was closed.
        (Ending(exit_code=1, was_told=True), False),  # It minded that.
        (Ending(), False),  # Nobody knows.
    ],
)
def test_only_an_agent_that_ended_by_itself_can_have_failed(ending: Ending, is_one: bool) -> None:
    assert is_failure(ending) is is_one


@pytest.mark.parametrize(
    ("ran_s", "failures", "most", "decision"),
    [
        (5.0, 0, 8, StartAgain(pause_s=1.0, failures=1)),
        (5.0, 1, 8, StartAgain(pause_s=2.0, failures=2)),
        (5.0, 7, 8, StartAgain(pause_s=128.0, failures=8)),
        (5.0, 8, 8, GiveUp(failures=9)),
        (RUNS_WELL_S, 8, 8, StartAgain(pause_s=1.0, failures=1)),  # It ran well in between.
        (RUNS_WELL_S - 0.1, 8, 8, GiveUp(failures=9)),
        (-5.0, 0, 8, StartAgain(pause_s=1.0, failures=1)),  # The clock was set back meanwhile.
        (5.0, 8, 20, StartAgain(pause_s=256.0, failures=9)),
        (5.0, 9, 20, StartAgain(pause_s=300.0, failures=10)),
        (5.0, 100, 0, StartAgain(pause_s=300.0, failures=101)),  # No limit is set.
        (5.0, 0, 1, StartAgain(pause_s=1.0, failures=1)),
        (5.0, 1, 1, GiveUp(failures=2)),
    ],
)
def test_a_failed_agent_starts_again_later_and_later(
    ran_s: float, failures: int, most: int, decision: Decision
) -> None:
    assert decide(FAILED, ran_s=ran_s, failures=failures, most=most) == decision


endings = st.builds(
    Ending,
    exit_code=st.none() | st.integers(0, 255),
    signal=st.none() | st.integers(1, 64),
    was_told=st.booleans(),
)
counts = st.integers(0, 10_000)


@given(endings, st.floats(-1e9, 1e9), counts, counts)
def test_the_agent_comes_back_only_after_a_failure(ending: Ending, ran_s: float, failures: int, most: int) -> None:
    decision = decide(ending, ran_s=ran_s, failures=failures, most=most)

    assert isinstance(decision, Leave) is not is_failure(ending)
    if isinstance(decision, StartAgain):
        assert FIRST_PAUSE_S <= decision.pause_s <= LONGEST_PAUSE_S
        assert not most or decision.failures <= most


@given(st.integers(1, 10_000))
def test_pauses_never_become_shorter(failures: int) -> None:
    assert pause_s(failures) <= pause_s(failures + 1)


@given(st.integers(1, 50), st.lists(st.floats(0, RUNS_WELL_S - 1), min_size=60, max_size=60))
def test_an_agent_that_never_runs_well_is_given_up_after_so_many_starts(most: int, runs_s: list[float]) -> None:
    failures, starts = 0, 0
    for ran_s in runs_s:
        decision = decide(FAILED, ran_s=ran_s, failures=failures, most=most)
        if not isinstance(decision, StartAgain):
            assert isinstance(decision, GiveUp)
            break
        failures, starts = decision.failures, starts + 1

    assert starts == most


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        (Ending(exit_code=3), "its agent ended with exit status 3"),
        (Ending(signal=signal.SIGSEGV), "its agent was killed by SIGSEGV"),
        (KILLED_WITH_AIRLOCK, "its airlock was killed"),
        (Ending(signal=63), "its agent was killed by signal 63"),
        (Ending(signal=signal.SIGHUP, was_told=True), ""),
        (Ending(), ""),
    ],
)
def test_an_ending_in_words(ending: Ending, words: str) -> None:
    assert describe(ending) == words
