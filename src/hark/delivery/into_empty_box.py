"""The carrier `none`: into an empty box, and only then.

    look -> empty? -> paste -> wait for the echo -> exactly our text? -> settled? -> stage -> Enter -> the box let go?

Enter is pressed only on a screen on which the box holds exactly our text; the terminal checks in the same instant that
nothing has moved. An Enter that had no effect is pressed again only on the same proof.

A delivery that was cut short (daemon killed, box disturbed) is taken up again by `resume`, which first finds out where the
text is: in the box, in the transcript, or provably nowhere; if it cannot tell, it says so and does nothing.
"""

from collections.abc import Generator

from msgspec.structs import replace

from hark.delivery.box import Box, BoxLook, holds_exactly, holds_placeholder, mentions, read_box
from hark.delivery.screen import Screen
from hark.delivery.steps import (
    Answer,
    Begin,
    Delivery,
    Held,
    Look,
    LookAgain,
    Outcome,
    Paste,
    PressEnter,
    SearchHistory,
    Seen,
    Stage,
    Step,
    Stuck,
    Submitted,
    Unproven,
)
from hark.model.message import HoldReason

ECHO_WITHIN_S = 2.0
LET_GO_WITHIN_S = 2.0
ENTERS = 3


def deliver(text: str, message_id: str, look: BoxLook, settle_s: float) -> Delivery:
    seen = yield from _look()
    box = read_box(seen.screen, look)
    if box is None:
        return Held(HoldReason.DIALOG, "no input box at the cursor")
    if not box.is_empty:
        return Held(HoldReason.DRAFT, "somebody's text is in the box")
    if not (yield Begin()):
        return Held(HoldReason.BUSY, "the delivery was called off")
    yield Paste(text)
    echoed = yield from _wait_for_echo(text, message_id, look)
    if not isinstance(echoed, Seen):
        return echoed
    return (yield from _submit(text, message_id, look, settle_s, echoed))


def resume(text: str, message_id: str, look: BoxLook, settle_s: float, was_staged: bool) -> Delivery:
    """For a message whose text may be in the box already, or may have left it."""
    seen = yield from _look()
    box = read_box(seen.screen, look)
    if box and holds_exactly(box, text):
        return (yield from _submit(text, message_id, look, settle_s, seen))
    if box and mentions(box, message_id):
        return Stuck("our text is in the box beside other text")
    if box is None and seen.screen.contains(message_id):
        return Stuck("our text is on the screen, and may be in a box that is not to be seen")
    if (yield SearchHistory(message_id)):
        return Submitted("its id is in the transcript")
    if box is None:
        return Stuck("the input box is not to be seen, and our text may be in it")
    if holds_placeholder(box, look):
        return Stuck("a collapsed paste is in the box, which may be ours")
    if seen.screen.is_alternate or look.placeholder or (was_staged and not box.is_empty):
        return Unproven("its text is neither in the box nor on record in the terminal")
    return (
        Held(HoldReason.DRAFT, "somebody's text is in the box")
        if not box.is_empty
        else (yield from deliver(text, message_id, look, settle_s))
    )


def _wait_for_echo(text: str, message_id: str, look: BoxLook) -> Generator[Step, Answer, Seen | Outcome]:
    pasted = seen = yield from _look()
    while not _holds_ours(seen.screen, text, look):
        left = pasted.at_s + ECHO_WITHIN_S - seen.at_s
        if left <= 0:
            return _judge_no_echo(seen.screen, message_id, look)
        seen = yield from _look_again(left)
    return seen


def _judge_no_echo(screen: Screen, message_id: str, look: BoxLook) -> Outcome:
    box = read_box(screen, look)
    if box and not box.is_empty:
        return Stuck("the box holds something else than what we pasted")
    if screen.contains(message_id):
        return Stuck("our text is on the screen, but the box is not to be seen")
    return Held(HoldReason.DIALOG, "the paste was not echoed")


def _submit(text: str, message_id: str, look: BoxLook, settle_s: float, seen: Seen) -> Delivery:
    echoed = read_box(seen.screen, look)
    seen = yield from _settle(settle_s, seen)
    is_staged = is_pressed = False
    for _ in range(ENTERS):
        if not _still_holds_ours(seen.screen, text, look, echoed):
            return Unproven("the box changed after Enter") if is_pressed else Stuck("the box changed before Enter")
        if not is_staged and not (yield Stage()):
            return Stuck("the delivery was called off while the text was in the box")
        is_staged = True
        if not (yield PressEnter(seen.screen, _proof(seen.screen, message_id))):
            seen = yield from _look()
            continue
        is_pressed = True
        seen = yield from _wait_for_release(message_id, look, seen)
        if _let_go(seen.screen, message_id, look):
            return Submitted()
    return (
        Unproven("Enter was pressed, the text is still there") if is_pressed else Stuck("the screen never stood still")
    )


def _wait_for_release(message_id: str, look: BoxLook, before: Seen) -> Generator[Step, Answer, Seen]:
    seen = before
    while (left := before.at_s + LET_GO_WITHIN_S - seen.at_s) > 0:
        seen = yield from _look_again(left)
        if _let_go(seen.screen, message_id, look):
            return seen
    return seen


def _settle(settle_s: float, seen: Seen) -> Generator[Step, Answer, Seen]:
    """Some agents take an Enter that comes too soon after a paste for part of it."""
    since = seen.at_s
    while (left := since + settle_s - seen.at_s) > 0:
        seen = yield from _look_again(left)
    return seen


def _holds_ours(screen: Screen, text: str, look: BoxLook) -> bool:
    """Only to be asked of a box that was empty before we pasted: then a stand-in for a long paste stands for ours."""
    box = read_box(screen, look)
    return box is not None and (
        holds_exactly(box, text) or (box.is_cursor_at_end and holds_placeholder(box, look, text))
    )


def _still_holds_ours(screen: Screen, text: str, look: BoxLook, echoed: Box | None) -> bool:
    """A stand-in that was not there as the echo stands for somebody else's paste."""
    box = read_box(screen, look)
    return box is not None and (holds_exactly(box, text) or (box == echoed and holds_placeholder(box, look)))


def _let_go(screen: Screen, message_id: str, look: BoxLook) -> bool:
    """The box is there without our text; or a dialog stands in its place and our text is in the transcript. A box behind
    copy mode, or drawn with the cursor hidden, still is the box."""
    box = read_box(replace(screen, in_mode=False), replace(look, needs_visible_cursor=False))
    if box is None:
        return screen.contains(message_id)
    return box.is_empty or not _may_be_ours(box, message_id, look)


def _may_be_ours(box: Box, message_id: str, look: BoxLook) -> bool:
    return mentions(box, message_id) or holds_placeholder(box, look)


def _proof(screen: Screen, message_id: str) -> str:
    """What must still be on the screen: the id, or so much of it as stands in one row. A collapsed paste shows no id."""
    for length in range(len(message_id), 3, -1):
        if any(message_id[:length] in line for line in screen.rows.plain):
            return message_id[:length]
    return ""


def _look() -> Generator[Step, Answer, Seen]:
    seen = yield Look()
    assert isinstance(seen, Seen)
    return seen


def _look_again(within_s: float) -> Generator[Step, Answer, Seen]:
    seen = yield LookAgain(within_s)
    assert isinstance(seen, Seen)
    return seen
