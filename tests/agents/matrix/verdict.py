"""What became of a cell: `exact`, `held: REASON` or `wrong: WHAT`. Nothing else, and only `wrong` fails."""

from __future__ import annotations

import msgspec


class Wrong(Exception):
    """Something was lost, changed, doubled, answered or interrupted."""


class Verdict(msgspec.Struct, frozen=True):
    words: str

    @property
    def is_wrong(self) -> bool:
        return self.words.startswith("wrong")


EXACT = Verdict("exact")
NOT_THERE = Verdict("–")
"""The agent has no such situation."""


def held(reason: str) -> Verdict:
    return Verdict(f"held: {reason}")


def wrong(what: str) -> Verdict:
    return Verdict(f"wrong: {what}")


def summary(verdicts: list[Verdict]) -> str:
    """Of all cells of one row: what they have in common, or each that differs."""
    return ", ".join(dict.fromkeys(verdict.words for verdict in verdicts))
