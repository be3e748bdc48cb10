"""One delivery over a native channel. No key is pressed, so nothing that a human does is in the way of the delivery.

The message is staged durably before it is handed over. A message that is found staged may have been handed over already: the
channel gets it again, and looks for its id first. If there is no channel any more, nobody can tell whether it was handed over.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta

from hark.agents.kinds import AgentKind
from hark.agents.native.channel import Delivered, NativeChannel, Reason, Refused, State, Unclear
from hark.daemon.panes import Panes
from hark.daemon.session.key_holds import airlock_facts, take_grip
from hark.daemon.session.ledger import Ledger
from hark.delivery.carriers.steps import Submitted
from hark.delivery.gate import Hold, PaneState, check_unbegun
from hark.model.message import HoldReason, Lease, Message, Mode
from hark.model.session import Session
from hark.queue.lifecycle import TextPlace, text_place

ASK_AGAIN_S = 1.0
WOULD_JOIN = Hold(HoldReason.BUSY, "it would join the running turn", ASK_AGAIN_S, is_for_hook=True)
"""The hold of a message that must not join the running turn. The end of the turn ends the hold. The agent is not asked again whenever
it prints, because an agent that works prints all the time."""
LOST_AFTER = timedelta(seconds=30)


async def deliver_natively(
    channel: NativeChannel, messages: Sequence[Message], text: str, lease: Lease, ledger: Ledger, now: datetime
) -> Hold | Refused | None:
    """Hand the messages of one payload to the channel. Return None if nothing is left to do, a Hold if the messages have to wait, and a
    Refused if the channel cannot be used any more and the agent has not got the messages."""
    was_handed_over = text_place(messages[0]) is TextPlace.API
    may_join = messages[0].mode is not Mode.SEQUENTIAL
    if not was_handed_over:
        if not may_join and channel.joins_running_turn and await channel.state() in (State.BUSY, State.WAITING):
            return WOULD_JOIN
        messages = await ledger.stage_native(messages, lease)
    outcome = await channel.deliver([message.id for message in messages], text, may_join=may_join)
    if isinstance(outcome, Delivered):
        await ledger.record(messages, Submitted(), lease, None)
        return None
    if isinstance(outcome, Unclear) and not _is_lost(messages[0], now):
        return Hold(HoldReason.UNREACHABLE, outcome.detail, ASK_AGAIN_S)
    if isinstance(outcome, Unclear) or (was_handed_over and outcome.reason is Reason.GONE):
        for message in messages:
            await give_up(message, ledger)
        return None
    hold = WOULD_JOIN if outcome.reason is Reason.BUSY else Hold(HoldReason.UNREACHABLE, outcome.detail, ASK_AGAIN_S)
    for message in messages:
        await ledger.hold(message, hold, is_in_box=False)
    return hold if outcome.reason is Reason.BUSY else outcome


async def begin_natively(
    panes: Panes, session: Session, kind: AgentKind, deliver: Callable[[], Awaitable[Hold | Refused | None]]
) -> Hold | Refused | None:
    """Deliver a message that begins a conversation. The human's keys are held until the message is delivered, so that the human's Enter
    comes after it. An Enter that the human pressed shortly before may still be under way: then the message has to wait."""
    airlock = await airlock_facts(session)
    state = PaneState(is_there=True, last_key_age_s=airlock.last_key_age_s if airlock else None)
    if hold := check_unbegun(state, 0.0):
        return hold
    grip = await take_grip(panes, session, kind, "")
    if grip is None:
        return Hold(HoldReason.HUMAN_TYPING, "a human's keys could not be held", ASK_AGAIN_S)
    try:
        return await deliver()
    finally:
        await grip.release()


async def without_channel(message: Message, now: datetime, ledger: Ledger) -> Hold | None:
    """Hold a message that may have been handed over while the agent's API is away, and give the message up after `LOST_AFTER`."""
    if not _is_lost(message, now):
        return Hold(HoldReason.UNREACHABLE, "the agent's own API does not answer", ASK_AGAIN_S)
    await give_up(message, ledger)
    return None


def _is_lost(message: Message, now: datetime) -> bool:
    """Return True if the message has been on its way for so long that nobody will tell any more whether it has arrived."""
    return message.staged_at is None or now - message.staged_at >= LOST_AFTER


async def give_up(message: Message, ledger: Ledger) -> None:
    detail = "it may have been handed over, and the agent's own API does not say for certain"
    await ledger.mark_uncertain(message, detail)
