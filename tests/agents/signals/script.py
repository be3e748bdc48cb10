"""What an agent is made to say: markers among prose, code blocks and quotes, some of them in words that it has used before."""

from __future__ import annotations

import random

import msgspec

STATES = ("completed", "needs_input", "needs_testing", "error", "working")
NAMESPACES = ("hark", "schmux")
WORDS = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "naïve",
    "漢字",
    "tests",
    "pass",
    "the",
    "build",
    "of",
    "module",
    "seven",
    "which",
    "database",
    "shall",
    "I",
    "use",
    "now",
]
LONG = "a text that is longer than one row of the window and has to be wrapped by whoever draws it, "


class Spoken(msgspec.Struct, frozen=True):
    reply: str
    markers: tuple[tuple[str, str], ...]
    """State and text of those that count, in order."""
    decoy: str
    """A marker for the prompt: it does not count."""


def write_turns(dice: random.Random, markers: int, turns: int) -> list[Spoken]:
    each = [markers // turns + (number < markers % turns) for number in range(turns)]
    spoken: list[Spoken] = []
    for number, count in enumerate(each):
        earlier = [one for turn in spoken for one in turn.markers]
        spoken.append(_write_turn(dice, number, count, earlier))
    return spoken


def _write_turn(dice: random.Random, number: int, count: int, earlier: list[tuple[str, str]]) -> Spoken:
    announced = [_marker(dice, f"{number}.{one}") for one in range(count)]
    if earlier and count:
        # The same words as in an earlier turn: they count again.
        announced[dice.randrange(count)] = dice.choice(earlier)
    parts = [_prose(dice)]
    for state, text in announced:
        parts += [_aside(dice, number), _wrapped(dice, _written(dice, state, text)), _prose(dice)]
    return Spoken("\n\n".join(parts), tuple(announced), _written(dice, "completed", f"decoy of prompt {number}"))


def _marker(dice: random.Random, name: str) -> tuple[str, str]:
    words = " ".join(dice.choice(WORDS) for _ in range(dice.randrange(1, 7)))
    return dice.choice(STATES), f"{LONG if dice.random() < 0.15 else ''}{words} {name}"


def _written(dice: random.Random, state: str, text: str) -> str:
    return f"--<[{dice.choice(NAMESPACES)}:{state}:{text}]>--"


def _wrapped(dice: random.Random, marker: str) -> str:
    """Alone in its paragraph, or a line between others."""
    return marker if dice.random() < 0.7 else f"Some words before it\n{marker}\nand some behind it."


def _prose(dice: random.Random) -> str:
    return " ".join(dice.choice(WORDS) for _ in range(dice.randrange(5, 60))) + "."


def _aside(dice: random.Random, number: int) -> str:
    """Something that holds a marker and announces nothing."""
    marker = _written(dice, "completed", f"decoy {dice.randrange(10**6)} of turn {number}")
    return dice.choice(
        (
            f"```\n{marker}\n```",
            f"```python\nx = 1\n{marker}\n```",
            f"~~~~\n```\n{marker}\n~~~~",
            f"> {marker}",
            f"`{marker}`",
            f"Print {marker} when you are done.",
            f"- {marker}",
            f"No words:\n\n    {marker}",
            _prose(dice),
        )
    )
