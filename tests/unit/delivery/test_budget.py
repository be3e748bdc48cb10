"""The shares of a key hold fit into it."""

import pytest

from hark.delivery.budget import HELD_FOR_S, HOLD_BY_TMUX_S, HOLD_S, SLOW_S, slowest_s
from hark.inside import airlock
from hark.model.message import Carrier


@pytest.mark.parametrize("hold_s", [HOLD_S, HOLD_BY_TMUX_S], ids=["airlock", "tmux"])
@pytest.mark.parametrize("carrier", Carrier)
def test_an_agent_that_is_slow_once_does_not_outlast_the_hold(carrier: Carrier, hold_s: float) -> None:
    assert slowest_s(carrier) <= hold_s


def test_nobody_holds_keys_for_longer_than_an_airlock_allows() -> None:
    assert max(HOLD_S, HOLD_BY_TMUX_S) <= airlock.LONGEST_HOLD_S


def test_a_delivery_has_less_time_than_the_hold() -> None:
    assert SLOW_S < HELD_FOR_S < HOLD_S
