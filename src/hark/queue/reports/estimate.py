"""Tells the sender of a message when it will be delivered, in one word that names the true reason.

The words are a contract (docs/api.md). After `waiting_for_` a word names the reason for which the message is held or is about to
be held.
"""

from msgspec import Struct

from hark.model.message import HoldReason, Message, Mode
from hark.queue.lifecycle import PENDING
from hark.queue.turns import Phase


class Outlook(Struct, frozen=True, kw_only=True):
    """What is known about a message and its session at the moment of sending."""

    message: Message
    position: int
    """The place of the message in the order of delivery; the message that is delivered next has place 1."""
    first: Message | None = None
    """The message that is delivered next to the session: all others wait for the same reason as this one."""
    obstacle: HoldReason | None = None
    """The reason why the gate lets no delivery to the session start now; None if a delivery may start."""
    phase: Phase = Phase.UNKNOWN
    is_for_hook: bool = False
    """True if the agent's own hook takes the message during the running turn or at the end of the turn."""
    is_typed_when_idle: bool = False
    """True if hark types to the agent only between turns."""
    can_interrupt: bool = True
    """True if the agent has a key or a call by which hark can end its turn for an urgent message."""


def estimate(outlook: Outlook) -> str:
    message = outlook.message
    if message.status not in PENDING:
        return str(message.status)
    if message.is_inbox:
        return "when_the_inbox_is_checked"
    if message.is_kept_back:
        return waiting_for(HoldReason.LOOP)
    if outlook.obstacle:
        return waiting_for(outlook.obstacle)
    if outlook.first and outlook.first.hold_reason:
        return waiting_for(outlook.first.hold_reason)
    if outlook.position > 1:
        return "after_earlier_messages"
    if outlook.phase is Phase.WAITING:
        return waiting_for(HoldReason.DIALOG)
    if outlook.phase is not Phase.BUSY or (message.mode is Mode.URGENT and outlook.can_interrupt):
        return "now"
    if outlook.is_for_hook:
        return waiting_for(HoldReason.BUSY)
    return "waiting_for_idle" if outlook.is_typed_when_idle or message.is_alone else "next_turn"


def waiting_for(reason: HoldReason) -> str:
    return f"waiting_for_{reason.replace('-', '_')}"
