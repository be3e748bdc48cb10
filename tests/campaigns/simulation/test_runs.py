"""The real carriers, among models of boxes and a typist who keeps no pause: no promise is broken, in no interleaving."""

import os
import secrets
from random import Random

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from tests.campaigns.simulation.batch import count_on_all_cores, describe, tell
from tests.campaigns.simulation.run import run, run_seed
from tests.campaigns.simulation.scenario import draw_scenario
from tests.campaigns.simulation.trace import Trace

RUNS = 50_000
ELSEWHERE = secrets.randbelow(10**9) if os.environ.get("HARK_EXPLORE") else 500_000_000
"""The same runs every time, unless somebody goes looking for new ones."""


@pytest.mark.timeout(600)
@pytest.mark.parametrize("base", [0, ELSEWHERE], ids=["first seeds", "seeds elsewhere"])
def test_no_promise_is_broken(base: int) -> None:
    tally = count_on_all_cores(base, RUNS)

    print(f"{RUNS} runs from seed {base}", *describe(tally), sep="\n")
    assert not tally.failures, tell(tally.failures[0][0])
    assert tally.runs == RUNS
    assert tally.compared > RUNS // 3


@settings(max_examples=200, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(0, 2**16))
def test_a_broken_promise_would_be_told_in_few_words(random: Random, seed: int) -> None:
    trace = Trace()

    result = run(draw_scenario(random, seed), trace=trace)

    note(str(trace))
    assert not result.violations


def test_the_same_seed_gives_the_same_run() -> None:
    one, other = Trace(), Trace()

    for seed in range(50):
        assert run_seed(seed, trace=one) == run_seed(seed, trace=other)

    assert str(one) == str(other)
