"""What a pane shows: rows of cells, and the cursor. Parsed from tmux's capture with attributes (`capture-pane -e -N`).

A cell is one column. A wide character fills its first cell and leaves the next one empty (""), combining marks join the
cell before them; so column numbers are tmux's own. Ghost cells are drawn dim: suggestions and placeholders, not text that
somebody typed.
"""

import re
from functools import cached_property

from msgspec import Struct
from wcwidth import wcwidth

_TOKEN = re.compile(
    r"\x1b\[([0-9;:]*)m|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][A-Za-z0-9]|([\x0e\x0f])|([^\x1b\x0e\x0f])|\x1b"
)


class Row(Struct, frozen=True, dict=True):
    cells: tuple[str, ...]
    ghost: tuple[bool, ...]

    @cached_property
    def text(self) -> str:
        return "".join(self.cells).rstrip()

    def part(self, start: int, end: int | None = None) -> str:
        """The characters of some columns, trailing spaces included."""
        return "".join(self.cells[start:end])

    def typed(self, start: int, end: int | None = None) -> str:
        """The same without ghost cells."""
        pairs = zip(self.cells[start:end], self.ghost[start:end], strict=True)
        return "".join(cell for cell, is_ghost in pairs if not is_ghost)


class Screen(Struct, frozen=True, kw_only=True):
    rows: tuple[Row, ...]
    columns: int
    cursor_x: int
    cursor_y: int
    is_cursor_visible: bool = True
    is_alternate: bool = False
    """The program draws on the alternate screen: what scrolls off it is on no record."""
    in_mode: bool = False
    """Copy mode, or any other mode of tmux in front of the program."""

    def contains(self, text: str) -> bool:
        return any(text in row.text for row in self.rows) or text in "".join(row.text for row in self.rows)


def parse_row(line: str, dim: bool = False) -> tuple[Row, bool]:
    """One captured line, and whether dim is still on at its end: tmux does not repeat attributes on the next line."""
    cells: list[str] = []
    ghost: list[bool] = []
    for hit in _TOKEN.finditer(line):
        attributes, _, character = hit.groups()
        if attributes is not None:
            dim = _dim_after(attributes, dim)
        elif character is not None:
            width = wcwidth(character)
            if width <= 0 and cells:
                cells[-1 if cells[-1] else -2] += character
                continue
            cells += [character] + [""] * (width - 1)
            ghost += [dim] * max(width, 1)
    return Row(tuple(cells), tuple(ghost)), dim


def parse_rows(lines: list[str]) -> tuple[Row, ...]:
    rows, dim = [], False
    for line in lines:
        row, dim = parse_row(line, dim)
        rows.append(row)
    return tuple(rows)


def _dim_after(attributes: str, dim: bool) -> bool:
    """SGR 2 switches dim on; 0, 22 and the empty list switch it off. Colours (38;5;N, 38;2;R;G;B) are skipped."""
    numbers = [int(n) if n.isdigit() else 0 for n in attributes.split(";")]
    index = 0
    while index < len(numbers):
        match numbers[index]:
            case 0 | 22:
                dim = False
            case 2:
                dim = True
            case 38 | 48 | 58:
                index += {5: 2, 2: 4}.get(numbers[index + 1] if index + 1 < len(numbers) else 0, 0)
        index += 1
    return dim
