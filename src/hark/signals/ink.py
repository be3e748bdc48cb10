"""Reads the colours of a captured screen (`capture-pane -e`), as far as they tell whose words a row holds.

An agent draws its own words in one colour on one background. Code within a sentence has another colour, and a panel beside the
words has another background; without colours both look exactly like words. tmux does not repeat colours at the beginning of a
row, so all rows are read in order.
"""

import re
from collections.abc import Sequence

from msgspec import Struct

_SEQUENCE = re.compile(r"(\x1b\[[0-9;:]*m|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][A-Za-z0-9]|[\x0e\x0f]|\x1b)")
_COLOUR_PARTS = {"5": 3, "2": 5}
"""The number of parameters that describe a colour, by the parameter that follows 38 or 48."""


class Ink(Struct, frozen=True):
    """A text colour and the background behind it, as tmux writes them; empty for the terminal's own."""

    foreground: str = ""
    background: str = ""


class Drawn(Struct, frozen=True):
    """A row of a screen: its text without trailing blanks, and the places in it where each ink begins."""

    text: str
    inks: tuple[tuple[int, Ink], ...] = ((0, Ink()),)

    def ink_at(self, place: int) -> Ink:
        return next(ink for start, ink in reversed(self.inks) if start <= place)


def read_drawn(lines: Sequence[str]) -> list[Drawn]:
    """Read the rows of a screen that was captured with its colours."""
    drawn, ink = [], Ink()
    for line in lines:
        row, ink = _read_row(line, ink)
        drawn.append(row)
    return drawn


def without_panels(row: Drawn) -> Drawn:
    """Cut the row off where its background changes: what follows stands in a panel."""
    first = row.ink_at(0)
    end = next((start for start, ink in row.inks if ink.background != first.background), None)
    return row if end is None else Drawn(row.text[:end].rstrip(), row.inks)


def _read_row(line: str, ink: Ink) -> tuple[Drawn, Ink]:
    if line.isprintable():
        return Drawn(line.rstrip(), ((0, ink),)), ink
    text, inks = "", {0: ink}
    for number, part in enumerate(_SEQUENCE.split(line)):
        if number % 2 == 0:
            text += part
        elif part.endswith("m") and part.startswith("\x1b["):
            ink = _ink_after(part[2:-1], ink)
            inks[len(text)] = ink
    return Drawn(text.rstrip(), tuple(inks.items())), ink


def _ink_after(attributes: str, ink: Ink) -> Ink:
    foreground, background = ink.foreground, ink.background
    parts = attributes.split(";")
    while parts:
        head, *parts = parts
        kind = head.partition(":")[0]
        if kind in ("38", "48"):
            rest = 0 if ":" in head else _COLOUR_PARTS.get(parts[0] if parts else "", 1) - 1
            colour, parts = ";".join((head, *parts[:rest])), parts[rest:]
            foreground, background = (colour, background) if kind == "38" else (foreground, colour)
        elif re.fullmatch(r"0*", kind):
            foreground = background = ""
        elif re.fullmatch(r"39|3[0-7]|9[0-7]", kind):
            foreground = "" if kind == "39" else kind
        elif re.fullmatch(r"49|4[0-7]|10[0-7]", kind):
            background = "" if kind == "49" else kind
    return Ink(foreground, background)
