"""Writes what the campaign has found into docs/signals.md, between two marks; the rest of the page is written by people."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from tests.agents.signals.campaign import Outcome

PAGE = Path(__file__).parents[3] / "docs/signals.md"
WAYS = ("started", "installed", "bare")
BEGIN, END = "<!-- signals: written by make signals -->", "<!-- end of signals -->"
HEAD = "| agent | way | announced | heard once each | missed | doubled | made up | in order | heard by | daemon restarts | changes of size | new conversations | seconds | seed | day |"


def write(outcomes: Sequence[Outcome], seed: int, at: datetime) -> None:
    """In the place of the rows of the same agents in the same ways; the others stay."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    table, _, after = rest.partition(END)
    new = {key(line): line for one in outcomes for line in lines(one, seed, at)}
    rows = {key(line): line for line in table.splitlines() if key(line)[1:2] and key(line)[1] in WAYS} | new
    text = "\n".join((HEAD, "|" + "---|" * (HEAD.count("|") - 1), *sorted(rows.values(), key=place)))
    PAGE.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


def key(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in line.split("|")[1:3])


def place(line: str) -> tuple[int, str]:
    agent, way = key(line)
    return WAYS.index(way), agent


def lines(one: Outcome, seed: int, at: datetime) -> list[str]:
    by = ", ".join(f"{source} {count}" for source, count in sorted(one.sources.items()))
    counts = (len(one.missed), len(one.doubled), len(one.false))
    found = (one.kind, one.way, one.expected, one.heard, *counts, "yes" if one.in_order else "no", by)
    cells = (*found, one.restarts, one.resizes, one.clears, f"{one.seconds:.0f}", seed, f"{at:%Y-%m-%d}")
    return ["| " + " | ".join(str(cell) for cell in cells) + " |"]
