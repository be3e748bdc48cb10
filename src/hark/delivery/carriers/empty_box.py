"""The carrier `none`: it delivers into an empty box only.

    look -> empty? -> paste -> wait for the echo -> settled? -> stage -> Enter -> the box let go?

`resume` takes up a delivery that was cut short (daemon killed, box disturbed). `resume` first finds out where the text is: in the
box, in the transcript, or provably nowhere. If `resume` cannot tell, it says so and does nothing.
"""

from collections.abc import Generator

from hark.delivery.budget import BACK_WITHIN_S
from hark.delivery.carriers.free_box import into_free_box
from hark.delivery.carriers.steps import (
    Answer,
    Delivery,
    Held,
    Paste,
    Press,
    SearchHistory,
    Seen,
    Step,
    Stuck,
    Submitted,
    Unproven,
)
from hark.delivery.carriers.submit import Job, no_box, submit, watch_for
from hark.delivery.carriers.submit import look as look_at_it
from hark.delivery.carriers.undo import NOTHING_TAKEN, WayBack, is_clean
from hark.delivery.carriers.undo_under_dialog import with_draft_while_seen
from hark.delivery.screen.box import BoxLook, holds_placeholder, holds_text, may_be_collapsed, mentions, read_box
from hark.delivery.screen.capture import Screen
from hark.model.message import HoldReason

MARK = "§"
"""The mark that is pasted behind a draft of one character and erased again: Gemini CLI takes a paste of one digit for the key, which
answers a dialog that has opened meanwhile."""


def deliver(text: str, message_id: str, look: BoxLook, settle_s: float, way_back: WayBack = NOTHING_TAKEN) -> Delivery:
    seen = yield from look_at_it()
    box = read_box(seen.screen, look)
    if box is None:
        return no_box(seen.screen, look)
    if mentions(box, message_id):
        return Stuck("the message's text is already in the box")
    if not box.is_empty:
        return Held(HoldReason.DRAFT, "somebody's text is in the box")
    job = Job(text=text, message_id=message_id, look=look, settle_s=settle_s, way_back=way_back)
    return (yield from with_draft_while_seen(into_free_box(job, seen.screen), job))


def resume(text: str, message_id: str, look: BoxLook, settle_s: float, was_staged: bool) -> Delivery:
    """Take up the delivery of a message whose text may be in the box already, or may have left it."""
    job = Job(text=text, message_id=message_id, look=look, settle_s=settle_s)
    seen = yield from look_at_it()
    box = read_box(seen.screen, look)
    if box and holds_text(box, text):
        return (yield from submit(job, seen))
    if box and mentions(box, message_id):
        return Stuck("the message's text is in the box beside other text", is_refused=True)
    if box is None and seen.screen.contains(message_id):
        return Stuck("the message's text is on the screen, and may be in a hidden box")
    if (yield SearchHistory(message_id)):
        seen = yield from look_at_it()
        return (
            Stuck("the message's text is in the box again", is_refused=True)
            if _is_in_box(seen, job)
            else Submitted("its id is in the transcript")
        )
    if box is None:
        return Stuck("the input box is hidden, and the message's text may be in it")
    if holds_placeholder(box, look):
        return Stuck("a collapsed paste is in the box, and may be the message's text", is_refused=True)
    is_seen_nowhere = seen.screen.is_alternate or look.placeholder or (was_staged and not box.is_empty)
    if is_seen_nowhere:
        return Unproven("its text is neither in the box nor on record in the terminal")
    return (
        Held(HoldReason.DRAFT, "somebody's text is in the box")
        if not box.is_empty
        else (yield from deliver(text, message_id, look, settle_s))
    )


def was_taken_out(job: Job, draft: str | None, *, is_touched: bool, was_blind: bool) -> Generator[Step, Answer, bool]:
    """Return whether an undo that was run has taken our text out. `is_touched` says whether keys of the human's came behind the undo: if
    a dialog has swallowed the undo, such a key may have submitted our text since. `was_blind` says that the undo was left while no box
    was seen: then the transcript tells nothing of a text for which the agent may show a placeholder."""
    seen = yield from look_at_it()
    if not is_clean(seen.screen, job.look, job.message_id, draft):
        return False
    if is_touched and was_blind and may_be_collapsed(job.text, job.look):
        return False
    return not (is_touched and (yield SearchHistory(job.message_id)))


def resume_raw(job: Job) -> Delivery:
    """Take up the delivery of a raw text, which has no id. Such a text is known only while it is in the box: the same words elsewhere on
    the screen may be older."""
    seen = yield from look_at_it()
    box = read_box(seen.screen, job.look)
    if box and holds_text(box, job.text):
        return (yield from submit(job, seen))
    return Unproven("a raw text has no id by which it could be found")


def _is_in_box(seen: Seen, job: Job) -> bool:
    """Return whether our text is in the box now. What hid the box may have gone since: then the search has found our text in the box."""
    box = read_box(seen.screen, job.look)
    return mentions(box, job.message_id) if box else seen.screen.contains(job.message_id)


def put_back(job: Job, draft: str) -> Generator[Step, Answer, bool]:
    """Paste a draft that was taken into an empty box. Return whether the draft is there."""
    seen = yield from look_at_it()
    box = read_box(seen.screen, job.look)
    if box is None or not (box.is_empty or holds_text(box, draft)):
        return False
    is_marked = box.is_empty and len(draft) == 1
    if box.is_empty and not (yield Paste(draft + MARK if is_marked else draft)):
        return False
    seen = yield from watch_for(lambda screen: _is_filled(screen, job), BACK_WITHIN_S)
    if is_marked:
        yield Press(("BSpace",))
    return _is_filled(seen.screen, job)


def _is_filled(screen: Screen, job: Job) -> bool:
    box = read_box(screen, job.look)
    return box is not None and not box.is_empty
