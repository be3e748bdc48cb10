"""One delivery over a native channel. No key is pressed, so nothing that a human does is in the way of the delivery.

The message is staged durably before it is handed over. A message that is found staged may have been handed over already: the
channel gets it again, and looks for its id first. If there is no channel any more, nobody can tell whether it was handed over.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from functools import partial

from hark.agents.kinds import AgentKind
from hark.agents.native.channel import Delivered, NativeChannel, Reason, Refused, State, Unclear
from hark.daemon.delivering.equipment import LEASE_TAKEN, Equipment
from hark.daemon.delivering.key_holds import airlock_facts, take_grip
from hark.daemon.delivering.ledger import Ledger
from hark.daemon.delivering.turn_stop import interrupt_natively
from hark.daemon.panes import Panes
from hark.daemon.process.log import logger
from hark.delivery import wording
from hark.delivery.actions import DeliverNatively
from hark.delivery.after_attempt import ASK_API_AGAIN_S, QUIETEST_S, is_lost
from hark.delivery.carriers.steps import Submitted
from hark.delivery.gate import Hold, PaneState, check_unbegun
from hark.delivery.next_step import API_AWAY
from hark.model.message import HoldReason, Lease, Message, Mode
from hark.model.session import Session
from hark.queue.lifecycle import TextPlace, text_place

WOULD_JOIN = Hold(HoldReason.BUSY, "it would join the running turn", ASK_API_AGAIN_S, is_for_hook=True)
"""The hold of a message that must not join the running turn. The end of the turn ends the hold. The agent is not asked again whenever
it prints, because an agent that works prints all the time."""


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
    if isinstance(outcome, Unclear) and not is_lost(messages[0], now):
        return Hold(HoldReason.UNREACHABLE, outcome.detail, ASK_API_AGAIN_S)
    if isinstance(outcome, Unclear) or (was_handed_over and outcome.reason is Reason.GONE):
        for message in messages:
            await give_up(message, ledger)
        return None
    hold = (
        WOULD_JOIN if outcome.reason is Reason.BUSY else Hold(HoldReason.UNREACHABLE, outcome.detail, ASK_API_AGAIN_S)
    )
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
        return Hold(HoldReason.HUMAN_TYPING, "a human's keys could not be held", ASK_API_AGAIN_S)
    try:
        return await deliver()
    finally:
        await grip.release()


async def give_up(message: Message, ledger: Ledger) -> None:
    detail = "it may have been handed over, and the agent's own API does not say for certain"
    await ledger.mark_uncertain(message, detail)


class NativeDelivery:
    """The deliveries of one session's courier over the agent's own API."""

    def __init__(self, equipment: Equipment, ledger: Ledger) -> None:
        self._equipment = equipment
        self._ledger = ledger

    async def run(self, session: Session, action: DeliverNatively) -> Hold | None:
        """Hand the payload over. Return None if it is no longer in the way, else why it is held."""
        channel = await self._equipment.natives.of(session)
        if channel is None:
            return Hold(HoldReason.UNREACHABLE, API_AWAY, QUIETEST_S)
        async with self._equipment.lease(session.id) as lease:
            outcome = await self._hand_over(session, channel, action, lease) if lease else LEASE_TAKEN
        if isinstance(outcome, Refused):
            logger.info("native channel given up", extra={"session": session.name, "detail": outcome.detail})
            await self._equipment.natives.drop(session)
            return Hold(HoldReason.UNREACHABLE, outcome.detail, QUIETEST_S)
        return outcome

    async def _hand_over(
        self, session: Session, channel: NativeChannel, action: DeliverNatively, lease: Lease
    ) -> Hold | Refused | None:
        messages = action.messages
        if action.interrupts:
            if hold := await interrupt_natively(channel, messages[0], lease, self._ledger):
                return hold
            messages = tuple([await self._equipment.store.message(message.id) for message in messages])
        text = wording.BETWEEN.join(wording.payload(one) for one in messages)
        now = self._equipment.clock()
        deliver = partial(deliver_natively, channel, messages, text, lease, self._ledger, now)
        if not action.is_beginning:
            return await deliver()
        kind = self._equipment.kinds.get(session.agent)
        return await begin_natively(self._equipment.panes, session, kind, deliver)
