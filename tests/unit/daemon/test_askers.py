"""Sessions that wait for each other: the wait that closes a circle is refused, and a wait that is over counts no more."""

from typing import cast

import pytest

from hark.daemon.askers import Askers
from hark.daemon.registry.sessions import Sessions
from hark.model.errors import HarkError
from hark.model.ids import SessionId
from tests.unit.daemon.faulty import make_session

ANA, BEN, CY = SessionId("ana"), SessionId("ben"), SessionId("cy")


class Named:
    """Sessions whose names are their ids."""

    def get(self, session_id: SessionId) -> object:
        return make_session(session_id)


@pytest.fixture
def askers() -> Askers:
    return Askers(cast(Sessions, Named()))


def test_a_circle_of_two_is_refused_and_named(askers: Askers) -> None:
    with askers.waiting(ANA, BEN), pytest.raises(HarkError) as refused, askers.waiting(BEN, ANA):
        pass

    assert refused.value.code == "ask-loop"
    assert "ben waits for ana waits for ben" in refused.value.detail


def test_a_circle_of_three_is_refused_and_named(askers: Askers) -> None:
    with askers.waiting(ANA, BEN), askers.waiting(BEN, CY), pytest.raises(HarkError) as refused:
        askers.check(CY, ANA)

    assert "cy waits for ana waits for ben waits for cy" in refused.value.detail


def test_two_that_wait_for_the_same_are_no_circle(askers: Askers) -> None:
    with askers.waiting(ANA, CY), askers.waiting(BEN, CY):
        askers.check(ANA, BEN)


def test_a_session_that_asks_itself_would_wait_for_ever(askers: Askers) -> None:
    with pytest.raises(HarkError):
        askers.check(ANA, ANA)


def test_a_wait_counts_until_the_last_of_its_kind_is_over(askers: Askers) -> None:
    with askers.waiting(ANA, BEN):
        with askers.waiting(ANA, BEN):
            pass
        with pytest.raises(HarkError):
            askers.check(BEN, ANA)

    askers.check(BEN, ANA)


def test_a_wait_that_fails_counts_no_more(askers: Askers) -> None:
    with pytest.raises(ValueError, match="lost"), askers.waiting(ANA, BEN):
        raise ValueError("lost")

    askers.check(BEN, ANA)
