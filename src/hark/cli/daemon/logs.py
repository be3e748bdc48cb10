"""hark logs: print the daemon's log from its file, so that it can be read when the daemon is down."""

import json
import os
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from time import sleep
from typing import BinaryIO

import click

from hark import paths
from hark.cli.parameters import json_option
from hark.cli.text import escape_json, key_values, one_line, show
from hark.model.errors import HarkError

POLL_S = 0.2


@click.command()
@click.option("-f", "--follow", is_flag=True, help="Go on printing lines as they are written.")
@click.option(
    "-n", "--lines", default=50, show_default=True, type=click.IntRange(min=0), help="Number of lines to print."
)
@json_option
def command(follow: bool, lines: int, is_json: bool) -> None:
    """Print the last lines of the daemon's log; with --json, print them as they are in the file.

    \b
    Example:
      hark logs -n 200
      hark logs -f
    """
    path = paths.log_path()
    if not follow and not path.exists():
        raise HarkError("not-available", "there is no log yet", f"the daemon writes it to {path}")
    for line in followed(path, lines, lambda: sleep(POLL_S)) if follow else last_lines(path, lines):
        show(escape_json(line) if is_json else log_line(line))


def last_lines(path: Path, count: int) -> list[str]:
    with path.open("rb") as log:
        return [_decode(line) for line in deque(log, maxlen=count)]


def followed(path: Path, count: int, pause: Callable[[], None]) -> Iterator[str]:
    """Yield the last lines and then every new line, without end. If another file replaces the log, read the old one to its end first."""
    log = _open_when_there(path, pause)
    try:
        yield from [_decode(line) for line in deque(log, maxlen=count)]
        while True:
            is_replaced = _is_replaced(log, path)
            yield from _new_lines(log)
            if is_replaced:
                log.close()
                log = _open_when_there(path, pause)
            else:
                pause()
    finally:
        log.close()


def log_line(line: str) -> str:
    """Return a line of the log as `at level message key=value…`; a line that is no JSON object stays as it is."""
    try:
        fields = dict(json.loads(line))
    except (ValueError, TypeError):
        return one_line(line)
    head = [one_line(str(fields.pop(name, "-"))) for name in ("at", "level", "message")]
    return " ".join([*head, key_values(fields)]).rstrip()


def _open_when_there(path: Path, pause: Callable[[], None]) -> BinaryIO:
    while True:
        try:
            return path.open("rb")
        except FileNotFoundError:
            pause()


def _is_replaced(log: BinaryIO, path: Path) -> bool:
    """Return True if another file has replaced the log, or if the log was cut shorter. The caller asks before its last read of the
    old file, so that nothing written in between is lost."""
    try:
        there, read = os.stat(path), os.fstat(log.fileno())
    except FileNotFoundError:
        return False
    return (there.st_dev, there.st_ino) != (read.st_dev, read.st_ino) or there.st_size < log.tell()


def _new_lines(log: BinaryIO) -> Iterator[str]:
    while True:
        start = log.tell()
        line = log.readline()
        if not line.endswith(b"\n"):
            log.seek(start)
            return
        yield _decode(line)


def _decode(line: bytes) -> str:
    return line.decode(errors="replace").rstrip("\n")
