"""The undo: the short list of writes that takes our text out of the box and puts the draft back.

It is known before our first byte goes in and is left with whoever holds the human's keys. The holder runs it without a look at the
screen when the daemon dies or the hold's deadline comes, and then lets the keys go.
"""

from msgspec import Struct


class Write(Struct, frozen=True):
    """Keys by tmux's names, or a text to paste; then a pause before the next write."""

    keys: tuple[str, ...] = ()
    paste: str = ""
    then_wait_s: float = 0.0


Undo = tuple[Write, ...]
