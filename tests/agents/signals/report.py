"""Writes what the campaign has found into docs/signals.md, between two marks; the rest of the page is written by people."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from tests.agents.signals.campaign import Outcome

PAGE = Path(__file__).parents[3] / "docs/signals.md"
BEGIN, END = "<!-- signals: written by make signals -->", "<!-- end of signals -->"
HEAD = "| agent | way | announced | heard once each | missed | doubled | made up | in order | heard by | daemon restarts | changes of size | new conversations | seconds |"


def write(outcomes: Sequence[Outcome], seed: int, turns: int, at: datetime) -> None:
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n{table(outcomes, seed, turns, at)}\n{END}{after}", encoding="utf-8")


def table(outcomes: Sequence[Outcome], seed: int, turns: int, at: datetime) -> str:
    note = f"Seed {seed}, {turns} turns each, {at:%Y-%m-%d}."
    lines = [HEAD, "|" + "---|" * HEAD.count(" | ") + "---|", *(row(one) for one in outcomes)]
    return "\n".join((note, "", *lines, *details(outcomes)))


def row(one: Outcome) -> str:
    by = ", ".join(f"{source} {count}" for source, count in sorted(one.sources.items()))
    counts = (len(one.missed), len(one.doubled), len(one.false))
    cells = (one.kind, one.way, one.expected, one.heard, *counts, "yes" if one.in_order else "no", by)
    return (
        "| "
        + " | ".join(str(cell) for cell in (*cells, one.restarts, one.resizes, one.clears, f"{one.seconds:.0f}"))
        + " |"
    )


def details(outcomes: Sequence[Outcome]) -> list[str]:
    lines = [""]
    for one in outcomes:
        for what, signals in (("missed", one.missed), ("doubled", one.doubled), ("made up", one.false)):
            lines += [f"- {one.kind}, {one.way}, {what}: {state} `{text[:80]}`" for state, text in signals]
    return lines if len(lines) > 1 else []
