"""The screen counts once it shows the keys that were let through before the hold."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hark.delivery.budget import RESTS_WITHIN_S
from hark.delivery.carriers.rest import (
    DRAWN_WITHIN_S,
    RECENT_S,
    REST_S,
    AtHold,
    PastHold,
    age_of_last_key,
    come_to_rest,
)
from hark.delivery.carriers.steps import AskUnread, Look, LookAgain, Seen
from hark.delivery.screen.capture import Screen
from tests.unit.delivery.screens import DEMO
from tests.unit.delivery.scripted import DRAFT, EMPTY, box

LATER = box("half a thought!‸")
TICK_S = 0.001


class Rested:
    """What came of waiting on an agent that shows screens at given times, and has read all at a given time."""

    def __init__(self, at_hold: AtHold, drawn: Sequence[tuple[float, Screen]], read_at_s: float = 0.0) -> None:
        self.now_s = 0.0
        self.looks = 0
        self._drawn = drawn
        waiting = come_to_rest(DEMO, at_hold)
        try:
            step = next(waiting)
            while True:
                match step:
                    case AskUnread():
                        step = waiting.send(self.now_s < read_at_s)
                    case Look():
                        step = waiting.send(self._look())
                    case LookAgain(within_s=within_s):
                        self._pass(within_s)
                        step = waiting.send(self._look())
                    case _:
                        raise AssertionError(step)
        except StopIteration as end:
            self.is_at_rest: bool = end.value

    @property
    def screen(self) -> Screen:
        return [screen for at_s, screen in self._drawn if at_s <= self.now_s][-1]

    def _look(self) -> Seen:
        self.looks += 1
        self.now_s += TICK_S
        return Seen(self.screen, self.now_s)

    def _pass(self, within_s: float) -> None:
        until_s = self.now_s + within_s
        printed = [at_s for at_s, _ in self._drawn if self.now_s < at_s <= until_s]
        self.now_s = printed[0] if printed else until_s


@pytest.mark.parametrize("age_s", [None, RECENT_S, 60.0])
def test_where_nobody_has_typed_lately_nothing_is_waited_for(age_s: float | None) -> None:
    rested = Rested(AtHold(age_s), [(0.0, EMPTY)])

    assert rested.is_at_rest
    assert rested.looks == 0


@given(st.floats(-1.0, RECENT_S, exclude_max=True), st.floats(0.0, 1.0))
def test_a_key_that_is_drawn_as_late_as_was_measured_is_on_the_screen(age_s: float, share: float) -> None:
    drawn_at_s = share * max(DRAWN_WITHIN_S - max(age_s, 0.0), 0.0)

    rested = Rested(AtHold(age_s), [(0.0, DRAFT), (drawn_at_s, LATER)])

    assert rested.is_at_rest
    assert rested.screen == LATER


@given(st.floats(0.0, RECENT_S, exclude_max=True), st.floats(0.0, 0.2), st.floats(0.0, 1.0))
def test_an_agent_that_reads_late_has_drawn_what_it_read(age_s: float, read_at_s: float, share: float) -> None:
    rested = Rested(
        AtHold(age_s, has_unread=True), [(0.0, DRAFT), (read_at_s + share * DRAWN_WITHIN_S, LATER)], read_at_s
    )

    assert rested.is_at_rest
    assert rested.screen == LATER


def test_an_agent_that_does_not_read_is_not_at_rest() -> None:
    rested = Rested(AtHold(0.0, has_unread=True), [(0.0, DRAFT)], read_at_s=10.0)

    assert not rested.is_at_rest
    assert rested.now_s <= RESTS_WITHIN_S + REST_S


def test_a_box_that_goes_on_changing_is_not_at_rest() -> None:
    rested = Rested(AtHold(0.0), [(0.05 * number, box(f"{number}‸")) for number in range(40)])

    assert not rested.is_at_rest


# now, the second of the last press, the last hold; the age that is certain
AGES = (
    (100.9, None, None, None),
    # a key of the second that runs may have come this very moment
    (100.9, 100, None, -0.1),
    (102.5, 100, None, 1.5),
    # pressed long before the last hold, which held nothing back
    (110.0, 100, PastHold(108.0, 109.5), 9.0),
    # pressed during the last hold: let through at its end
    (103.0, 100, PastHold(100.5, 102.4), 0.6),
    # pressed after it
    (110.0, 108, PastHold(100.0, 101.0), 1.0),
)


@pytest.mark.parametrize(("now_s", "pressed_in_s", "past", "age_s"), AGES)
def test_a_key_that_was_held_back_is_as_young_as_the_end_of_its_hold(
    now_s: float, pressed_in_s: int | None, past: PastHold | None, age_s: float | None
) -> None:
    found = age_of_last_key(now_s, pressed_in_s, past)

    assert found == (None if age_s is None else pytest.approx(age_s))
