"""Whether the end of a row on the screen is the end of a line that was typed, or a wrap."""

from unicodedata import combining

SPARE_COLUMNS = 3
"""The number of columns at the right that an agent may leave free."""


def is_surely_newline(rows: list[str], row: int, room: int) -> bool:
    """Return whether a newline, and not a wrap, ends this row of a box that is `room` columns wide. A wrap is ruled out if the first
    word of the next row would still have fitted into this row."""
    if not rows[row]:
        return True
    text = f"{rows[row]} {_first_word(rows[row + 1])}"
    columns = len(text) if text.isascii() else 2 * len(text)
    return columns <= room - SPARE_COLUMNS


def _first_word(row: str) -> str:
    """Return the first word of a row. A blank that carries a combining mark does not end a word, and no row is wrapped there."""
    rest = row.lstrip(" ")
    words = rest if rest and combining(rest[0]) else row
    is_end = (at for at, letter in enumerate(words) if letter == " " and not combining(words[at + 1 : at + 2] or " "))
    return words[: next(is_end, len(words))]
