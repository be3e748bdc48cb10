"""How a box lays a text out in rows: hard wraps, and wraps at words that swallow the blank they break at.

A text is a tuple of units: a unit is what one press of an arrow key steps over. It is a character with the marks that join
it, a newline, or a `Collapsed` paste, which is drawn as a stand-in and stepped over as one.
"""

from functools import lru_cache

from wcwidth import wcswidth


class Collapsed(str):
    """A paste that the box does not show. As a string it is what the box draws; the text itself stands beside it."""

    text: str

    def __new__(cls, shown: str, text: str) -> "Collapsed":
        unit = super().__new__(cls, shown)
        unit.text = text
        return unit

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Collapsed) and (str(self), self.text) == (str(other), other.text)

    def __hash__(self) -> int:
        return hash((str(self), self.text))


Units = tuple[str, ...]


class Layout:
    __slots__ = ("positions", "rows")

    def __init__(self, rows: list[str], positions: list[tuple[int, int]]) -> None:
        self.rows = rows
        self.positions = positions
        """Row and column of the cursor before each unit, and behind the last."""

    def index_at(self, row: int, x: int) -> int:
        """The unit at or before that column: where Up and Down come to stand."""
        return max(i for i, (r, column) in enumerate(self.positions) if r == row and (column <= x or column == 0))

    def first_of(self, row: int) -> int:
        return next(i for i, (r, _) in enumerate(self.positions) if r == row)

    def last_of(self, row: int) -> int:
        return max(i for i, (r, _) in enumerate(self.positions) if r == row)


@lru_cache(maxsize=8192)
def width_of(unit: str) -> int:
    return max(wcswidth(unit), 0)


@lru_cache(maxsize=4096)
def units_of(text: str) -> Units:
    if text.isascii():
        return tuple(text)
    units: list[str] = []
    for character in text:
        if units and character != "\n" and units[-1] != "\n" and (not width_of(character) or units[-1][-1] == "\u200d"):
            units[-1] += character
        else:
            units.append(character)
    return tuple(units)


@lru_cache(maxsize=16384)
def lay_out(units: Units, width: int, wraps_words: bool) -> Layout:
    rows: list[str] = []
    positions: list[tuple[int, int]] = []
    start = 0
    for end in [*(i for i, unit in enumerate(units) if unit == "\n"), len(units)]:
        _lay_out_line(units, start, end, width, wraps_words, rows, positions)
        start = end + 1
    row, x = positions[-1]
    if x >= width:
        # Behind a full last row the cursor needs a row of its own.
        rows.append("")
        positions[-1] = (row + 1, 0)
    return Layout(rows, positions)


def _lay_out_line(
    units: Units,
    start: int,
    end: int,
    width: int,
    wraps_words: bool,
    rows: list[str],
    positions: list[tuple[int, int]],
) -> None:
    """Adds the rows of one line, and the positions of its units and of the newline behind it."""
    while True:
        x, at, blank = 0, start, -1
        while at < end and x + (wide := width_of(units[at])) <= width:
            blank = at if units[at] == " " else blank
            x += wide
            at += 1
        dropped = -1
        if at < end and wraps_words:
            dropped = at if units[at] == " " else blank
        stop = at if dropped < 0 else dropped
        if stop == start and dropped < 0 and start < end:
            stop = start + 1
        x = 0
        for index in range(start, stop):
            positions.append((len(rows), x))
            x += width_of(units[index])
        rows.append("".join(units[start:stop]))
        if stop == end and dropped < 0:
            positions.append((len(rows) - 1, x))
            return
        if dropped >= 0:
            positions.append((len(rows) - 1, x))
            stop += 1
        start = stop
