"""The carrier `none`: into an empty box, and only then.

    look -> empty? -> paste -> wait for the echo -> exactly our text? -> settled? -> stage -> Enter -> the box let go?

Enter is pressed only on a screen on which the box holds exactly our text; the terminal checks in the same instant that
nothing has moved. An Enter that had no effect is pressed again only on the same proof.

A delivery that was cut short (daemon killed, box disturbed) is taken up again by `resume`, which first finds out where the
text is: in the box, in the transcript, or provably nowhere; if it cannot tell, it says so and does nothing.
"""

from collections.abc import Generator

from hark.delivery.box import BoxLook, holds_exactly, holds_placeholder, mentions, read_box
from hark.delivery.steps import (
    Answer,
    Begin,
    Delivery,
    Held,
    Paste,
    SearchHistory,
    Seen,
    Step,
    Stuck,
    Submitted,
    Unproven,
)
from hark.delivery.submit import Job, look, submit, wait_for_echo, watch_for
from hark.model.message import HoldReason

BACK_WITHIN_S = 1.0


def deliver(text: str, message_id: str, box_look: BoxLook, settle_s: float) -> Delivery:
    job = Job(text=text, message_id=message_id, look=box_look, settle_s=settle_s)
    seen = yield from look()
    box = read_box(seen.screen, box_look)
    if box is None:
        return Held(HoldReason.DIALOG, "no input box at the cursor")
    if not box.is_empty:
        return Held(HoldReason.DRAFT, "somebody's text is in the box")
    if not (yield Begin()):
        return Held(HoldReason.BUSY, "the delivery was called off")
    yield Paste(text)
    echoed = yield from wait_for_echo(job)
    if not isinstance(echoed, Seen):
        return echoed
    return (yield from submit(job, echoed))


def resume(text: str, message_id: str, box_look: BoxLook, settle_s: float, was_staged: bool) -> Delivery:
    """For a message whose text may be in the box already, or may have left it."""
    job = Job(text=text, message_id=message_id, look=box_look, settle_s=settle_s)
    seen = yield from look()
    box = read_box(seen.screen, box_look)
    if box and holds_exactly(box, text):
        return (yield from submit(job, seen))
    if box and mentions(box, message_id):
        return Stuck("our text is in the box beside other text")
    if box is None and seen.screen.contains(message_id):
        return Stuck("our text is on the screen, and may be in a box that is not to be seen")
    if (yield SearchHistory(message_id)):
        return Submitted("its id is in the transcript")
    if box is None:
        return Stuck("the input box is not to be seen, and our text may be in it")
    if holds_placeholder(box, box_look):
        return Stuck("a collapsed paste is in the box, which may be ours")
    if seen.screen.is_alternate or box_look.placeholder or (was_staged and not box.is_empty):
        return Unproven("its text is neither in the box nor on record in the terminal")
    if not box.is_empty:
        return Held(HoldReason.DRAFT, "somebody's text is in the box")
    return (yield from deliver(text, message_id, box_look, settle_s))


def put_back(job: Job, draft: str) -> Generator[Step, Answer, bool]:
    """A draft that was taken, pasted into an empty box. True when it is there."""
    seen = yield from look()
    box = read_box(seen.screen, job.look)
    if box is None or not (box.is_empty or holds_exactly(box, draft)):
        return False
    if box.is_empty and not (yield Paste(draft)):
        return False
    seen = yield from watch_for(
        lambda screen: (shown := read_box(screen, job.look)) is not None and not shown.is_empty, BACK_WITHIN_S
    )
    shown = read_box(seen.screen, job.look)
    return shown is not None and not shown.is_empty
