"""The tables of campaigns: what a run has found goes in the place of its row, or is added to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import safety

HEAD = "| agent | tries | opened before / after | drafts harmed | seed |"


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "safety.md"
    monkeypatch.setattr(safety, "PAGE", path)
    return path


def test_a_row_takes_the_place_of_the_one_with_its_key(page: Path) -> None:
    safety.write_section("dialogs", "A note.", HEAD, "claude", "| claude | 200 | 15 / 70 | 0 of 104 | 21 |")
    safety.write_section("dialogs", "A note.", HEAD, "codex", "| codex | 5 | 1 / 2 | 0 of 1 | 3 |")

    safety.write_section("dialogs", "A note.", HEAD, "codex", "| codex | 6 | 1 / 2 | 0 of 1 | 4 |")

    assert safety.read_row("dialogs", "claude") == "| claude | 200 | 15 / 70 | 0 of 104 | 21 |"
    assert safety.read_row("dialogs", "codex") == "| codex | 6 | 1 / 2 | 0 of 1 | 4 |"
    assert safety.read_row("dialogs", "gemini") is None
    assert page.read_text().count("codex") == 1


def test_rows_of_several_runs_are_added_up_number_by_number() -> None:
    more = safety.add_rows("| claude | 9 | 1 / 7 | 0 of 10 | 21 |", "| claude | 200 | 15 / 70 | 1 of 104 | 22 |")

    assert more == "| claude | 209 | 16 / 77 | 1 of 114 | 21, 22 |"
