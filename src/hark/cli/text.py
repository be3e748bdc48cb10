"""How things look on a terminal: aligned tables, colour where it is welcome, times as people say them."""

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import click

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


def say(text: str) -> None:
    """A message for people: on stderr, so that stdout holds data only."""
    click.echo(text, err=True)


def print_json(data: Any) -> None:
    click.echo(json.dumps(data, ensure_ascii=False, indent=2))


def print_json_line(data: Any) -> None:
    click.echo(json.dumps(data, ensure_ascii=False))


def is_colourful() -> bool:
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and sys.stdout.isatty()


def paint_status(padded: str) -> str:
    colour = _COLOURS.get(padded.strip())
    return click.style(padded, fg=colour) if colour and is_colourful() else padded


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
    """Text that agents and strangers wrote, made harmless for a terminal: no line breaks, no control characters."""
    return "".join(character if character.isprintable() else " " for character in text)


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
    return json.dumps(value, ensure_ascii=False)
