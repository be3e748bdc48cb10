"""Waits until the agent has drawn the human's keys that were let through before the hold began.

A hold keeps later keys back, but the last keys before it may still be on their way: the agent has not read them, or has read them
but not drawn them. Then the screen is older than the box: a draft that is read from the screen lacks those keys, and its cursor
stands where it stood before them. No screen shows that a key is missing (a blank at the end of a row, a mark without a width, an
arrow key), so the length of the wait is a measured one: an agent draws a key within `DRAWN_WITHIN_S`. An agent that was busy with
something else and reads late draws as soon as it has read: when its box has not changed for `REST_S`, it has drawn what it read
last.

If nobody has typed for `RECENT_S`, there is nothing to wait for, and no step is taken.
"""

from collections.abc import Generator

from msgspec import Struct

from hark.delivery.budget import RESTS_WITHIN_S
from hark.delivery.carriers.steps import Answer, AskUnread, Step
from hark.delivery.carriers.submit import look, look_again, same_looks
from hark.delivery.screen.box import BoxLook, read_box

DRAWN_WITHIN_S = 0.25
"""How long an agent takes at most to draw a key. Measured at a load of 10 on two cores: Claude Code takes 20 ms at the median and 109 ms
at most, Codex 23 and 39 ms, Gemini CLI 41 and 241 ms (147 keys each)."""
REST_S = 0.1
"""How long a box must have looked the same to count as drawn: more than nine of ten measured keys were drawn sooner."""
RECENT_S = 0.75
"""The age below which a key may still have to be drawn: no healthy agent leaves a key unread for half a second."""
POLL_S = 0.01
"""How often to ask whether the agent has read what was written to it."""
NOT_AT_REST = "the agent has not drawn the last keys yet"


class PastHold(Struct, frozen=True):
    """A hold of the human's keys that is over."""

    began_at_s: float
    ended_at_s: float
    """When the last of the held keys was let through."""


def age_of_last_key(now_s: float, pressed_in_s: int | None, past: PastHold | None) -> float | None:
    """Return how long ago the last key was let through, at least, if only the second in which it was pressed is known; None if no key is
    known. A key that was pressed during an earlier hold was let through at the end of that hold."""
    if pressed_in_s is None:
        return None
    age_s = now_s - pressed_in_s - 1
    if past and age_s < now_s - past.began_at_s:
        return min(age_s, now_s - past.ended_at_s)
    return age_s


class AtHold(Struct, frozen=True):
    """What is known about the human's keys in the moment after a hold has begun."""

    key_age_s: float | None
    """The least possible age of the last key that was let through, in seconds; None if no key is known."""
    has_unread: bool = False
    """True if the agent has not read everything that was written to it."""

    @property
    def is_at_rest(self) -> bool:
        return not self.has_unread and (self.key_age_s is None or self.key_age_s >= RECENT_S)


def come_to_rest(
    box_look: BoxLook, at_hold: AtHold, drawn_within_s: float = DRAWN_WITHIN_S
) -> Generator[Step, Answer, bool]:
    """Wait until the screen shows all the human's keys. Return False if the agent needs too long to read or to draw them."""
    if at_hold.is_at_rest:
        return True
    began = seen = yield from look()
    box, changed_at_s = read_box(seen.screen, box_look), began.at_s
    read_at_s = None if at_hold.has_unread else began.at_s - max(at_hold.key_age_s or 0.0, 0.0)
    while True:
        is_read = read_at_s is not None or not (yield AskUnread())
        drawn_at_s = (seen.at_s if read_at_s is None else read_at_s) + drawn_within_s
        left_s = max(changed_at_s + REST_S, drawn_at_s) - seen.at_s
        if is_read and left_s <= 0:
            return True
        if seen.at_s + left_s > began.at_s + RESTS_WITHIN_S:
            return False
        seen = yield from look_again(left_s if read_at_s is not None else POLL_S)
        if is_read and read_at_s is None:
            read_at_s = seen.at_s
        # If no box can be read, the agent may be in the middle of drawing: such a screen tells nothing.
        now = read_box(seen.screen, box_look) or box
        if now and not (box and same_looks(now, box)):
            box, changed_at_s = now, seen.at_s
