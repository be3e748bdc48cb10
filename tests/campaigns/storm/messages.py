"""The messages of a storm: each unlike any other, in capitals; some of several lines, some beyond ASCII."""

from __future__ import annotations

import string
from random import Random

from tests.campaigns.storm.person import tag

LETTERS = string.ascii_uppercase + "ΔΩ漢字✓"
WORDS = ("BUILD", "OF", "MAIN", "IS", "GREEN", "AGAIN", "REVIEW", "WAITS", "FOR", "YOU", "DEPLOY", "DONE", "RETRY")
UNICODE = ("ΔΩ", "漢字", "✓")
SEVERAL_LINES = 0.25
BEYOND_ASCII = 0.25


def compose(dice: Random, number: int) -> str:
    words = [tag(number, "m").upper(), *dice.choices(WORDS, k=dice.randint(3, 12))]
    if dice.random() < BEYOND_ASCII:
        words.insert(dice.randint(1, len(words)), dice.choice(UNICODE))
    breaks = dice.sample(range(1, len(words)), min(dice.randint(1, 3), len(words) - 1))
    is_several = dice.random() < SEVERAL_LINES
    return "".join(word + _end(index + 1, len(words), breaks if is_several else []) for index, word in enumerate(words))


def _end(index: int, count: int, breaks: list[int]) -> str:
    if index == count:
        return ""
    return "\n" if index in breaks else " "
