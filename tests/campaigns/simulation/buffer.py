"""A text with a cursor, and what keys do to it, by visual rows or by logical lines."""

from tests.campaigns.simulation.layout import Collapsed, Layout, Units, lay_out, width_of


class Buffer:
    __slots__ = ("column", "cursor", "units", "width", "wraps_words")

    def __init__(self, width: int, wraps_words: bool) -> None:
        self.width = width
        self.wraps_words = wraps_words
        self.units: Units = ()
        self.cursor = 0
        self.column: int | None = None
        """The column that a walk over rows keeps to."""

    @property
    def layout(self) -> Layout:
        return lay_out(self.units, self.width, self.wraps_words)

    @property
    def text(self) -> str:
        """Collapsed pastes in full."""
        return expand(self.units)

    def set(self, units: Units, cursor: int | None = None) -> None:
        self.units = units
        self.cursor = len(units) if cursor is None else cursor
        self.column = None

    def insert(self, units: Units) -> None:
        """A mark joins the character before it, and is not taken where there is none."""
        before, behind = self.units[: self.cursor], self.units[self.cursor :]
        if units and not width_of(units[0]) and units[0] != "\n":
            if not before or before[-1] == "\n" or isinstance(before[-1], Collapsed):
                return
            before, units = before[:-1], (before[-1] + units[0], *units[1:])
        self.set(before + units + behind, len(before) + len(units))

    def delete(self, start: int, end: int) -> None:
        self.set(self.units[:start] + self.units[end:], start)

    def move(self, cursor: int) -> None:
        self.cursor = min(max(cursor, 0), len(self.units))
        self.column = None

    def move_row(self, rows: int) -> bool:
        """False at the edge: there is no such row."""
        layout = self.layout
        row, x = layout.positions[self.cursor]
        if not 0 <= row + rows <= layout.positions[-1][0]:
            return False
        column = x if self.column is None else self.column
        self.cursor = layout.index_at(row + rows, column)
        self.column = column
        return True

    def row_start(self) -> int:
        layout = self.layout
        return layout.first_of(layout.positions[self.cursor][0])

    def row_end(self) -> int:
        layout = self.layout
        return layout.last_of(layout.positions[self.cursor][0])

    def line_start(self) -> int:
        start = self.cursor
        while start and self.units[start - 1] != "\n":
            start -= 1
        return start

    def line_end(self) -> int:
        end = self.cursor
        while end < len(self.units) and self.units[end] != "\n":
            end += 1
        return end


def expand(units: Units) -> str:
    return "".join(unit.text if isinstance(unit, Collapsed) else unit for unit in units)
