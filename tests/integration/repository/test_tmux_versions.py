"""The table of tmux versions: what a run says becomes a cell, and the other cells stay."""

from __future__ import annotations

import pytest

from tests.support.tmux_versions import COMMANDS, cell_of, merged


@pytest.mark.parametrize(
    ("output", "cell"),
    [
        ("...\n101 passed in 185.11s (0:03:05)\n", "101 passed"),
        ("FAILED tests/x.py::test_3 passed\n1 failed, 107 passed in 880.95s\n", "1 failed, 107 passed"),
        ("4 passed, 2 errors in 3s\n", "4 passed, 2 errors"),
        (
            "tmux 3.4: 1000 holds, 100 killed daemons, 2 differences in keys and options\n--- keys\nbind-key 3 passed\n",
            "1000 holds, 100 killed daemons, 2 differences",
        ),
        ("Traceback\nAssertionError: waited\n", "broke off"),
        ("", "broke off"),
    ],
)
def test_a_cell_says_what_came_of_a_run(output: str, cell: str) -> None:
    assert cell_of(output) == cell


def test_cells_of_other_parts_stay() -> None:
    first = merged(None, "3.4", {"keyhold": "101 passed"})
    second = merged(first, "3.4", {"airlock": "2 failed, 277 passed"})

    cells = [cell.strip() for cell in second.strip("| ").split("|")]
    assert dict(zip(["tmux", *COMMANDS], cells, strict=True)) == {
        "tmux": "3.4",
        "terminal": "not run",
        "keyhold": "101 passed",
        "airlock": "2 failed, 277 passed",
        "end_to_end": "not run",
        "holds": "not run",
    }
