"""Formats what commands print: aligned tables, colour if the terminal takes it, times as people say them.

Agents and senders decide much of what a command prints, so all text leaves through one printer. It shows every character that
would drive the terminal as an escape: characters that set a title or the clipboard, clear the screen, or let text run backwards.
"""

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, TextIO

from hark.model.text.duration import format_duration

GAP = "  "
_COLOURS = {
    "running": "green",
    "gone": "bright_black",
    "queued": "cyan",
    "held": "yellow",
    "staged": "cyan",
    "submitted": "green",
    "acknowledged": "green",
    "completed": "green",
    "interrupted": "yellow",
    "failed": "red",
    "expired": "red",
    "cancelled": "bright_black",
    "uncertain": "red",
    "dead": "red",
}


_OWN = "\x00" + os.urandom(8).hex()
"""The random mark in front of hark's own colours until they are printed; no agent or sender can know this mark."""
_CODES = {"red": 31, "green": 32, "yellow": 33, "cyan": 36, "bright_black": 90}
# Characters that drive a terminal: C0 except newline and tab, DEL, C1; marks that change the direction of text; line separators;
# surrogates (halves of characters).
_DRIVING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def show(text: str, *, nl: bool = True) -> None:
    """Print data on stdout, with everything that would drive a terminal as escapes."""
    _print(sys.stdout, text, "\n" if nl else "")


def redraw(text: str) -> None:
    """Show the text in place of what the terminal shows now, cut to the height of the terminal. If stdout is no terminal, print the
    text and an empty line."""
    if not sys.stdout.isatty():
        show(text + "\n")
        return
    lines = text.split("\n")[: max(1, _terminal_rows() - 1)]
    # Home, then each line in its erased row, then everything below is erased: unlike clearing first, this does not flicker.
    sys.stdout.write("\x1b[H")
    _print(sys.stdout, "".join(f"{_OWN}[K{line}\n" for line in lines), end="\x1b[J")


def show_bytes(data: bytes) -> None:
    """Print bytes as they are, for a user who has asked for just that."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def say(text: str, *, is_raw: bool = False) -> None:
    """Print a message for people on stderr, so that stdout holds data only. `is_raw` ends the line with a carriage return as well,
    which a terminal in raw mode needs."""
    _print(sys.stderr, text, "\r\n" if is_raw else "\n")


def print_json(data: Any) -> None:
    _print(sys.stdout, as_json(data, indent=2))


def print_json_line(data: Any) -> None:
    _print(sys.stdout, as_json(data))


def as_json(data: Any, indent: int | None = None) -> str:
    """Return JSON in which characters that would drive a terminal are written as escapes, which mean the same."""
    return escape_json(json.dumps(data, ensure_ascii=not _is_unicode(sys.stdout), indent=indent))


def escape_json(text: str) -> str:
    return _DRIVING.sub(lambda hit: f"\\u{ord(hit[0]):04x}", text)


def harmless(text: str) -> str:
    """Return the text with every character that drives a terminal as an escape, such as \\x1b; newlines, tabs and hark's own colours
    stay."""
    parts = _OWN_COLOUR.split(text)
    escaped = [_DRIVING.sub(_written_out, part) for part in parts[::2]]
    return escaped[0] + "".join(f"\x1b[{code}{rest}" for code, rest in zip(parts[1::2], escaped[1:], strict=True))


_OWN_COLOUR = re.compile(re.escape(_OWN) + r"\[(\d+m|K)")


def _written_out(hit: re.Match[str]) -> str:
    number = ord(hit[0])
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"


def _print(stream: TextIO, text: str, end: str = "\n") -> None:
    """Print text: every text of the command line leaves here. A character that the stream cannot carry is written as an escape."""
    encoding = stream.encoding or "utf-8"
    stream.write(harmless(text).encode(encoding, "backslashreplace").decode(encoding) + end)
    stream.flush()


def _is_unicode(stream: TextIO) -> bool:
    return (stream.encoding or "utf-8").lower().replace("-", "").startswith("utf")


def is_colourful() -> bool:
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and sys.stdout.isatty()


def paint(text: str, colour: str | None) -> str:
    """Return the text in a colour if stdout is a terminal that takes colours, else the plain text."""
    return f"{_OWN}[{_CODES[colour]}m{text}{_OWN}[0m" if colour and is_colourful() else text


def paint_status(padded: str) -> str:
    return paint(padded, _COLOURS.get(padded.strip()))


def table(
    headings: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    paint: Callable[[str], str] = paint_status,
    columns: int | None = None,
) -> str:
    """Return the rows in left-aligned columns. If the terminal is too narrow, cut the widest columns, but none below READABLE; if
    that is not enough, make each row a block of lines."""
    lines = [[one_line(cell) for cell in row] for row in (headings, *rows)]
    widths = [max(_width(line[index]) for line in lines) for index in range(len(headings))]
    if columns is not None:
        fitting = fit(widths, columns - len(GAP) * (len(widths) - 1))
        if fitting is None:
            return "\n\n".join(_block(lines[0], line, columns, paint) for line in lines[1:])
        widths = fitting
    return "\n".join(_join(line, widths, paint) for line in lines)


READABLE = 12
"""The width to which a column of a table may be cut, in characters: an id is this long."""


def fit(widths: Sequence[int], room: int) -> list[int] | None:
    """Return the widths, with the widest cut down until all fit into the room; None if the room is not enough."""
    fitting = list(widths)
    while (over := sum(fitting) - room) > 0:
        widest = max(fitting)
        if widest <= READABLE:
            return None
        next_widest = max((width for width in fitting if width < widest), default=0)
        count = fitting.count(widest)
        shorter = max(READABLE, next_widest, widest - -(-over // count))
        fitting = [min(width, shorter) for width in fitting]
    return fitting


def _join(line: Sequence[str], widths: Sequence[int], paint: Callable[[str], str]) -> str:
    cells = [cut(cell, width) for cell, width in zip(line, widths, strict=True)]
    padded = [paint(cell + " " * (width - _width(cell))) for cell, width in zip(cells[:-1], widths, strict=False)]
    return GAP.join([*padded, cells[-1]]).rstrip()


def _block(headings: Sequence[str], line: Sequence[str], columns: int, paint: Callable[[str], str]) -> str:
    first = max(map(_width, headings))
    room = max(1, columns - first - len(GAP))
    rows = [(heading, cut(cell, room)) for heading, cell in zip(headings, line, strict=True) if cell]
    return "\n".join(f"{heading:<{first}}{GAP}{paint(cell)}".rstrip() for heading, cell in rows)


def _width(text: str) -> int:
    if text.isascii():
        return len(text)
    from wcwidth import wcswidth

    return max(0, wcswidth(text))


def cut(text: str, room: int | None) -> str:
    if room is None or _width(text) <= room:
        return text
    while text and _width(text) > room - 1:
        text = text[:-1]
    return text + "…"


def one_line(text: str) -> str:
    """Return text that agents and strangers wrote on one line: show what drives a terminal as escapes, other invisible characters as
    blanks."""
    written = harmless(text.replace("\r\n", "\n"))
    return "".join(character if character.isprintable() else " " for character in written)


def terminal_columns() -> int | None:
    """Return the width of the terminal; None if stdout is no terminal: then nothing is cut, so that scripts get all of the text."""
    if not sys.stdout.isatty():
        return None
    if (wanted := os.environ.get("COLUMNS", "")).isascii() and wanted.isdigit() and int(wanted) > 0:
        return int(wanted)
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or None
    except (OSError, ValueError):
        return None


def _terminal_rows() -> int:
    try:
        return os.get_terminal_size(sys.stdout.fileno()).lines or 24
    except (OSError, ValueError):
        return 24


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


def between(earlier: str, later: str) -> str:
    """Return the time between two instants of the API, as people write a duration."""
    return format_duration(max(0.0, (instant(later) - instant(earlier)).total_seconds()))


def clock(text: str) -> str:
    """Return an instant of the API in the reader's own time zone."""
    return instant(text).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def again(repeat: str) -> str:
    """Return in words for people how a reminder repeats."""
    kind, _, rest = repeat.partition(" ")
    return f"every {format_duration(float(rest))}" if kind == "every" else repeat


def key_values(fields: Mapping[str, Any]) -> str:
    """Format name=value pairs; write a value that is not one plain word as JSON."""
    return " ".join(f"{name}={_word(value)}" for name, value in fields.items())


def _word(value: Any) -> str:
    if isinstance(value, str) and value and value.isprintable() and not set(value) & set(" \"'="):
        return value
    return as_json(value)
