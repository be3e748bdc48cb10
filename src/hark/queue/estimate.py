"""When a message that waits is delivered, in one word, with the true reason: for the answer to whoever has sent it."""

from hark.model.message import HoldReason, Message, Mode
from hark.queue.turns import Phase


def estimate(
    message: Message, position: int, first: Message | None, phase: Phase, *, is_gone: bool, waits_for_idle: bool
) -> str:
    """`first`: the one that is next for that session; its reason to wait is everybody's. `waits_for_idle`: the agent is not
    typed to during a turn; another one takes the message and makes it its next turn."""
    if is_gone:
        return waiting_for(HoldReason.SESSION_GONE)
    if first and first.hold_reason:
        return waiting_for(first.hold_reason)
    if position > 1:
        return "after_earlier_messages"
    if phase is Phase.WAITING:
        return waiting_for(HoldReason.DIALOG)
    if phase is Phase.BUSY and waits_for_idle and message.mode is not Mode.URGENT:
        return "waiting_for_idle"
    return "now"


def waiting_for(reason: HoldReason) -> str:
    return f"waiting_for_{reason.replace('-', '_')}"
