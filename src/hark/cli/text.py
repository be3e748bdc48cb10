"""How things look on a terminal: aligned tables, colour where it is welcome, times as people say them.

Agents and senders decide much of what a command prints, so all of it leaves through one printer, which writes out what would
drive the terminal: a title, a clipboard, a screen that is cleared, text that runs backwards.
"""

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, TextIO

from hark.model.duration import format_duration

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
    "expired": "red",
    "cancelled": "bright_black",
    "uncertain": "red",
    "dead": "red",
}


_OWN = "\x00" + os.urandom(8).hex()
"""Marks hark's own colours until they are printed; nobody else can know it."""
_CODES = {"red": 31, "green": 32, "yellow": 33, "cyan": 36, "bright_black": 90}
# C0 but newline and tab, DEL, C1; what turns text around; separators of lines; halves of characters.
_DRIVING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def show(text: str, *, nl: bool = True) -> None:
    """Print data for whoever asked: on stdout, and harmless for a terminal."""
    _print(sys.stdout, text + ("\n" if nl else ""))


def show_bytes(data: bytes) -> None:
    """Print bytes as they are, for whoever has asked for just that."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def say(text: str) -> None:
    """Print a message for people: on stderr, so that stdout holds data only."""
    _print(sys.stderr, text + "\n")


def print_json(data: Any) -> None:
    _print(sys.stdout, as_json(data, indent=2) + "\n")


def print_json_line(data: Any) -> None:
    _print(sys.stdout, as_json(data) + "\n")


def as_json(data: Any, indent: int | None = None) -> str:
    """JSON in which nothing drives a terminal: that is written as escapes, which mean the same."""
    return escape_json(json.dumps(data, ensure_ascii=not _is_unicode(sys.stdout), indent=indent))


def escape_json(text: str) -> str:
    return _DRIVING.sub(lambda hit: f"\\u{ord(hit[0]):04x}", text)


def harmless(text: str) -> str:
    """The text with everything that drives a terminal written out, such as \\x1b; newlines, tabs and hark's own colours stay."""
    parts = _OWN_COLOUR.split(text)
    escaped = [_DRIVING.sub(_written_out, part) for part in parts[::2]]
    return escaped[0] + "".join(f"\x1b[{code}m{rest}" for code, rest in zip(parts[1::2], escaped[1:], strict=True))


_OWN_COLOUR = re.compile(re.escape(_OWN) + r"\[(\d+)m")


def _written_out(hit: re.Match[str]) -> str:
    number = ord(hit[0])
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"


def _print(stream: TextIO, text: str) -> None:
    """The only place of the command line from which text leaves. A character that the stream cannot carry is written out."""
    encoding = stream.encoding or "utf-8"
    stream.write(harmless(text).encode(encoding, "backslashreplace").decode(encoding))
    stream.flush()


def _is_unicode(stream: TextIO) -> bool:
    return (stream.encoding or "utf-8").lower().replace("-", "").startswith("utf")


def is_colourful() -> bool:
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and sys.stdout.isatty()


def paint(text: str, colour: str | None) -> str:
    """The text in a colour, where colours are welcome."""
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
    """Left-aligned columns; the last one is cut where the terminal ends, if there is one."""
    lines = [[one_line(cell) for cell in row] for row in (headings, *rows)]
    widths = [max(_width(line[index]) for line in lines) for index in range(len(headings) - 1)]
    room = _room(columns, sum(widths) + len(GAP) * len(widths))
    return "\n".join(_join(line, widths, room, paint) for line in lines)


def _join(line: Sequence[str], widths: Sequence[int], room: int | None, paint: Callable[[str], str]) -> str:
    padded = [paint(cell + " " * (width - _width(cell))) for cell, width in zip(line[:-1], widths, strict=True)]
    return GAP.join([*padded, cut(line[-1], room)]).rstrip()


def _room(columns: int | None, taken: int) -> int | None:
    return None if columns is None else max(10, columns - taken)


def _width(text: str) -> int:
    if text.isascii():
        return len(text)
    from wcwidth import wcswidth

    return max(0, wcswidth(text))


def cut(text: str, room: int | None) -> str:
    if room is None or _width(text) <= room:
        return text
    while _width(text) > room - 1:
        text = text[:-1]
    return text + "…"


def one_line(text: str) -> str:
    """Text that agents and strangers wrote, on one line: what drives a terminal is written out, what is not seen is a blank."""
    written = harmless(text.replace("\r\n", "\n"))
    return "".join(character if character.isprintable() else " " for character in written)


def terminal_columns() -> int | None:
    """None when stdout is no terminal: then nothing is cut, so that scripts get all of it."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns if sys.stdout.isatty() else None
    except (OSError, ValueError):
        return None


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


def between(earlier: str, later: str) -> str:
    """How long it took from one instant of the API to another."""
    return format_duration(max(0.0, (instant(later) - instant(earlier)).total_seconds()))


def clock(text: str) -> str:
    """An instant in the reader's own time zone."""
    return instant(text).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def again(repeat: str) -> str:
    """How a reminder repeats, for people."""
    kind, _, rest = repeat.partition(" ")
    return f"every {format_duration(float(rest))}" if kind == "every" else repeat


def key_values(fields: Mapping[str, Any]) -> str:
    """name=value, quoted as JSON where a plain word would not do."""
    return " ".join(f"{name}={_word(value)}" for name, value in fields.items())


def _word(value: Any) -> str:
    if isinstance(value, str) and value and value.isprintable() and not set(value) & set(" \"'="):
        return value
    return as_json(value)
