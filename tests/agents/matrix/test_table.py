"""The table in the documents: drawn from verdicts, and only what a run has covered replaced."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agents.matrix import table
from tests.agents.matrix.cells import CELLS
from tests.agents.matrix.verdict import EXACT, Verdict, held, summary, wrong

WHOLE = {cell.name: EXACT for cell in CELLS}


@pytest.fixture
def document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "agents.md"
    path.write_text(f"before\n{table.BEGIN}\n{table.END}\nafter\n")
    monkeypatch.setattr(table, "DOCUMENT", path)
    return path


def columns(document: Path) -> dict[str, table.Column]:
    return table.read_columns(document.read_text().partition(table.BEGIN)[2].partition(table.END)[0])


def test_a_whole_run_is_written_under_its_version(document: Path) -> None:
    table.write({"claude": WHOLE}, {"claude": "2.1"})

    assert columns(document) == {"claude 2.1": dict.fromkeys(table.ROWS, "exact")}
    assert document.read_text().startswith("before\n")
    assert document.read_text().endswith("\nafter\n")


def test_another_kind_keeps_its_column(document: Path) -> None:
    table.write({"claude": WHOLE}, {"claude": "2.1"})
    table.write({"codex": dict.fromkeys(WHOLE, held("draft"))}, {"codex": "0.1"})

    assert columns(document)["claude 2.1"] == dict.fromkeys(table.ROWS, "exact")
    assert columns(document)["codex 0.1"] == dict.fromkeys(table.ROWS, "held: draft")


def test_a_new_version_takes_the_place_of_the_old(document: Path) -> None:
    table.write({"claude": WHOLE}, {"claude": "2.1"})
    table.write({"claude": WHOLE}, {"claude": "2.2"})

    assert list(columns(document)) == ["claude 2.2"]


def test_part_of_a_run_replaces_its_rows_alone(document: Path) -> None:
    table.write({"claude": WHOLE}, {"claude": "2.1"})

    table.write({"claude": {CELLS[0].name: held("draft")}}, {"claude": "2.1"})

    kept = dict.fromkeys(table.ROWS, "exact")
    assert columns(document) == {"claude 2.1": kept | {CELLS[0].row: "held: draft"}}


def test_rows_of_an_old_version_are_not_kept_beside_a_new_one(document: Path) -> None:
    table.write({"claude": WHOLE}, {"claude": "2.1"})

    table.write({"claude": {CELLS[0].name: EXACT}}, {"claude": "2.2"})

    assert columns(document) == {"claude 2.2": dict.fromkeys(table.ROWS, "") | {CELLS[0].row: "exact"}}


def test_part_of_a_row_changes_nothing(document: Path) -> None:
    [first, *_] = [cell for cell in CELLS if len(cell.draft.cursors) > 1]
    table.write({"claude": WHOLE}, {"claude": "2.1"})

    table.write({"claude": {first.name: held("draft")}}, {"claude": "2.1"})

    assert columns(document) == {"claude 2.1": dict.fromkeys(table.ROWS, "exact")}


def test_cells_of_a_row_that_differ_are_all_named() -> None:
    assert summary([EXACT, held("draft"), EXACT]) == "exact, held: draft"


@pytest.mark.parametrize(
    ("verdict", "is_wrong"), [(EXACT, False), (held("busy"), False), (wrong("lost"), True), (Verdict("–"), False)]
)
def test_only_wrong_is_wrong(verdict: Verdict, is_wrong: bool) -> None:
    assert verdict.is_wrong is is_wrong
