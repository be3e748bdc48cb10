"""When a message is delivered, in one word that names the true reason: for the answer to whoever sends it.

The words are a contract (docs/api.md). A word that begins with `waiting_for_` is followed by the reason of the hold that the
message has, or is about to have.
"""

from msgspec import Struct

from hark.model.message import HoldReason, Message, Mode
from hark.queue.lifecycle import PENDING
from hark.queue.turns import Phase


class Outlook(Struct, frozen=True, kw_only=True):
    """What is known about a message and its session at the moment of sending."""

    message: Message
    position: int
    """The place of the message in the order of delivery; 1 is the next one."""
    first: Message | None = None
    """The message that is delivered next to that session: its reason to wait is everybody's."""
    obstacle: HoldReason | None = None
    """What the gate says about the session now."""
    phase: Phase = Phase.UNKNOWN
    is_for_hook: bool = False
    """The agent's own hook takes the message during the running turn or at its end."""
    is_typed_when_idle: bool = False
    """The agent is not typed to during a turn."""
    can_interrupt: bool = True
    """The agent has a key or a call that ends its turn for an urgent message."""


def estimate(outlook: Outlook) -> str:
    message = outlook.message
    if message.status not in PENDING:
        return str(message.status)
    if message.is_inbox:
        return "when_the_inbox_is_checked"
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
    return "waiting_for_idle" if outlook.is_typed_when_idle else "next_turn"


def waiting_for(reason: HoldReason) -> str:
    return f"waiting_for_{reason.replace('-', '_')}"
