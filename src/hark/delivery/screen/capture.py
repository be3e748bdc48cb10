"""What a pane shows: rows of cells, and the cursor, parsed from tmux's capture with attributes (`capture-pane -e -N`).

A cell is one column. A wide character fills its first cell and leaves the next cell empty (""), and combining marks join the cell
before them; so column numbers are tmux's own. Ghost cells are drawn dim: they hold suggestions and hints, not text that somebody
typed.
"""

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import overload

from msgspec import Struct
from wcwidth import wcwidth

# The sequences that capture-pane -e writes beside text: SGR, hyperlinks, character sets.
_SEQUENCE = re.compile(r"(\x1b\[[0-9;:]*m|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][A-Za-z0-9]|[\x0e\x0f]|\x1b)")
_SGR = re.compile(r"\x1b\[([0-9;:]*)m")
_width = lru_cache(maxsize=4096)(wcwidth)

# Characters whose width in tmux differs from the tables of wcwidth.
_JOINER = "\u200d"
_FLAG_LETTERS = frozenset(map(chr, range(0x1F1E6, 0x1F200)))
_WIDENING = "\ufe0f"
_SKIN_TONES = frozenset(map(chr, range(0x1F3FB, 0x1F400)))
_WIDE_SINCE_3_4 = frozenset("\u261d\u26f9\u270c\u270d\U0001f3cb\U0001f3cc\U0001f574\U0001f575\U0001f590")
# The number for an attribute with sub-parameters, such as a curly underline (4:3): no such attribute is dim.
_OTHER = -1


class Widths(Struct, frozen=True):
    """How a version of tmux lays emoji out in cells."""

    emoji_are_wide: bool = False
    """True from tmux 3.4 on: a character that a selector makes an emoji fills two cells, and a skin tone joins the cell before it."""
    shows_second_cell: bool = False
    """True for tmux 3.4: it shows the second cell of a character that a selector makes an emoji as a blank."""


OLD_WIDTHS = Widths()


class Row(Struct, frozen=True, dict=True):
    cells: tuple[str, ...]
    ghost: tuple[bool, ...]

    @cached_property
    def text(self) -> str:
        return "".join(self.cells).rstrip(" ")

    def part(self, start: int, end: int | None = None) -> str:
        """Return the characters of these columns, trailing spaces included."""
        return "".join(self.cells[start:end])

    def typed(self, start: int, end: int | None = None) -> str:
        """Return the characters of these columns without ghost cells, trailing spaces included."""
        pairs = zip(self.cells[start:end], self.ghost[start:end], strict=True)
        return "".join(cell for cell, is_ghost in pairs if not is_ghost)


class Screen(Struct, frozen=True, kw_only=True):
    rows: "Rows"
    columns: int
    cursor_x: int
    cursor_y: int
    is_cursor_visible: bool = True
    is_alternate: bool = False
    """True if the program draws on the alternate screen: nothing keeps a record of what scrolls off that screen."""
    in_mode: bool = False
    """True if copy mode, or any other mode of tmux, stands in front of the program."""
    title: str = ""
    """The title that the program gives its window."""

    def contains(self, text: str) -> bool:
        """Return whether the screen shows this text, also if a wrap cuts it in two."""
        return any(text in line for line in self.rows.plain) or text in "".join(
            line.strip() for line in self.rows.plain
        )


@lru_cache(maxsize=2048)
def parse_row(line: str, dim: bool = False, widths: Widths = OLD_WIDTHS) -> tuple[Row, bool]:
    """Parse one captured line. Return its row, and whether dim is still on at its end, because tmux does not repeat attributes on the
    next line. Results are cached: from one look at a screen to the next most of its lines are the same."""
    cells: list[str] = []
    ghost: list[bool] = []
    for index, part in enumerate(_SEQUENCE.split(line)):
        if index % 2 == 0:
            _add_cells(part, cells, widths)
            ghost += [dim] * (len(cells) - len(ghost))
        elif part.endswith("m"):
            dim = _dim_after(part[2:-1], dim)
    return Row(tuple(cells), tuple(ghost)), dim


def _add_cells(text: str, cells: list[str], widths: Widths) -> None:
    if text.isascii() and not (widths.shows_second_cell and cells and cells[-1].endswith(_WIDENING)):
        cells += text
        return
    for character in text:
        before = -1 if cells and cells[-1] else -2
        if character == " " and widths.shows_second_cell and cells and _is_widened(cells[-1]):
            cells += [""]
        elif cells and _joins(character, cells[before], widths):
            cells[before] += character
            if widths.emoji_are_wide and not widths.shows_second_cell and before == -1 and _is_widened(cells[-1]):
                cells += [""]
        elif (width := _cells_of(character, widths)) > 0:
            cells += [character] + [""] * (width - 1)


def _is_widened(cell: str) -> bool:
    """Return whether the cell holds a narrow character whose last mark makes it an emoji."""
    return cell.endswith(_WIDENING) and cell.count(_WIDENING) == 1


def _joins(character: str, cell: str, widths: Widths) -> bool:
    """Return whether the character becomes part of the cell before it."""
    if widths.emoji_are_wide and character in _SKIN_TONES:
        return not cell.isascii()
    return _cells_of(character, widths) <= 0 or cell.endswith(_JOINER)


def _cells_of(character: str, widths: Widths) -> int:
    if character in _FLAG_LETTERS:
        return 1
    return 2 if widths.emoji_are_wide and character in _WIDE_SINCE_3_4 else _width(character)


class Rows(Sequence[Row]):
    """The rows of a capture, each parsed when it is first used: a delivery uses only a few of them."""

    def __init__(self, lines: Sequence[str], widths: Widths = OLD_WIDTHS) -> None:
        self.lines = tuple(lines)
        self._widths = widths
        self._parsed: dict[int, Row] = {}

    def __len__(self) -> int:
        return len(self.lines)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        index = range(len(self))[index]
        if index not in self._parsed:
            self._parsed[index] = parse_row(self.lines[index], self._dim_before[index], self._widths)[0]
        return self._parsed[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rows) and self.lines == other.lines

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def plain(self) -> list[str]:
        return [_SEQUENCE.sub("", line).rstrip() for line in self.lines]

    @cached_property
    def _dim_before(self) -> list[bool]:
        before = [False]
        for line in self.lines:
            dim = before[-1]
            for attributes in _SGR.findall(line) if "\x1b" in line else ():
                dim = _dim_after(attributes, dim)
            before.append(dim)
        return before


def parse_rows(lines: Sequence[str], widths: Widths = OLD_WIDTHS) -> Rows:
    return Rows(lines, widths)


def _dim_after(attributes: str, dim: bool) -> bool:
    """Return whether dim is on after these attributes. SGR 2 switches dim on; 0, 22 and the empty list switch it off. Colours (38;5;N,
    38;2;R;G;B) are skipped."""
    numbers = [int(n or 0) if ":" not in n else _OTHER for n in attributes.split(";")]
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
