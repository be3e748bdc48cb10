"""A simulator that catches nothing proves nothing."""

import pytest

from tests.campaigns.simulation.broken import BROKEN, UNDONE
from tests.campaigns.simulation.run import run_seed

MOST_RUNS = 1000


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_carrier_is_caught(name: str) -> None:
    caught = (seed for seed in range(MOST_RUNS) if run_seed(seed, BROKEN[name]).violations)

    assert next(caught, None) is not None


def test_a_carrier_that_does_not_go_back_is_undone_by_whoever_holds_the_keys() -> None:
    assert [seed for seed in range(MOST_RUNS) if run_seed(seed, UNDONE).violations] == []
