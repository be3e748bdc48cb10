"""One look at a pane: its rows and its cursor, taken in one call so that they belong together."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from tests.support.terminals import PrivateTmux

COLOUR = re.compile(r"\x1b\[[0-9;:]*m")
FACTS = "#{pane_width} #{cursor_x} #{cursor_y} #{cursor_flag} #{alternate_on} #{pane_title}"


class Screen(msgspec.Struct, frozen=True):
    columns: int
    cursor_x: int
    cursor_y: int
    cursor_flag: int
    alternate: int
    title: str
    rows: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join(self.rows)

    @property
    def cursor_row(self) -> str:
        return self.row(self.cursor_y)

    def row(self, number: int) -> str:
        """Empty outside of the screen, as there is nothing."""
        return self.rows[number] if 0 <= number < len(self.rows) else ""

    def without_colours(self) -> Screen:
        """As it is taken without them: no escape sequences, no blanks at the end of a row."""
        return msgspec.structs.replace(self, rows=tuple(COLOUR.sub("", row).rstrip(" ") for row in self.rows))

    def save(self, path: Path) -> None:
        head = (
            f"# columns={self.columns} cursor_x={self.cursor_x} cursor_y={self.cursor_y}"
            f" cursor_flag={self.cursor_flag} alternate={self.alternate} title={self.title}"
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join((head, *self.rows)) + "\n", encoding="utf-8")


def load(path: Path) -> Screen:
    """A screen that was saved, with its colours, if it was taken with them."""
    head, *rows = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    numbers, title = head.removeprefix("# ").split(" title=")
    fields = {name: int(value) for name, value in (word.split("=") for word in numbers.split(" "))}
    return Screen(**fields, title=title, rows=tuple(rows))


def look(tmux: PrivateTmux, pane: str, colours: bool = False) -> Screen:
    """With colours, rows keep their escape sequences and the blanks at their end."""
    capture = ("capture-pane", "-p", *(("-e", "-N") if colours else ()), "-t", pane)
    answer = tmux.run("display-message", "-p", "-t", pane, FACTS, ";", *capture)
    head, *rows = answer.removesuffix("\n").split("\n")
    columns, x, y, flag, alternate, title = head.split(" ", 5)
    return Screen(int(columns), int(x), int(y), int(flag), int(alternate), title.strip(), tuple(rows))
