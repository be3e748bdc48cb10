"""Shows bytes in a fresh tmux pane, and reads panes cell by cell: tmux itself is the judge of what a terminal would show."""

from __future__ import annotations

import re
import shlex
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.integration.end_to_end.calling import DEADLINE_S

FACTS = (
    "cursor_x cursor_y cursor_flag alternate_on scroll_region_upper scroll_region_lower insert_flag wrap_flag origin_flag "
    "keypad_flag keypad_cursor_flag mouse_standard_flag mouse_button_flag mouse_sgr_flag"
)
_FORMAT = " ".join(f"#{{{name}}}" for name in FACTS.split())
_SGR = re.compile(r"\x1b\[([0-9;:]*)m|[\x0e\x0f]|\x1b[()].")

Cell = tuple[str, tuple[tuple[str, str], ...]]


class Shown(NamedTuple):
    """What a pane shows: its rows with the history above them, cell by cell, and its cursor and modes."""

    rows: list[list[Cell]]
    facts: dict[str, str]


class Tmux:
    def __init__(self, socket: Path) -> None:
        self._socket = socket

    def run(self, *words: str) -> str:
        done = subprocess.run(
            ["tmux", "-u", "-S", str(self._socket), "-f", "/dev/null", *words],
            capture_output=True,
            encoding="utf-8",
            timeout=DEADLINE_S,
            check=False,
        )
        assert done.returncode == 0, f"tmux {shlex.join(words)}: {done.stderr}"
        return done.stdout

    def shown(self, target: str, history: int = 0) -> Shown:
        start = str(-history) if history else "0"
        text = self.run("capture-pane", "-p", "-e", "-N", "-S", start, "-t", target)
        facts = self.run("display-message", "-p", "-t", target, _FORMAT).split()
        return Shown(cells(text), dict(zip(FACTS.split(), facts, strict=True)))


@contextmanager
def fresh_tmux(folder: Path) -> Iterator[Tmux]:
    tmux = Tmux(folder / "replay")
    tmux.run("new-session", "-d", "-s", "keep", "sleep 1000")
    tmux.run("set-option", "-g", "history-limit", "50000")
    try:
        yield tmux
    finally:
        tmux.run("kill-server")


def replay(tmux: Tmux, folder: Path, data: bytes, columns: int, rows: int, history: int = 0) -> Shown:
    """Return what a terminal of that size shows after these bytes. A title at their end says that all were read."""
    name = f"r{time.monotonic_ns()}"
    (folder / name).write_bytes(data + b"\x1b]2;replayed\x07")
    command = f"stty raw -echo; cat {shlex.quote(str(folder / name))}; exec sleep 1000"
    tmux.run("new-session", "-d", "-s", name, "-x", str(columns), "-y", str(rows), command)
    until_s = time.monotonic() + DEADLINE_S
    while tmux.run("display-message", "-p", "-t", name, "#{pane_title}").strip() != "replayed":
        assert time.monotonic() < until_s, "the bytes were not replayed"
        time.sleep(0.01)
    shown = tmux.shown(name, history)
    tmux.run("kill-session", "-t", name)
    return shown


def cells(text: str) -> list[list[Cell]]:
    """Return the rows of a capture as characters with their attributes; blank cells without attributes at the end of a row do not count."""
    pen: dict[str, str] = {}
    rows = []
    for line in text.split("\n")[:-1]:
        row: list[Cell] = []
        at = 0
        for found in _SGR.finditer(line):
            row += [(one, tuple(sorted(pen.items()))) for one in line[at : found.start()]]
            if found[1] is not None:
                change(pen, found[1])
            at = found.end()
        row += [(one, tuple(sorted(pen.items()))) for one in line[at:]]
        while row and row[-1] == (" ", ()):
            row.pop()
        rows.append(row)
    while rows and not rows[-1]:
        rows.pop()
    return rows


_NAMES = {"1": "bold", "2": "dim", "3": "italics", "4": "underline", "7": "reverse", "9": "strike"}
_ENDS = {"22": ("bold", "dim"), "23": ("italics",), "24": ("underline",), "27": ("reverse",), "29": ("strike",)}


def change(pen: dict[str, str], parameters: str) -> None:
    words = iter(parameters.replace(":", ";").split(";"))
    for word in words:
        if word in ("", "0"):
            pen.clear()
        elif word in _NAMES:
            pen[_NAMES[word]] = "on"
        elif word in _ENDS:
            for name in _ENDS[word]:
                pen.pop(name, None)
        elif word in ("38", "48"):
            kind = next(words)
            count = 1 if kind == "5" else 3
            pen["fg" if word == "38" else "bg"] = ";".join([kind, *(next(words) for _ in range(count))])
        elif word in ("39", "49"):
            pen.pop("fg" if word == "39" else "bg", None)
        else:
            pen["bg" if word.startswith(("4", "10")) else "fg"] = word
