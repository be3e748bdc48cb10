"""The carrier `stash`: the agent's own key takes the draft away with its cursor, and brings it back after the submit.

An agent's stash has one slot: hark never overwrites a stash that the human has put there. The draft is on record before hark
presses the key.
"""

from collections.abc import Generator

from msgspec import Struct
from msgspec.structs import replace

from hark.delivery.budget import BACK_WITHIN_S, TAKEN_WITHIN_S
from hark.delivery.carriers import empty_box as into_empty_box
from hark.delivery.carriers.cursor import place_of_typing, same_rows, walk_cursor
from hark.delivery.carriers.draft_record import drop_draft
from hark.delivery.carriers.free_box import into_free_box
from hark.delivery.carriers.steps import (
    Answer,
    Delivery,
    Held,
    LeaveUndo,
    Outcome,
    Press,
    SaveDraft,
    Step,
    Stuck,
    Submitted,
    is_late,
)
from hark.delivery.carriers.submit import (
    Job,
    begins_with_ours,
    erase_kept,
    let_go,
    look,
    may_be_ours,
    no_box,
    watch_after_enter,
    watch_for,
)
from hark.delivery.carriers.undo import LATE_S, SUBMITTED_S, WORKED_OFF_S, WayBack, Write, going_back_on
from hark.delivery.carriers.undo_under_dialog import with_key_while_seen
from hark.delivery.screen.box import Box, mentions, read_box, shows_below
from hark.delivery.screen.capture import Screen
from hark.model.message import HoldReason


class StashKeys(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    key: str
    """The key that puts the draft aside, and brings it back."""
    occupied: str
    """A pattern for what the screen shows below the box while something is stashed."""


def deliver(job: Job, stash: StashKeys) -> Delivery:
    seen = yield from look()
    box = read_box(seen.screen, job.look)
    if box is None:
        return no_box(seen.screen, job.look)
    if mentions(box, job.message_id):
        return Stuck("the message's text is already in the box")
    if is_occupied(seen.screen, box, stash):
        return Held(HoldReason.DRAFT, "a draft is in the stash, and a submit would bring it back")
    if box.is_empty:
        return (yield from into_empty_box.deliver(job.text, job.message_id, job.look, job.settle_s))
    if not any(row.strip() for row in box.rows):
        return Held(HoldReason.DRAFT, "the draft cannot be stashed")
    if not (yield SaveDraft("\n".join(row.rstrip() for row in box.rows))):
        return Held(HoldReason.CALLED_OFF, "the delivery was called off")
    # After a submit the agent brings the draft back by itself, with the cursor at its end: the key would take the draft away again. Keys
    # that come before the draft is back are lost when it comes.
    back = going_back_on(seen.screen, box, job.look) or (Write(then_wait_s=SUBMITTED_S),)
    unstashed = Write(keys=(stash.key,), then_wait_s=WORKED_OFF_S)
    job = replace(job, way_back=WayBack(draft=(unstashed,), after_enter=back, after_submit=back))
    taken = yield from _take(job, stash, box)
    if isinstance(taken, Held):
        return taken
    box, emptied = taken
    delivery = into_free_box(job, emptied, lambda screen: _holds(screen, job, box) or let_go(screen, job))
    outcome = yield from with_key_while_seen(delivery, job.look, stash.key)
    if is_late(outcome):
        return outcome
    was_submitted = isinstance(outcome, Submitted) and not outcome.was_kept
    yield from _bring_back(job, stash, box, was_submitted=was_submitted)
    return outcome


def is_occupied(screen: Screen, box: Box, stash: StashKeys) -> bool:
    return shows_below(screen, box, stash.occupied)


def _take(job: Job, stash: StashKeys, box: Box) -> Generator[Step, Answer, tuple[Box, Screen] | Held]:
    """Press the stash key. Return the box as it was last seen before the key emptied it, because a key of the human's may have been
    drawn only then, and the screen with the empty box. Return Held if the draft did not leave the box.

    If a dialog is in the way, it has swallowed the key. But an agent that still shows the draft may only be slow: it takes the draft away
    as soon as it gets to the key. So the draft stays on record, and the undo brings it back before the human's keys are let go."""
    last = box

    def is_taken(screen: Screen) -> bool:
        nonlocal last
        now = read_box(screen, job.look)
        last = now if now and not now.is_empty else last
        return now is not None and now.is_empty

    # Nothing of ours is in the box before the box is seen empty. If a dialog has taken this key, the key in the undo may take the draft
    # away: then the draft is in the stash, and on record.
    yield Press((stash.key,), (Write(then_wait_s=WORKED_OFF_S), *job.way_back.draft))
    seen = yield from watch_for(is_taken, TAKEN_WITHIN_S)
    if is_taken(seen.screen):
        return last, seen.screen
    still = read_box(seen.screen, job.look)
    if still:
        yield LeaveUndo((Write(then_wait_s=LATE_S), *job.way_back.draft))
        return Held(HoldReason.BUSY, "the agent does not take the draft away")
    yield LeaveUndo(())
    return Held(HoldReason.DIALOG, "the draft did not leave the box")


def _bring_back(
    job: Job, stash: StashKeys, draft: Box, *, was_submitted: bool
) -> Generator[Step, Answer, Outcome | None]:
    """Bring the draft back. After a submit the agent does so by itself; otherwise, or if the agent does not, press the stash key, but
    only on an empty box. The draft is back when nothing is stashed any more: an Enter of the human's that came sooner would bring the
    same draft back once more. A text of ours that the agent has taken may stand in the box again: then erase it."""
    seen = yield from look()
    if was_submitted and not _is_back(seen.screen, job, stash, draft):
        seen, is_kept = yield from watch_after_enter(
            job,
            lambda screen: _is_back(screen, job, stash, draft),
            lambda screen: _begins_with_ours(screen, job),
            seen,
            BACK_WITHIN_S,
        )
        if is_kept:
            yield from erase_kept(job, seen)
        seen = yield from look()
    if _is_empty(seen.screen, job):
        yield Press((stash.key,), ())
        seen = yield from watch_for(lambda screen: _is_back(screen, job, stash, draft), BACK_WITHIN_S)
    if _holds(seen.screen, job, draft):
        yield from walk_cursor(draft, job.look)
        yield from drop_draft()
    elif place := _place_of_typing(seen.screen, job, stash, draft):
        yield from walk_cursor(place, job.look)
    return None


def _place_of_typing(screen: Screen, job: Job, stash: StashKeys, draft: Box) -> Box | None:
    """Return the box with the cursor in its right place, for a draft that came back different from the one that was seen. Return None if
    that place is not known."""
    box = read_box(screen, job.look)
    if box is None or box.is_empty or may_be_ours(box, job) or is_occupied(screen, box, stash):
        return None
    return place_of_typing(draft, box)


def put_back(job: Job, stash: StashKeys) -> Generator[Step, Answer, bool]:
    """Bring a draft that a delivery which was cut short has left in the stash back into an empty box. Return whether nothing is left in
    the stash."""
    seen = yield from look()
    box = read_box(seen.screen, job.look)
    if box is None:
        return False
    if not box.is_empty:
        return not is_occupied(seen.screen, box, stash)
    if not is_occupied(seen.screen, box, stash):
        return True
    yield Press((stash.key,))
    seen = yield from watch_for(lambda screen: _is_filled(screen, job), BACK_WITHIN_S)
    return _is_filled(seen.screen, job)


def _begins_with_ours(screen: Screen, job: Job) -> bool:
    box = read_box(screen, job.look)
    return box is not None and begins_with_ours(box, job)


def _is_empty(screen: Screen, job: Job) -> bool:
    box = read_box(screen, job.look)
    return box is not None and box.is_empty


def _is_filled(screen: Screen, job: Job) -> bool:
    box = read_box(screen, job.look)
    return box is not None and not box.is_empty


def _is_back(screen: Screen, job: Job, stash: StashKeys, draft: Box) -> bool:
    box = read_box(screen, job.look)
    return box is not None and same_rows(box, draft) and not is_occupied(screen, box, stash)


def _holds(screen: Screen, job: Job, draft: Box) -> bool:
    box = read_box(screen, job.look)
    return box is not None and same_rows(box, draft)
