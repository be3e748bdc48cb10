"""The cursor is brought back to its place, also where an agent does not count every key."""

from __future__ import annotations

from collections.abc import Callable, Generator

import pytest

from hark.delivery.box import Box, read_box
from hark.delivery.cursor import walk_cursor
from hark.delivery.screen import Screen
from hark.delivery.steps import Answer, Press, Seen, Step
from tests.delivery.screens import DEMO, screen

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
