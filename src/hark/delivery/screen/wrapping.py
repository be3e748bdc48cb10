"""Whether the end of a row on the screen is the end of a line that was typed, or a wrap."""

from unicodedata import combining

SPARE_COLUMNS = 3
"""How many columns at the right an agent may leave free."""


def is_surely_newline(rows: list[str], row: int, room: int) -> bool:
    """Behind this row of a box with so many columns: the next row's first word would have fitted behind it, so it is no wrap."""
    if not rows[row]:
        return True
    text = f"{rows[row]} {_first_word(rows[row + 1])}"
    columns = len(text) if text.isascii() else 2 * len(text)
    return columns <= room - SPARE_COLUMNS


def _first_word(row: str) -> str:
    """A blank that carries a combining mark is none, and no row ends there."""
    rest = row.lstrip(" ")
    words = rest if rest and combining(rest[0]) else row
    is_end = (at for at, letter in enumerate(words) if letter == " " and not combining(words[at + 1 : at + 2] or " "))
    return words[: next(is_end, len(words))]
