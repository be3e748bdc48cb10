"""One delivery over a native channel: no key is pressed, so nothing that a human does is in its way.

It needs no mark before it: a channel that is asked again with the same message id looks for it first.
"""

from hark.agents.native.channel import Delivered, NativeChannel, Reason, Refused
from hark.daemon.ledger import Ledger
from hark.delivery.gate import Hold
from hark.model.message import HoldReason, Lease, Message, Mode

ASK_AGAIN_S = 1.0


async def deliver_natively(
    channel: NativeChannel, message: Message, text: str, lease: Lease, ledger: Ledger
) -> Hold | Refused | None:
    """None when the agent has it; a Refused when the channel cannot be used any more."""
    may_join = message.mode is not Mode.SEQUENTIAL
    outcome = await channel.deliver([message.id], text, may_join=may_join)
    if isinstance(outcome, Delivered):
        await ledger.record_native(message, lease)
        return None
    if isinstance(outcome, Refused) and outcome.reason is not Reason.BUSY:
        return outcome
    return Hold(HoldReason.BUSY, outcome.detail, ASK_AGAIN_S)
