"""What every carrier does with its text in the box: wait for the echo, let it settle, stage, press Enter, see the box let go.

hark knows what is in the box by construction, not by its looks: the human's keys are held and the box was seen empty, so every
byte that the agent reads is ours. Before Enter the screen has to show three things: the input box is there and no dialog; our
header with the id, or the agent's placeholder for a paste, stands in it; and the agent has read all we wrote and has come to
rest. The terminal checks in the same instant that nothing has moved. An Enter that had no effect is pressed again only on the
same proof.
"""

import re
from collections.abc import Callable, Generator
from functools import partial
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from hark.delivery.budget import ECHO_WITHIN_S, HELD_FOR_S
from hark.delivery.carriers.steps import (
    Answer,
    AskTaken,
    AskUnread,
    Delivery,
    Held,
    LeaveUndo,
    Look,
    LookAgain,
    Outcome,
    Press,
    PressEnter,
    Seen,
    Stage,
    Step,
    Stuck,
    Submitted,
    Unproven,
)
from hark.delivery.carriers.undo import NOTHING_TAKEN, Undo, WayBack, erasures, ways_out
from hark.delivery.screen.box import (
    Box,
    BoxLook,
    ends_with,
    holds_placeholder,
    holds_text,
    mentions,
    read_box,
    shows_placeholder,
    undisputed,
)
from hark.delivery.screen.capture import Screen
from hark.delivery.wording import catches_enter
from hark.model.message import HoldReason

REST_S = 0.1
"""How long a box must have looked the same to count as drawn."""
ASK_EVERY_S = 0.15
READ_WITHIN_S = 0.5
"""How much longer to wait for an agent that does not read for a moment."""
LET_GO_WITHIN_S = 2.0
PRINTS_WITHIN_S = 0.05
"""How long to wait after a paste for the agent to print something, before looking at its screen anyway."""
DRAWN_WITHIN_S = 0.5
ENTERS = 3
NOT_ECHOED = "the paste was not echoed"
TOO_SLOW = "the agent is too slow at the moment: the human's keys could not be held until the end"
KEPT = "the agent took the text and kept it in its box"
KEPT_S = 0.3
"""How long our text must stay in the box after the agent has taken it to count as kept: a box lets go of a text in the instant in which
the agent takes it, or in the moment after it."""
AT_WORK = "a turn is running, and typing during it is not safe"

Looking = Generator[Step, Answer, Seen]
Test = Callable[[Screen], bool]


Lines = Literal["visual", "logical", "unknown"]


class Job(Struct, frozen=True, kw_only=True):
    """A message on its way into a box."""

    text: str
    message_id: str
    look: BoxLook
    settle_s: float = 0.0
    lines: Lines = "unknown"
    """Whether the agent's line keys go by rows as they are wrapped, or by the lines of the text."""
    held_for_s: float = HELD_FOR_S
    """How much longer the human's keys are held."""
    has_seen_header: bool = False
    """True if the box has shown our header, and nothing else, before the rest of the text went in: then a box that shows only the end of
    the text, or anything without the header, holds our text."""
    way_back: WayBack = NOTHING_TAKEN

    @property
    def header(self) -> str:
        return self.text.partition("\n")[0]

    @property
    def undo(self) -> Undo:
        """The undo from before our text goes in until the Enter."""
        return self.way_back.before_enter(self.text, self.look)


def look() -> Looking:
    seen = yield Look()
    assert isinstance(seen, Seen)
    return seen


def look_again(within_s: float) -> Looking:
    seen = yield LookAgain(within_s)
    assert isinstance(seen, Seen)
    return seen


def watch_for(test: Test, within_s: float, *, is_to_print: bool = False) -> Looking:
    """Return the first screen that passes the test, or the last one before the time is over. The time counts from when the agent has
    read what was written to it. `is_to_print` says that there is nothing new to see before the agent has printed something."""
    began = seen = yield from (look_again(PRINTS_WITHIN_S) if is_to_print else look())
    asked_at_s, ends_at_s = began.at_s, began.at_s + within_s
    while not test(seen.screen) and (left := ends_at_s - seen.at_s) > 0:
        if seen.at_s - asked_at_s >= ASK_EVERY_S:
            asked_at_s = seen.at_s
            if (yield AskUnread()):
                ends_at_s = min(seen.at_s + within_s, began.at_s + within_s + READ_WITHIN_S)
        seen = yield from look_again(min(left, ASK_EVERY_S))
    return seen


def wait_for_echo(job: Job, before: Screen | None = None) -> Generator[Step, Answer, Seen | Outcome]:
    """Return the screen on which our whole paste stands in the box, or what becomes of the message if none comes in time.

    `before` is the screen before the paste. Our text is not in the box if a dialog has come in its way, or if nothing at all has
    happened on the screen since. A box that has stayed empty says nothing: a slow agent may still draw our text in it."""
    was_filled = False

    def has_echo(screen: Screen) -> bool:
        nonlocal was_filled
        box = read_box(screen, job.look)
        was_filled = was_filled or (ends_at_cursor(screen, job) if box is None else not box.is_empty)
        return holds_ours(screen, job)

    seen, is_there = yield from watch_at_rest(job, has_echo, lambda box: _may_be_drawn(box, job), ECHO_WITHIN_S)
    if is_there:
        return seen
    is_in_the_way = read_box(seen.screen, job.look) is None
    is_unchanged = before is None or seen.screen.rows == before.rows
    if before is not None and not was_filled and not is_in_the_way and not seen.screen.contains(job.message_id):
        reason = HoldReason.DIALOG if is_unchanged else HoldReason.BUSY
        return Stuck(NOT_ECHOED, is_refused=True, unseen=reason, is_late=True)
    if not was_filled and (is_in_the_way or is_unchanged) and not seen.screen.contains(job.message_id):
        return Held(HoldReason.DIALOG, NOT_ECHOED, is_refused=True, is_late=not is_in_the_way)
    return _judge_no_echo(seen.screen, job)


def watch_at_rest(
    job: Job, test: Test, may_be_it: Callable[[Box], bool], within_s: float
) -> Generator[Step, Answer, tuple[Seen, bool]]:
    """Return the first screen that passes the test, or on which a box that passes `may_be_it` has come to rest: the box has looked the
    same for a moment, and the agent has read all that was written to it. Return also whether there was such a screen in time."""
    rest: _Rest | None = None
    began = seen = yield from look_again(PRINTS_WITHIN_S)
    while not test(seen.screen):
        box = read_box(seen.screen, job.look)
        rest = _rest_of(box if box and may_be_it(box) else None, rest, seen.at_s)
        if rest and seen.at_s - rest.since_s >= REST_S and not (yield AskUnread()):
            return seen, True
        left_s = began.at_s + within_s - PRINTS_WITHIN_S - seen.at_s
        if left_s <= 0:
            return seen, False
        seen = yield from look_again(min(left_s, REST_S) if rest else left_s)
    return seen, True


class _Rest(Struct, frozen=True):
    """A box, and since when it has looked the same."""

    box: Box
    since_s: float


def _rest_of(box: Box | None, rest: _Rest | None, now_s: float) -> _Rest | None:
    if box is None:
        return None
    return rest if rest and same_looks(rest.box, box) else _Rest(box, now_s)


def same_looks(one: Box, other: Box) -> bool:
    """Return whether two looks at a box show the same rows and the same cursor, wherever the box stands on the screen."""
    return (one.rows, one.cursor_row, one.cursor_x) == (other.rows, other.cursor_row, other.cursor_x)


def submit(job: Job, seen: Seen, has_let_go: Test | None = None) -> Delivery:
    """Submit our text, which stands in the box. `has_let_go` tests whether the box has let go, for a box that may then hold something
    else, such as the draft."""
    released = has_let_go or (lambda screen: let_go(screen, job))
    echoed = read_box(seen.screen, job.look)
    seen = yield from settle(job.settle_s, seen)
    is_staged, pressed = False, 0
    for _ in range(ENTERS):
        if not _still_holds_ours(seen.screen, job, echoed):
            if pressed:
                return Unproven("the box changed after Enter")
            return Stuck("the box changed before Enter", is_refused=True)
        if not is_staged and not (yield Stage()):
            return Stuck("the delivery was called off while the text was in the box")
        is_staged = True
        proof = _proof(seen.screen, job.message_id)
        if not (yield PressEnter(seen.screen, proof, job.way_back.after_enter)):
            # A screen that moved may be half drawn: wait until it shows our text again, or until the time is over, and then judge it.
            seen = yield from watch_for(lambda screen: _still_holds_ours(screen, job, echoed), DRAWN_WITHIN_S)
            continue
        pressed += 1
        began_line = _begins_line_after(seen.screen, job)
        is_still_there = partial(_still_holds_ours, job=job, echoed=echoed)
        seen, is_kept = yield from watch_after_enter(job, _either(released, began_line), is_still_there, seen)
        if released(seen.screen):
            return (yield from submitted(job))
        if is_kept:
            return (yield from erase_kept(job, seen))
        if (yield AskTaken()):
            return Unproven(KEPT)
        if began_line(seen.screen):
            yield LeaveUndo(job.undo)
            # The agent works slower than its data file says: each time it gets longer to settle.
            seen = yield from settle(job.settle_s * (pressed + 1), seen)
    if pressed == ENTERS:
        return Unproven("Enter was pressed, and the text is still in the box")
    if pressed and not _still_holds_ours(seen.screen, job, echoed):
        return Unproven("the box changed after Enter")
    # It is proven where our text is, and only the hold was over: whoever takes this delivery up again goes on from there.
    return Stuck("Enter had no effect" if pressed else "the screen never stood still", is_refused=True)


def submitted(job: Job) -> Delivery:
    """Return the outcome once the box has let go of our text: from now on only the draft has to go back. If the hold was over first, its
    undo may have emptied the box."""
    back = job.way_back
    if back.after_enter and not (yield LeaveUndo(back.after_submit)):
        return Unproven("the human's keys were released before the message's text was seen to leave the box")
    return Submitted()


def wait_for_idle(*, is_in_box: bool) -> Delivery:
    """Press nothing at all, and return that the message has to wait: a turn is running, and typing during it is not safe."""
    return Stuck(AT_WORK) if is_in_box else Held(HoldReason.BUSY, AT_WORK)
    yield


def wait_for_turn(shows_turn: Test, within_s: float) -> Looking:
    """Wait until the agent shows that it has begun with what was submitted: a key that comes sooner reaches the agent between the submit
    and the turn."""
    return (yield from watch_for(shows_turn, within_s))


def wait_for_box(box_look: BoxLook) -> Looking:
    """Wait until the agent draws its box, after it was told that its terminal has the focus."""
    return (yield from watch_for(lambda screen: read_box(screen, box_look) is not None, DRAWN_WITHIN_S))


def no_box(screen: Screen, box_look: BoxLook) -> Held:
    """Return why there is no box to deliver into."""
    if is_shell_command(screen, box_look):
        return Held(HoldReason.DRAFT, "a command for the shell is in the box")
    return Held(HoldReason.DIALOG, "there is no input box at the cursor")


def is_shell_command(screen: Screen, box_look: BoxLook) -> bool:
    looks = [replace(box_look, prompt=box_look.shell)] if box_look.shell else []
    looks += [replace(box_look, tail=box_look.shell_tail)] if box_look.shell_tail else []
    return any(read_box(screen, shell) is not None for shell in looks)


def holds_ours(screen: Screen, job: Job) -> bool:
    """Return whether the box holds our text, for a box that was empty before we pasted: in such a box the placeholder for a long paste
    stands for ours."""
    box = read_box(screen, job.look)
    return box is not None and (
        _shows_text(box, job) or (box.is_cursor_at_end and holds_placeholder(box, job.look, job.text))
    )


def _shows_text(box: Box, job: Job) -> bool:
    """Return whether the box shows our text, as far as a screen can tell; or only its end, if its header was seen before."""
    return holds_text(box, job.text) or (
        job.has_seen_header and box.is_cursor_at_end and _is_without_header(box, job) and ends_with(box, job.text)
    )


def _is_without_header(box: Box, job: Job) -> bool:
    """Return whether the rest of our text has pushed the header out of sight."""
    return not box.is_empty and not mentions(box, job.message_id)


def _may_be_drawn(box: Box, job: Job) -> bool:
    """Return whether a box that has come to rest with these looks holds our whole text. If the header was seen before, the header alone
    is not the whole text."""
    if not job.has_seen_header:
        return begins_with_ours(box, job)
    is_more = undisputed("".join(box.rows)) != undisputed(job.header)
    return _is_without_header(box, job) or (is_more and begins_with_ours(box, job))


def ends_at_cursor(screen: Screen, job: Job) -> bool:
    """Return whether the text before the cursor is the end of our text. This end can be seen even if the box is too large for the
    screen; if it cannot, a dialog may have come since."""
    before = [screen.rows[screen.cursor_y].part(0, screen.cursor_x), *reversed(screen.rows.plain[: screen.cursor_y])]
    last = next((row.strip() for row in before if row.strip()), "")
    return bool(last) and job.text.rstrip().endswith(last)


def let_go(screen: Screen, job: Job) -> bool:
    """Return whether the box is there without our text, or a dialog stands in its place and our text is in the transcript. A box behind
    copy mode, or drawn with the cursor hidden, still counts as the box."""
    box = _box_behind(screen, job)
    if box is None:
        return screen.contains(job.message_id) and not _may_be_in_a_box(screen, job)
    # The header of a text that the screen cannot show whole is out of sight: the rest of such a text may look like anything.
    return box.is_empty or not (job.has_seen_header or may_be_ours(box, job))


def _box_behind(screen: Screen, job: Job) -> Box | None:
    """Return the box, even if it stands behind copy mode or is drawn with the cursor hidden."""
    return read_box(replace(screen, in_mode=False), replace(job.look, needs_visible_cursor=False))


def begins_with_ours(box: Box, job: Job) -> bool:
    """Return whether nothing stands before our header, or before the placeholder for our paste. A key of the human's that the agent had
    read but not drawn when the box looked empty would stand there."""
    shown = "".join(box.rows)
    if job.look.placeholder and re.match(job.look.placeholder, shown.strip()):
        return True
    if job.has_seen_header and _is_without_header(box, job):
        return True
    return mentions(box, job.message_id) and undisputed(shown).startswith(undisputed(job.header))


def may_be_ours(box: Box, job: Job) -> bool:
    """Return whether the box may hold our text, alone or beside other text: a placeholder does not say whose paste it stands for."""
    is_end = job.has_seen_header and _is_without_header(box, job) and ends_with(box, job.text)
    return is_end or mentions(box, job.message_id) or shows_placeholder(box, job.look)


def _may_be_in_a_box(screen: Screen, job: Job) -> bool:
    """Return whether our id stands where a box would be, although no box can be read there: below the row that is drawn above a box, or
    with the rows above it out of sight."""
    if job.look.above is None:
        return False
    rows = screen.rows.plain
    [*_, last] = [y for y in range(len(rows)) if _begins_with_id(rows[y:], job.message_id)] or [0]
    while last > 0 and not rows[last][: job.look.indent].strip():
        last -= 1
    is_first_row = re.match(job.look.prompt, rows[last] + "  ") is not None
    if last == 0:
        return is_first_row or not rows[0][: job.look.indent].strip()
    return is_first_row and re.fullmatch(job.look.above, rows[last - 1]) is not None


def _begins_with_id(rows: list[str], message_id: str) -> bool:
    """Return whether the message id begins in the first of these rows, also if a wrap cuts it in two."""
    two = "".join(row.strip() for row in rows[:2])
    return message_id in two and message_id not in "".join(row.strip() for row in rows[1:2])


def _judge_no_echo(screen: Screen, job: Job) -> Outcome:
    box = read_box(screen, job.look)
    if box is None:
        return Stuck("the box is hidden, and the message's text may be in it", is_late=True)
    if not box.is_empty:
        # The rest of the text may still come behind its header.
        is_begun = job.has_seen_header and begins_with_ours(box, job)
        return Stuck("the box holds something other than what hark pasted", is_refused=True, is_late=is_begun)
    return Stuck(
        "the box is empty again, and somebody may have submitted the message's text", is_refused=True, is_late=True
    )


def _still_holds_ours(screen: Screen, job: Job, echoed: Box | None) -> bool:
    """Return whether the box shows what it showed as the echo, or the same text in other rows. A placeholder that the echo did not show
    stands for somebody else's paste."""
    box = read_box(screen, job.look)
    if box is None:
        return False
    is_same = echoed is not None and same_looks(box, echoed) and (may_be_ours(box, job) or job.has_seen_header)
    if is_same and shows_placeholder(box, job.look):
        return True
    return (is_same or _shows_text(box, job)) and _is_guarded(screen, job)


def _is_guarded(screen: Screen, job: Job) -> bool:
    """Return whether the blank that keeps Enter from meaning something else is still there, if our text needs one. The agent may have
    trimmed it: the cell before the cursor tells. A row may end before the blank cells at its end."""
    if not catches_enter(job.text.rstrip()):
        return True
    row = screen.rows[screen.cursor_y]
    if not row.text.isascii():
        # The agent and the terminal may not agree on the columns of this row; nobody trims a paste.
        return True
    return screen.cursor_x > len(row.cells) or row.part(0, screen.cursor_x)[-1:].isspace()


def _begins_line_after(before: Screen, job: Job) -> Test:
    """Return a test for screens on which the Enter that was pressed on `before` has made a new line: our text, and nothing else, still
    stands in the box, and the cursor stands in a lower row of it. Another Enter submits our text, and agents trim the new line."""
    was = read_box(before, job.look)

    def begins_line(screen: Screen) -> bool:
        box = read_box(screen, job.look)
        if job.look.rows is None and re.match(job.look.prompt, screen.rows[screen.cursor_y].text + "  "):
            # This is another box, below our text in the transcript: only its prompt tells the two apart.
            return False
        return bool(was and box and _is_lower(box, was) and _shows_text(box, job))

    return begins_line


def _is_lower(box: Box, was: Box) -> bool:
    """Return whether the cursor stands in a lower row than before, or in an empty row if the box shows only its end."""
    return box.cursor_row > was.cursor_row or (not box.rows[box.cursor_row].strip() and box.rows[:-1] == was.rows[1:])


def _either(one: Test, other: Test) -> Test:
    return lambda screen: one(screen) or other(screen)


def watch_after_enter(
    job: Job, released: Test, is_still_there: Test, before: Seen, within_s: float = LET_GO_WITHIN_S
) -> Generator[Step, Answer, tuple[Seen, bool]]:
    """Return the screen on which the box has let go, or the last one in time, and whether the agent has our text in its transcript and
    has still kept it in the box for a moment: Claude Code keeps a text whose Enter comes in the instant in which a turn ends. The
    agent's word by a hook does not count, because it may come long before the agent draws. A screen without a box counts only when it
    has stood for a moment, because it may be half drawn."""
    seen, taken_at_s, no_box_at_s = before, None, None
    while (left := before.at_s + within_s - seen.at_s) > 0:
        seen = yield from look_again(min(left, ASK_EVERY_S))
        no_box_at_s = None if _box_behind(seen.screen, job) else no_box_at_s or seen.at_s
        if released(seen.screen) and (no_box_at_s is None or seen.at_s - no_box_at_s >= REST_S):
            break
        if not is_still_there(seen.screen):
            taken_at_s = None
        elif taken_at_s is None:
            taken_at_s = seen.at_s if _stands_above(seen.screen, job) else None
        elif seen.at_s - taken_at_s >= KEPT_S:
            return seen, True
    return seen, False


def _stands_above(screen: Screen, job: Job) -> bool:
    """Return whether our header stands in the transcript above the box."""
    box = read_box(screen, job.look)
    above = screen.rows.plain[: box.top] if box else []
    return job.message_id in job.header and any(_begins_with_id(above[y:], job.message_id) for y in range(len(above)))


def erase_kept(job: Job, seen: Seen) -> Delivery:
    """Take our text out of a box from which the agent has taken it already. The draft is where it was before the Enter."""
    box = read_box(seen.screen, job.look)
    presses = erasures(job.header) if box and shows_placeholder(box, job.look) else erasures(job.text, job.look)
    if not (yield LeaveUndo(job.undo)):
        return Unproven(KEPT)
    for keys in [job.look.empty_keys] if job.look.empty_keys else ways_out(presses, job.look):
        if not (yield Press(keys)):
            break
        seen = yield from watch_for(lambda screen: _is_emptied(screen, job), DRAWN_WITHIN_S)
        if _is_emptied(seen.screen, job):
            return Submitted(KEPT, was_kept=True)
        if (yield AskUnread()):
            break
    return Unproven(KEPT)


def _is_emptied(screen: Screen, job: Job) -> bool:
    box = read_box(screen, job.look)
    return box is not None and box.is_empty


def settle(settle_s: float, seen: Seen) -> Looking:
    """Wait for this time and return the screen after it: some agents take an Enter that comes too soon after a paste for part of the
    paste."""
    since = seen.at_s
    while (left := since + settle_s - seen.at_s) > 0:
        seen = yield from look_again(left)
    return seen


def _proof(screen: Screen, message_id: str) -> str:
    """Return what must still be on the screen when Enter is pressed: the message id, or as much of it as stands in one row. A collapsed
    paste shows no id."""
    for length in range(len(message_id), 3, -1):
        if any(message_id[:length] in line for line in screen.rows.plain):
            return message_id[:length]
    return ""
