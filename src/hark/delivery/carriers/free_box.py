"""An empty box that is ours, because the human's keys are held: the message goes in, and comes out again if it cannot be submitted.

    paste -> it stands there whole -> Enter -> the box has let go
               |
               +-- anything else before Enter: the way back, our text out, the box empty as it was

A text that the screen cannot show whole goes in by two pastes, unless the agent surely shows a placeholder for it: first the
header, which is seen to stand alone in the box, then the rest, which may push the header out of sight. Whatever the box shows
then is ours.

The way back needs no knowledge of the text. It presses the keys by which the agent empties its box, if its data file names them;
otherwise a Backspace for every pasted character, and as many Deletes for an agent that keeps its cursor before the end. Surplus
presses do nothing. In vim's normal mode Backspaces do nothing either: an agent with such a mode needs its key for the insert mode
before the Backspaces, or keys behind them that erase whole rows.
"""

from msgspec.structs import replace

from hark.delivery.carriers.steps import (
    AskUnread,
    Begin,
    Delivery,
    Held,
    LeaveUndo,
    Outcome,
    Paste,
    Press,
    Seen,
    Stuck,
    is_late,
)
from hark.delivery.carriers.submit import (
    Job,
    Test,
    begins_with_ours,
    ends_at_cursor,
    may_be_ours,
    submit,
    wait_for_echo,
    watch_for,
)
from hark.delivery.carriers.undo import LATE_S, NOTHING_TAKEN, Write, after_enter_on_empty, erasures, ways_out
from hark.delivery.screen.box import Box, read_box, shows_placeholder
from hark.delivery.screen.capture import Screen
from hark.delivery.wording import fits
from hark.model.message import HoldReason

OUT_WITHIN_S = 0.4
EMPTY_WITHIN_S = 0.6
"""How long to wait after the keys that empty the box: there is no other way to try than the same keys again."""
NOT_HELD = "the human's keys are no longer held"


def into_free_box(job: Job, before: Screen | None = None, has_let_go: Test | None = None) -> Delivery:
    """Deliver the message into the empty box. `before` is the screen with the empty box; `has_let_go` is explained at `submit`."""
    if job.way_back == NOTHING_TAKEN:
        job = replace(job, way_back=after_enter_on_empty(job.text, job.look))
    if not (yield LeaveUndo(job.undo)):
        return Held(HoldReason.CALLED_OFF, NOT_HELD)
    if not (yield Begin()):
        return Held(HoldReason.CALLED_OFF, "the delivery was called off")
    return (yield from paste_and_submit(job, before, has_let_go))


def paste_and_submit(job: Job, before: Screen | None = None, has_let_go: Test | None = None) -> Delivery:
    """Deliver the message into the empty box, once the step Begin is done."""
    if before and goes_in_two(job, before):
        header = replace(job, text=job.header)
        yield Paste(header.text)
        alone = yield from wait_for_echo(header, before)
        if not isinstance(alone, Seen):
            return (yield from _or_retreat(header, alone))
        job = replace(job, has_seen_header=True, look=replace(job.look, is_cut_read=True))
        before = None
    yield Paste(job.text.removeprefix(job.header) if job.has_seen_header else job.text)
    echoed = yield from wait_for_echo(job, before)
    outcome = (yield from submit(job, echoed, has_let_go)) if isinstance(echoed, Seen) else echoed
    return (yield from _or_retreat(job, outcome))


def goes_in_two(job: Job, screen: Screen) -> bool:
    """Return whether the text goes in by two pastes, because the screen may show neither the whole text nor a placeholder for it. A raw
    text goes in by one paste: it is one line, and has no header."""
    is_collapsed = job.look.collapses_over is not None and len(job.text) > job.look.collapses_over
    has_header = "\n" in job.text and job.message_id in job.header
    return has_header and not is_collapsed and not fits(job.text, screen.columns, len(screen.rows))


def _or_retreat(job: Job, outcome: Outcome) -> Delivery:
    if is_late(outcome):
        # A key that comes before the paste erases nothing.
        yield LeaveUndo((Write(then_wait_s=LATE_S), *job.undo))
    return (yield from retreat(job, outcome)) if isinstance(outcome, Stuck) else outcome


def retreat(job: Job, stuck: Stuck) -> Delivery:
    """Take our text out of the box. Return Held if the box is seen without our text; otherwise our text is still there, as before.

    Keys are pressed only into a box that can be seen, or whose last row ends with our text at the cursor: anything else may be a
    dialog. A box that is empty again tells nothing, because somebody may have submitted our text. If our text was never seen, the
    keys go right behind it: an agent that is slow to draw works off both in their order."""
    seen = yield from watch_for(lambda screen: _shows_box(screen, job), OUT_WITHIN_S)
    box = read_box(seen.screen, job.look)
    if box and box.is_empty and stuck.unseen:
        return (yield from _retreat_unseen(box, job, stuck, stuck.unseen))
    if not _shows_box(seen.screen, job) or (box and box.is_empty):
        return stuck
    is_beside = box is not None and may_be_ours(box, job) and not begins_with_ours(box, job)

    def is_out(screen: Screen) -> bool:
        now = read_box(screen, job.look)
        return now is not None and (now.is_empty or (is_beside and not may_be_ours(now, job)))

    for keys in _ways_out(box, job, is_beside=is_beside):
        if not (yield Press(keys)):
            return stuck
        seen = yield from watch_for(is_out, EMPTY_WITHIN_S if keys == job.look.empty_keys else OUT_WITHIN_S)
        if is_out(seen.screen):
            return Held(HoldReason.CALLED_OFF, stuck.detail, is_refused=stuck.is_refused, is_late=stuck.is_late)
        if (yield AskUnread()):
            # An agent that reads these keys together with the next ones takes them for a paste.
            break
    # An undo presses more keys than our text needs, and these would erase the text before ours.
    return replace(stuck, is_late=not is_beside)


def _retreat_unseen(box: Box, job: Job, stuck: Stuck, reason: HoldReason) -> Delivery:
    erasing, by_rows = (ways := _ways_out(box, job, is_beside=False))[:2], ways[2:]
    for keys in erasing:
        if not (yield Press(keys)):
            return stuck
    # An agent that reads these keys together with the ones before takes them for a paste; the undo presses them again.
    for keys in by_rows:
        if (yield AskUnread()):
            break
        if not (yield Press(keys)):
            return stuck
    return Held(reason, stuck.detail, is_refused=stuck.is_refused, is_late=True)


def _ways_out(box: Box | None, job: Job, *, is_beside: bool) -> list[tuple[str, ...]]:
    """Return the keys that take our text out, to be pressed in turn until it is out. Text that a human has typed beside ours stays."""
    ways = ways_out(_presses(box, job, is_beside=is_beside), job.look)
    if is_beside:
        return ways[:2]
    return [job.look.empty_keys] * 2 if job.look.empty_keys else ways


def _presses(box: Box | None, job: Job, *, is_beside: bool) -> int:
    """Return how many Backspaces take our text out: not one too many if a key of the human's stands before our text."""
    if box and shows_placeholder(box, job.look):
        return 1 if is_beside else erasures(job.header)
    return len(job.text) if is_beside else erasures(job.text, job.look)


def _shows_box(screen: Screen, job: Job) -> bool:
    return read_box(screen, job.look) is not None or ends_at_cursor(screen, job)
