"""An empty box that is ours, because the human's keys are held: the message goes in, and if it cannot be submitted, out again.

    paste -> it stands there whole -> Enter -> the box has let go
               |
               +-- anything else before Enter: the way back, our text out, the box empty as it was

The way back needs no knowledge of the text: a Backspace for every character that was pasted, and where the agent keeps its cursor
before the end, as many Deletes. More of them than there are characters do nothing.
"""

from hark.delivery.box import read_box, shows_placeholder
from hark.delivery.screen import Screen
from hark.delivery.steps import Begin, Delivery, Held, Paste, Press, Seen, Stuck
from hark.delivery.submit import Job, Test, ends_at_cursor, submit, wait_for_echo, watch_for
from hark.model.message import HoldReason

TAB_WIDTH = 4
"""Agents that draw a tab as blanks keep so many of them."""
SPARE_ERASURES = 8
OUT_WITHIN_S = 0.4


def into_free_box(job: Job, before: Screen | None = None, has_let_go: Test | None = None) -> Delivery:
    """`before`: the screen with the empty box. `has_let_go`: see `submit`."""
    if not (yield Begin()):
        return Held(HoldReason.BUSY, "the delivery was called off")
    yield Paste(job.text)
    echoed = yield from wait_for_echo(job, before)
    outcome = (yield from submit(job, echoed, has_let_go)) if isinstance(echoed, Seen) else echoed
    return (yield from retreat(job, outcome)) if isinstance(outcome, Stuck) else outcome


def retreat(job: Job, stuck: Stuck) -> Delivery:
    """Takes our text out of the box. Held when the box is seen empty; otherwise our text is still there, as before.

    Only from a box that is to be seen, or whose last row ends with our text at the cursor: anything else may be a dialog. A box
    that is empty already tells nothing, for somebody may have submitted our text."""
    seen = yield from watch_for(lambda screen: _shows_box(screen, job), OUT_WITHIN_S)
    box = read_box(seen.screen, job.look)
    if not _shows_box(seen.screen, job) or (box and box.is_empty):
        return stuck
    count = SPARE_ERASURES if box and shows_placeholder(box, job.look) else erasures(job.text)
    for key in ("BSpace", "DC"):
        if not (yield Press((key,) * count)):
            return stuck
        seen = yield from watch_for(lambda screen: is_empty(screen, job), OUT_WITHIN_S)
        if is_empty(seen.screen, job):
            return Held(HoldReason.BUSY, stuck.detail)
    return stuck


def _shows_box(screen: Screen, job: Job) -> bool:
    return read_box(screen, job.look) is not None or ends_at_cursor(screen, job)


def erasures(text: str) -> int:
    """How many Backspaces take a text out of any box."""
    return len(text) + (TAB_WIDTH - 1) * text.count("\t") + SPARE_ERASURES


def is_empty(screen: Screen, job: Job) -> bool:
    box = read_box(screen, job.look)
    return box is not None and box.is_empty
