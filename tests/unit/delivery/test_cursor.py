"""The cursor is brought back to its place, also where an agent does not count every key."""

from __future__ import annotations

from collections.abc import Callable, Generator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hark.delivery.carriers.cursor import place_of_typing, walk_cursor
from hark.delivery.carriers.steps import Answer, AskUnread, Press, Seen, Step
from hark.delivery.screen.box import Box, read_box
from hark.delivery.screen.capture import Screen
from tests.unit.delivery.screens import DEMO, screen
from tests.unit.delivery.scripted import box

ROWS = ("the first row", "", "and the third one")
RULE = "─" * 60
Effect = Callable[[int], int]
"""How many of so many presses count."""


def drawn(row: int, column: int) -> Screen:
    rows = [text[:column] + "‸" + text[column:] if number == row else text for number, text in enumerate(ROWS)]
    prompted = [f"{'  ' if number else '❯ '}{text}" for number, text in enumerate(rows)]
    return screen("\n".join(["an answer", RULE, *prompted, RULE, "  demo agent · idle"]), columns=60)


class Walker:
    """A box whose cursor follows the keys, as far as they count."""

    def __init__(self, row: int, column: int, effect: Effect, looks_s: float = 0.01) -> None:
        self.row, self.column, self.effect, self.looks_s = row, column, effect, looks_s
        self.now_s = 0.0
        self.presses: list[tuple[str, ...]] = []

    def play(self, walk: Generator[Step, Answer, bool]) -> bool:
        answer: Answer | None = None
        try:
            while True:
                answer = self.answer(next(walk) if answer is None else walk.send(answer))
        except StopIteration as end:
            return bool(end.value)

    def answer(self, step: Step) -> Answer:
        if isinstance(step, AskUnread):
            return False
        self.now_s += self.looks_s
        if not isinstance(step, Press):
            return Seen(drawn(self.row, self.column), self.now_s)
        self.presses.append(step.keys)
        assert len(self.presses) < 100
        for key in step.keys[: self.effect(len(step.keys))]:
            self.press(key)
        return True

    def press(self, key: str) -> None:
        self.row += {"Up": -1, "Down": 1}.get(key, 0)
        self.column += {"Left": -1, "Right": 1}.get(key, 0)
        self.column = min(self.column, len(ROWS[self.row]))


def target(row: int, column: int) -> Box:
    box = read_box(drawn(row, column), DEMO)
    assert box is not None
    return box


EFFECTS: dict[str, Effect] = {
    "every key counts": lambda count: count,
    "a burst counts as one key": lambda count: min(count, 1),
    "a burst is cut short": lambda count: min(count, 3),
}


@pytest.mark.parametrize("effect", EFFECTS.values(), ids=EFFECTS.keys())
@pytest.mark.parametrize(("row", "column"), [(0, 0), (0, 5), (1, 0), (2, 3), (2, 17)])
def test_the_cursor_comes_back_to_its_place(effect: Effect, row: int, column: int) -> None:
    walker = Walker(2, 17, effect)

    assert walker.play(walk_cursor(target(row, column), DEMO))
    assert (walker.row, walker.column) == (row, column)


def test_keys_without_effect_are_given_up() -> None:
    walker = Walker(2, 17, lambda count: 0)

    assert not walker.play(walk_cursor(target(2, 3), DEMO))
    assert len(walker.presses) <= 5


def test_a_walk_that_takes_longer_than_keys_are_held_is_given_up() -> None:
    walker = Walker(2, 17, EFFECTS["a burst counts as one key"], looks_s=0.2)

    assert not walker.play(walk_cursor(target(2, 3), DEMO))
    assert walker.now_s < 3


def test_where_every_key_counts_they_are_pressed_at_once() -> None:
    walker = Walker(2, 17, EFFECTS["every key counts"])

    walker.play(walk_cursor(target(2, 3), DEMO))

    assert walker.presses == [("Left",) * 14]


class SlowReader(Walker):
    """Reads the first keys of a burst at once, and the others only later."""

    def __init__(self, row: int, column: int, read_at_once: int, others_after_s: float) -> None:
        super().__init__(row, column, lambda count: count)
        self.read_at_once, self.others_after_s = read_at_once, others_after_s
        self.unread: list[str] = []
        self.read_at_s = 0.0

    def answer(self, step: Step) -> Answer:
        if self.now_s >= self.read_at_s:
            self.read_all()
        if isinstance(step, AskUnread):
            return bool(self.unread)
        if not isinstance(step, Press):
            self.now_s += self.looks_s
            return Seen(drawn(self.row, self.column), self.now_s)
        self.presses.append(step.keys)
        if not self.unread:
            self.read_at_s = self.now_s + self.others_after_s
        self.unread += step.keys
        for key in self.unread[: self.read_at_once]:
            self.press(key)
        del self.unread[: self.read_at_once]
        return True

    def read_all(self) -> None:
        for key in self.unread:
            self.press(key)
        self.unread = []


@given(st.integers(1, 16), st.floats(0.0, 0.9))
def test_keys_that_the_agent_has_not_read_yet_are_waited_for(read_at_once: int, others_after_s: float) -> None:
    walker = SlowReader(2, 17, read_at_once, others_after_s)

    assert walker.play(walk_cursor(target(2, 3), DEMO))

    walker.read_all()
    assert (walker.row, walker.column) == (2, 3)
    assert walker.presses == [("Left",) * 14]


class LateWalker(Walker):
    """Every key counts, but is drawn only so much later, and so long after the one before. Beyond the draft's first and last row
    its history begins."""

    def __init__(self, row: int, column: int, late_s: float, apart_s: float) -> None:
        super().__init__(row, column, EFFECTS["every key counts"], looks_s=0.05)
        self.late_s, self.apart_s = late_s, apart_s
        self.shown = [(0.0, row, column)]
        self.has_left_draft = False

    def answer(self, step: Step) -> Answer:
        answer = super().answer(step)
        if isinstance(step, Press | AskUnread):
            return answer
        _, row, column = [one for one in self.shown if one[0] <= self.now_s][-1]
        return Seen(drawn(row, column), self.now_s)

    def press(self, key: str) -> None:
        row = self.row + {"Up": -1, "Down": 1}.get(key, 0)
        self.has_left_draft = self.has_left_draft or not 0 <= row < len(ROWS)
        if not self.has_left_draft:
            super().press(key)
            drawn_at_s = max(self.now_s + self.late_s, self.shown[-1][0] + self.apart_s)
            self.shown.append((drawn_at_s, self.row, self.column))


@given(
    start=st.sampled_from(range(len(ROWS))),
    row=st.sampled_from(range(len(ROWS))),
    late_s=st.floats(min_value=0.0, max_value=2.0),
    apart_s=st.floats(min_value=0.0, max_value=0.4),
)
def test_the_draft_is_not_left_for_the_history_where_keys_are_drawn_late(
    start: int, row: int, late_s: float, apart_s: float
) -> None:
    walker = LateWalker(start, 0, late_s, apart_s)

    walker.play(walk_cursor(target(row, 0), DEMO))

    assert not walker.has_left_draft


def boxed(*rows: str) -> Box:
    found = read_box(box(*rows), DEMO)
    assert found is not None
    return found


# what was seen, what came back; where the cursor belongs, None: where the agent has put it
PLACES = (
    # letters typed in the middle
    (("ab‸cd",), ("abxcd",), (0, 3)),
    # erased in the middle
    (("ab‸cd",), ("acd",), (0, 1)),
    # a blank typed before a blank
    (("ab‸ cd",), ("abx cd",), (0, 3)),
    (("ab‸cd",), ("ab cd",), (0, 3)),
    # wide characters take two columns
    (("世‸界",), ("世ü界",), (0, 3)),
    # in a row above others
    (("one‸ two", "three"), ("one! two", "three"), (0, 4)),
    # a row more because of it
    (("on‸e two", "three"), ("on", "e two", "three"), (1, 0)),
    # at the end: there it is
    (("abcd‸",), ("abcdx",), None),
    # something else has come
    (("ab‸cd",), ("ab",), None),
    (("ab‸cd",), ("abcx",), None),
)


@pytest.mark.parametrize(("seen", "back", "place"), PLACES)
def test_the_cursor_goes_where_the_typing_was_when_more_came_back_than_was_seen(
    seen: tuple[str, ...], back: tuple[str, ...], place: tuple[int, int] | None
) -> None:
    before, after = boxed(*seen), boxed(*back[:-1], back[-1] + "‸")

    found = place_of_typing(before, after)

    assert (found and (found.cursor_row, found.cursor_x - found.starts[found.cursor_row])) == place


@given(st.text("ab 世ü", max_size=12), st.text("ab 世ü", max_size=12), st.text("xy", min_size=1, max_size=4))
def test_letters_that_were_not_drawn_are_before_the_cursor(before: str, behind: str, typed: str) -> None:
    seen, back = boxed(f"{before}‸{behind}"), boxed(f"{before}{typed}{behind}‸")

    place = place_of_typing(seen, back)

    true = boxed(f"{before}{typed}‸{behind}").cursor_x if behind.strip() else None
    assert (place and place.cursor_x) == true
