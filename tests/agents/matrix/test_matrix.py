"""Each cell of the matrix on each real agent: the message exact and once, the draft and its cursor as they were, no dialog
answered and no turn interrupted; or the message held, and nothing changed. Collected only with HARK_TEST_MATRIX: `write` puts the
verdicts into the documents, as `make agents` does, anything else only judges."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from tests.agents.launch import LAUNCHES
from tests.agents.marks import MARKS
from tests.agents.matrix import verdict
from tests.agents.matrix.cells import CELLS, Cell, Situation
from tests.agents.matrix.play import Play
from tests.agents.matrix.stage import Stage
from tests.agents.matrix.verdict import NOT_THERE, Verdict, Wrong

pytestmark = pytest.mark.timeout(600)
NUMBERS = itertools.count(1)
HAVE_VIM = ("claude", "codex", "gemini", "qwen")


@pytest.fixture(scope="module", params=LAUNCHES)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def stage(kind: str) -> Iterator[Stage]:
    with Stage(kind) as running:
        yield running


@pytest.fixture(scope="module")
def vim_stage(kind: str) -> Iterator[Stage]:
    with Stage(kind, is_vim=True) as running:
        yield running


@pytest.mark.parametrize("cell", CELLS, ids=[cell.name for cell in CELLS])
def test_a_message_is_delivered_exactly_or_held(
    kind: str, cell: Cell, request: pytest.FixtureRequest, verdicts: dict[str, dict[str, Verdict]]
) -> None:
    result = NOT_THERE
    if is_there(kind, cell):
        result = play(request.getfixturevalue("vim_stage" if cell.situation is Situation.VIM else "stage"), cell)
    verdicts.setdefault(kind, {})[cell.name] = result
    print(result.words)

    assert not result.is_wrong, result.words


def play(stage: Stage, cell: Cell) -> Verdict:
    stage.make_ready()
    try:
        return Play(stage, cell, next(NUMBERS)).judge()
    except (Wrong, AssertionError) as what:
        # What is still under way would be taken for the next cell's.
        stage.is_spoilt = True
        return verdict.wrong(str(what))


def is_there(kind: str, cell: Cell) -> bool:
    if cell.situation is Situation.VIM:
        return kind in HAVE_VIM
    is_typed = cell.situation in (Situation.BUSY, Situation.DIALOG_BEFORE, Situation.DIALOG_DURING)
    return MARKS[kind].has_box_in_turn or not is_typed or cell.draft.name == "empty"
