"""The carrier `interrupt`: Ctrl-C clears the box. It is for agents that no other carrier serves, and only where somebody has asked
for it: the same key interrupts a turn, and pressed twice it may end the agent. So hark presses the key on an idle agent only,
once, on a box that is seen to hold the draft, with a mark pasted before the key. The mark proves that the box takes text, and
breaks up a pair with an earlier Ctrl-C (a blank would do that too, but not every screen shows a blank).

Comparing captures proves what the key has taken: between the capture before and the one with our text in the box, exactly the
draft has gone and exactly our text has come (`diff.py`). Then the agent's history brings the draft back, if the agent keeps there
what was cleared; otherwise hark has read the draft with a mark before, and pastes it.
"""

from collections.abc import Generator

from msgspec import Struct
from msgspec.structs import replace

from hark.delivery.budget import BACK_WITHIN_S, TAKEN_WITHIN_S
from hark.delivery.carriers.cursor import walk_cursor
from hark.delivery.carriers.draft_reader import LineKeys, choose_mark, erasing_mark, squeeze
from hark.delivery.carriers.draft_record import drop_draft
from hark.delivery.carriers.free_box import retreat
from hark.delivery.carriers.sentinel import (
    FoundDraft,
    find_draft,
    give_back,
    is_empty,
    mark_in,
    shows,
    take_note,
    way_back_of,
)
from hark.delivery.carriers.steps import (
    Answer,
    Begin,
    Delivery,
    Held,
    LeaveUndo,
    Paste,
    Press,
    SaveDraft,
    Seen,
    Step,
    Stuck,
    Submitted,
    is_late,
)
from hark.delivery.carriers.submit import Job, look, submit, wait_for_echo, watch_for
from hark.delivery.carriers.undo import SUBMITTED_S, WayBack, Write, shown_text
from hark.delivery.carriers.undo_under_dialog import with_draft_while_seen
from hark.delivery.screen.box import Box, read_box
from hark.delivery.screen.capture import Screen
from hark.delivery.screen.diff import find
from hark.delivery.wording import fits
from hark.model.message import HoldReason

SHOWN_WITHIN_S = 0.6
AGAIN_AFTER_S = 10.0
"""How long to wait before the key may be pressed again."""
IDLE_AFTER_S = 3.0
"""How long an agent must have printed nothing to count as idle: an agent at work animates its screen."""


class InterruptKeys(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    key: str = "C-c"
    """The key that clears the box."""
    recall: str | None = None
    """The key that goes back in the history, if the agent keeps there what was cleared: it brings the draft back. Without this key hark
    reads the draft first, and pastes it afterwards."""
    line_keys: LineKeys = LineKeys()
    """The fields of `[sentinel]`, for reading that draft and putting it back."""


def deliver(job: Job, keys: InterruptKeys) -> Delivery:
    return (yield from with_draft_while_seen(_deliver(job, keys), job, keys.recall))


def _deliver(job: Job, keys: InterruptKeys) -> Delivery:
    found = yield from find_draft(job, keys.line_keys)
    if not isinstance(found, FoundDraft):
        return found
    if not fits(job.text, found.seen.screen.columns, len(found.seen.screen.rows)):
        # Comparing screens finds what has come into the box, so the screen has to show all of it.
        return Held(HoldReason.DRAFT, "the pane is too small to show the message")
    if found.box.cursor_row < len(found.box.rows) - 1:
        # The key that leads back to a row above is also the key that goes back in the history.
        keys = replace(keys, recall=None)
    text, box = (yield from _take_note(job, keys, found)), found.box
    if isinstance(text, Held):
        return text
    job = replace(job, way_back=_way_back(job, keys, found, text))
    marked = yield from _clear(job, keys, box)
    if marked is None:
        return Held(HoldReason.DIALOG, "the draft did not leave the box")
    outcome = yield from _into_the_free_box(job, found.seen.screen, box)
    if is_late(outcome):
        return outcome
    if isinstance(outcome, Submitted | Held) and keys.recall:
        back = (keys.recall,) * (2 if isinstance(outcome, Submitted) else 1)
        yield from _recall(job, keys, back, box, marked)
    elif not isinstance(outcome, Stuck):
        yield from give_back(job, keys.line_keys, box, text)
    return outcome


def _way_back(job: Job, keys: InterruptKeys, found: FoundDraft, text: str) -> WayBack:
    """Return the way back: by the history, if the agent keeps there what was cleared. The draft comes back with the mark in it, which
    only a look can find: the next daemon takes the mark out. After the Enter our own text is in the history too, and comes before the
    draft."""
    if not keys.recall:
        return way_back_of(job, found, text)
    after = (Write(then_wait_s=SUBMITTED_S), Write(keys=(keys.recall,) * 2))
    # An Enter that made a new line has put nothing into the history: until that is seen, a draft that is known to the letter is pasted.
    # Otherwise nobody knows whether the keys have brought the draft back, and it stays on record.
    unsure = (*after, Write(leaves_draft_out=True))
    after_enter = way_back_of(job, found, text).after_enter if _is_known(found) else unsure
    return WayBack(draft=(Write(keys=(keys.recall,)),), after_enter=after_enter, after_submit=after)


def _is_known(found: FoundDraft) -> bool:
    """Return whether the screen shows the draft to the letter: no row may continue the row above, and the cursor does not stand behind
    blanks at the end of its row."""
    box = found.box
    typed = len(box.rows[box.cursor_row].rstrip())
    return shown_text(found.seen.screen, box) is not None and box.cursor_x - box.starts[box.cursor_row] <= typed


def _take_note(job: Job, keys: InterruptKeys, found: FoundDraft) -> Generator[Step, Answer, str | Held]:
    """Put the draft on record and return it, or return Held if that fails. With a history the record is needed only if the history
    fails."""
    if not keys.recall:
        return (yield from take_note(job, keys.line_keys, found))
    shown = "\n".join(row.rstrip() for row in found.box.rows)
    return shown if (yield SaveDraft(shown)) else Held(HoldReason.CALLED_OFF, "the delivery was called off")


def _clear(job: Job, keys: InterruptKeys, box: Box) -> Generator[Step, Answer, Box | None]:
    """Press the key that clears the box. Return the box as it was before that, with the mark in it; None if the box was not cleared, and
    everything is as before."""
    seen = yield from look()
    mark = choose_mark(seen.screen)

    def has_mark(screen: Screen) -> bool:
        now = read_box(screen, job.look)
        return now is not None and mark_in(now, "".join(box.rows)) == mark

    # Without a history the draft was read to the letter, and the undo puts it back as a whole. Otherwise the cursor has not moved yet.
    if not mark or not (yield Paste(mark, () if keys.recall else job.undo)):
        return None
    seen = yield from watch_for(has_mark, SHOWN_WITHIN_S)
    if not has_mark(seen.screen):
        return None
    if keys.recall:
        yield LeaveUndo(erasing_mark(keys.line_keys.erase, ()))
    marked = read_box(seen.screen, job.look)
    yield Press((keys.key,), job.undo)
    seen = yield from watch_for(lambda screen: is_empty(screen, job) or _is_hidden(screen, job), TAKEN_WITHIN_S)
    if _is_hidden(seen.screen, job):
        # A dialog may have swallowed the key: then the history does not have the draft, and the key that recalls it brings an older prompt.
        yield LeaveUndo((Write(leaves_draft_out=True),))
        seen = yield from watch_for(lambda screen: is_empty(screen, job), TAKEN_WITHIN_S)
    if is_empty(seen.screen, job):
        return marked if (yield LeaveUndo(job.undo)) else None
    # While a dialog hides the box, nobody knows whether the key has taken the draft.
    yield LeaveUndo((Write(leaves_draft_out=True),) if _is_hidden(seen.screen, job) else ())
    if has_mark(seen.screen):
        yield from _erase_mark(job, keys, box)
    return None


def _is_hidden(screen: Screen, job: Job) -> bool:
    return read_box(screen, job.look) is None


def _into_the_free_box(job: Job, before: Screen, draft: Box) -> Delivery:
    if not (yield Begin()):
        return Held(HoldReason.CALLED_OFF, "the delivery was called off")
    yield Paste(job.text)
    outcome = yield from _submit(job, before, draft)
    return (yield from retreat(job, outcome)) if isinstance(outcome, Stuck) else outcome


def _submit(job: Job, before: Screen, draft: Box) -> Delivery:
    echoed = yield from wait_for_echo(job)
    if not isinstance(echoed, Seen):
        return echoed
    if not _is_ours_for_theirs(before, draft, echoed.screen, job):
        return Stuck("something other than the message's text has come into the box", is_refused=True)
    return (yield from submit(job, echoed))


def _is_ours_for_theirs(before: Screen, draft: Box, after: Screen, job: Job) -> bool:
    box = read_box(after, job.look)
    if box is None:
        return False
    change = find(_capture(before), _capture(after), _shown(after, box))
    return change is not None and change.is_clean and squeeze(change.original) == squeeze("".join(draft.rows))


def _capture(screen: Screen) -> str:
    return "\n".join(screen.rows.plain)


def _shown(screen: Screen, box: Box) -> str:
    """Return the rows of the box as a capture has them, from where its text begins."""
    first = screen.rows[box.top].part(box.starts[0]).rstrip()
    return "\n".join([first, *screen.rows.plain[box.top + 1 : box.top + len(box.rows)]])


def _recall(
    job: Job, keys: InterruptKeys, back: tuple[str, ...], box: Box, marked: Box
) -> Generator[Step, Answer, None]:
    """Bring the draft back from the history. The draft comes back with the mark: move the cursor behind the mark and erase it."""
    seen = yield from watch_for(lambda screen: is_empty(screen, job), BACK_WITHIN_S)
    # Until the draft is seen, nobody knows whether a dialog has taken the keys.
    if not is_empty(seen.screen, job) or not (yield Press(back, (Write(leaves_draft_out=True),))):
        return
    seen = yield from watch_for(lambda screen: shows(screen, job, marked), BACK_WITHIN_S)
    if shows(seen.screen, job, marked):
        yield LeaveUndo(())
    if shows(seen.screen, job, marked) and (yield from walk_cursor(marked, job.look)):
        yield from _erase_mark(job, keys, box)


def _erase_mark(job: Job, keys: InterruptKeys, box: Box) -> Generator[Step, Answer, None]:
    """Erase the mark that stands right before the cursor, and bring the cursor to its place."""
    if not (yield Press((keys.line_keys.erase,), ())):
        return
    yield from watch_for(lambda screen: shows(screen, job, box), SHOWN_WITHIN_S)
    if (yield from walk_cursor(box, job.look)):
        yield from drop_draft()
