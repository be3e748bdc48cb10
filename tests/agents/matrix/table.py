"""Writes the verdicts into docs/agents.md, between two marks: only the suite does, and only rows that it has run in full."""

from __future__ import annotations

import re
from pathlib import Path

from tests.agents.launch import LAUNCHES
from tests.agents.matrix.cells import CELLS
from tests.agents.matrix.verdict import Verdict, summary

DOCUMENT = Path(__file__).parents[3] / "docs/agents.md"
BEGIN, END = "<!-- matrix: written by make agents -->", "<!-- end of the matrix -->"
ROWS = list(dict.fromkeys(cell.row for cell in CELLS))
LONGEST = 120
Column = dict[str, str]
"""The words of each row of one kind."""


def write(results: dict[str, dict[str, Verdict]], versions: dict[str, str]) -> None:
    """`results`: by kind, then by the name of the cell. What was not run stays as it is, but for rows of another version."""
    text = DOCUMENT.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    old, _, after = rest.partition(END)
    columns = read_columns(old)
    for kind, verdicts in results.items():
        if column := column_of(verdicts):
            head = f"{kind} {versions[kind]}"
            column = columns.get(head, {}) | column
            columns = {other: kept for other, kept in columns.items() if other.split(" ")[0] != kind} | {head: column}
    columns = dict(sorted(columns.items(), key=lambda column: _place(column[0])))
    DOCUMENT.write_text(f"{before}{BEGIN}\n{draw(columns)}{END}{after}", encoding="utf-8")


def _place(head: str) -> int:
    return list(LAUNCHES).index(head.split(" ")[0])


def column_of(verdicts: dict[str, Verdict]) -> Column:
    """Of the rows whose cells were all run."""
    cells = {row: [cell.name for cell in CELLS if cell.row == row] for row in ROWS}
    words = {
        row: summary([verdicts[name] for name in names])
        for row, names in cells.items()
        if verdicts.keys() >= set(names)
    }
    return {row: re.sub(r"\s+", " ", said).replace("|", "\\|")[:LONGEST] for row, said in words.items()}


def draw(columns: dict[str, Column]) -> str:
    heads = list(columns)
    lines = [["situation: draft", *heads], ["---"] * (len(heads) + 1)]
    lines += [[row, *(columns[head].get(row, "") for head in heads)] for row in ROWS]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def read_columns(table: str) -> dict[str, Column]:
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in table.strip().splitlines()]
    if len(rows) < 2:
        return {}
    heads, body = rows[0][1:], rows[2:]
    return {head: {row[0]: row[number] for row in body} for number, head in enumerate(heads, start=1)}
