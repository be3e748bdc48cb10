"""The end of the record of a draft: it goes when the draft is in the box again and no undo can take it out."""

from collections.abc import Generator

from hark.delivery.carriers.steps import Answer, DropDraft, LeaveUndo, Step


def drop_draft() -> Generator[Step, Answer, None]:
    """Drop the draft, which is verified to be in the box, from the record. If the hold is over, its undo runs now or has run, and may
    take the draft out of the box: then the draft stays on record."""
    if (yield LeaveUndo(())):
        yield DropDraft()
