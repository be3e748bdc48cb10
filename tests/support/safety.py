"""Tables of what campaigns have found, each row written by the command that found it: in docs/safety.md unless another page is given."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs/safety.md"
TITLE = "# What was tried to break it\n"


def write_section(name: str, note: str, head: str, key: str, row: str, place: Path | None = None) -> None:
    """Puts a row into the section's table, in the place of the one that begins with the same key."""
    path = place or PAGE
    page = path.read_text() if path.exists() else TITLE
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    if begin not in page:
        rule = "|" + "---|" * (head.count("|") - 1)
        page += f"\n{begin}{note}\n\n{head}\n{rule}\n{end}"
    before, _, rest = page.partition(begin)
    section, _, after = rest.partition(end)
    rows = [line for line in section.splitlines() if not line.startswith(f"| {key} |")]
    path.write_text(before + begin + "\n".join([*rows, row]) + "\n" + end + after)


def read_row(name: str, key: str, place: Path | None = None) -> str | None:
    """The row of the section that begins with the key."""
    section = (place or PAGE).read_text().partition(f"<!-- {name} -->\n")[2].partition(f"<!-- end of {name} -->\n")[0]
    return next((line for line in section.splitlines() if line.startswith(f"| {key} |")), None)


def add_rows(row: str, more: str) -> str:
    """Two rows of one table as one: numbers are added up, and the last cells, which say where they come from, both named."""
    cells, others = ([cell.strip() for cell in one.strip("| ").split("|")] for one in (row, more))
    sums = [_add(cell, other) for cell, other in zip(cells[1:-1], others[1:-1], strict=True)]
    return f"| {' | '.join([cells[0], *sums, f'{cells[-1]}, {others[-1]}'])} |"


def _add(cell: str, other: str) -> str:
    numbers = iter(re.findall(r"\d+", other))
    return re.sub(r"\d+", lambda found: str(int(found[0]) + int(next(numbers))), cell)
