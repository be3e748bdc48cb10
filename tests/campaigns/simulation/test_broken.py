"""A simulator that catches nothing proves nothing."""

import pytest

from tests.campaigns.simulation.broken import BROKEN
from tests.campaigns.simulation.run import run_seed

MOST_RUNS = 1000


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_carrier_is_caught(name: str) -> None:
    caught = (seed for seed in range(MOST_RUNS) if run_seed(seed, BROKEN[name]).violations)

    assert next(caught, None) is not None
