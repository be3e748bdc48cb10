"""The cells of the matrix: a situation, a draft, a place of the cursor."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from tests.agents.matrix.drafts import DRAFTS, Cursor, Draft


class Situation(StrEnum):
    IDLE = "idle"
    BUSY = "busy"
    DIALOG_BEFORE = "dialog open before"
    DIALOG_DURING = "dialog opens during"
    COPY_MODE = "copy mode"
    SMALL = "40x10 pane"
    DETACHED = "detached"
    VIM = "vim mode"


class Cell(msgspec.Struct, frozen=True):
    situation: Situation
    draft: Draft
    cursor: Cursor

    @property
    def row(self) -> str:
        return f"{self.situation}: {self.draft.name}"

    @property
    def name(self) -> str:
        return f"{self.row}, cursor {self.cursor}"


NAMED = {draft.name: draft for draft in DRAFTS}
FEW = ("empty", "one line", "three lines, one empty")
MORE = (*FEW, "wrapped to three rows", "CJK")


def of(situation: Situation, names: tuple[str, ...]) -> list[Cell]:
    """With the cursor in the middle, where it is easiest lost."""
    return [Cell(situation, NAMED[name], middle(NAMED[name])) for name in names]


def middle(draft: Draft) -> Cursor:
    return Cursor.MIDDLE if Cursor.MIDDLE in draft.cursors else draft.cursors[-1]


# A turn takes its time: what an agent makes of its drafts is told when it is idle, here that it works beside a turn too.
CELLS = [
    *(Cell(Situation.IDLE, draft, cursor) for draft in DRAFTS for cursor in draft.cursors),
    *of(Situation.BUSY, (*MORE, "ten lines", "emoji", "a collapsed paste")),
    *of(Situation.DIALOG_BEFORE, ("empty", "one line")),
    *of(Situation.DIALOG_DURING, ("empty", "one line", "three lines, one empty")),
    *of(Situation.COPY_MODE, FEW),
    *of(Situation.SMALL, MORE),
    *of(Situation.DETACHED, FEW),
    *of(Situation.VIM, MORE),
]
