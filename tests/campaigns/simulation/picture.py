"""Draws an agent's view as a screen: transcript, rule, box, rule, footer, completions; a dialog or the editor's notice instead."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import overload

from hark.delivery.screen.capture import Row, Rows, Screen, parse_row
from tests.campaigns.simulation.agent import View
from tests.campaigns.simulation.flavour import Flavour
from tests.campaigns.simulation.layout import Collapsed, lay_out

DIM, PLAIN = "\x1b[2m", "\x1b[0m"


@lru_cache(maxsize=32768)
def _row(line: str) -> Row:
    return parse_row(line)[0]


class SharedRows(Rows):
    """The same line is parsed once for all screens; none of ours leaves an attribute on at its end."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__(lines)
        self._rows = [_row(line) for line in lines]

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        return self._rows[index]

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)


def draw(view: View, transcript: list[str], flavour: Flavour) -> Screen:
    if view.front == "box":
        lines, y, x = _box(view, flavour)
    elif view.front == "dialog":
        lines, y, x = ["─" * flavour.columns, " Run rm?", " ❯ 1. Yes", "   2. No"], 2, 1
    else:
        lines, y, x = ["Save and close editor"], 0, 0
    above = wrapped(transcript[max(0, view.lines - flavour.height) : view.lines], flavour.columns)
    rows = above + lines
    cut = max(len(rows) - flavour.height, 0)
    rows = rows[cut:] + [""] * (flavour.height - len(rows))
    return Screen(rows=SharedRows(rows), columns=flavour.columns, cursor_x=x, cursor_y=max(len(above) + y - cut, 0))


def wrapped(lines: list[str], columns: int) -> list[str]:
    return [line[start : start + columns] for line in lines for start in range(0, max(len(line), 1), columns)]


def bare(unit: str) -> str:
    """What an agent draws of a character whose width it knows otherwise than the terminal: its first code point alone."""
    return unit if isinstance(unit, Collapsed) else unit[:1]


def _box(view: View, flavour: Flavour) -> tuple[list[str], int, int]:
    units = tuple(map(bare, view.units)) if flavour.is_drawn_bare else view.units
    layout = lay_out(units, flavour.width, flavour.wraps_words)
    rule = "─" * flavour.columns
    indent = " " * flavour.look.indent
    rows = [f"{indent if index else flavour.prompt}{row}" for index, row in enumerate(layout.rows)]
    if not view.units and flavour.ghost:
        rows[0] += f"{DIM}{flavour.ghost}{PLAIN}"
    footer = ("  busy" if view.is_busy else "  idle") + (" › stashed" if view.is_stashed else "")
    popup = ["  README.md", "  README.txt"] if view.has_popup else []
    y, x = layout.positions[view.cursor]
    return [rule, *rows, rule, footer, *popup], y + 1, x + flavour.look.indent
