"""Ends the turn that is in the way of an urgent message: by the agent's own key, or by its own API."""

import asyncio
from functools import partial

from hark.agents.native.channel import ChannelLost, NativeChannel, State
from hark.daemon.delivering.attempt import RETRY_S, Attempt
from hark.daemon.delivering.driver import Driver
from hark.daemon.delivering.key_holds import take_grip
from hark.daemon.delivering.ledger import Ledger
from hark.daemon.hearing.turn_book import TurnBook
from hark.delivery.carriers.rest import NOT_AT_REST
from hark.delivery.carriers.steps import Held
from hark.delivery.gate import Hold
from hark.delivery.screen.capture import Screen
from hark.delivery.stop_turn import ENDED_WITHIN_S, HELD_S, Pressed, given_back, press_stop, wait_for_end
from hark.model.message import Channel, HoldReason, Lease, Message, Status
from hark.queue.turns import Phase
from hark.store.contract import Store

ASK_AGAIN_S = 0.05
NOT_ENDED = "hark told the running turn to end, and it has not ended yet"
RECEIVED = (Status.SUBMITTED, Status.ACKNOWLEDGED, Status.COMPLETED, Status.INTERRUPTED)
"""The statuses of messages that the agent has received."""
LATEST = 20
"""Retry at most this many messages that the agent put back into its box."""


class Stopper:
    def __init__(self, attempt: Attempt, turns: TurnBook, store: Store) -> None:
        self._attempt = attempt
        self._turns = turns
        self._store = store

    async def run(self) -> Hold | None:
        """End the running turn by the agent's own key. Return None if no turn is in the way any more, as far as that is known; else
        return why the message is held."""
        attempt = self._attempt
        kind, session = attempt.kind, attempt.session
        if kind.stop is None:
            return None
        grip = await take_grip(attempt.panes, session, kind, attempt.foreground)
        if grip is None:
            return Hold(HoldReason.HUMAN_TYPING, "a human's keys could not be held", RETRY_S)
        driver = Driver(attempt.panes, attempt.editors, session, kind, grip, attempt)
        wait_end = partial(wait_for_end, kind.box, self._is_running, settle_s=kind.stop.settle_s)
        ended: Screen | None = None
        try:
            if not await driver.come_to_rest():
                return Hold(HoldReason.BUSY, NOT_AT_REST, RETRY_S)
            stopped = await driver.run(press_stop(kind.box, kind.stop, self._is_running))
            if isinstance(stopped, Pressed):
                ended = await driver.run(wait_end(within_s=HELD_S))
        finally:
            await grip.release()
        if isinstance(stopped, Held):
            return await self._withdraw(stopped)
        if not isinstance(stopped, Pressed):
            return None
        ended = ended or await driver.run(wait_end(within_s=ENDED_WITHIN_S))
        if ended is None:
            return Hold(HoldReason.BUSY, NOT_ENDED, RETRY_S)
        await self._record(stopped.screen, ended)
        return None

    async def _withdraw(self, stopped: Held) -> Hold:
        """Record that the key was not pressed, so that the turn runs on. Return why the message is held."""
        assert self._attempt.message
        is_soon_over = stopped.reason in (HoldReason.BUSY, HoldReason.CALLED_OFF)
        hold = Hold(stopped.reason, stopped.detail, RETRY_S if is_soon_over else None)
        await self._attempt.ledger.withdraw_interrupt(self._attempt.message, hold)
        return hold

    def _is_running(self, screen: Screen) -> bool:
        """Return True if a turn runs: by the agent's screen if its data file describes that, else by what was heard of the agent."""
        kind, session = self._attempt.kind, self._attempt.session
        return kind.shows_turn(screen) if kind.busy else self._turns.of(session.id).phase is Phase.BUSY

    async def _record(self, before: Screen, after: Screen) -> None:
        session, box = self._attempt.session, self._attempt.kind.box
        received = [message.id for message in await self._store.messages(session.id, LATEST, RECEIVED)]
        there = given_back(before, box, received)
        back = [one for one in given_back(after, box, received) if one not in there]
        await self._turns.end_interrupted(session.id, back)
        for message_id in back:
            await self._attempt.ledger.take_back(message_id)


async def interrupt_natively(channel: NativeChannel, message: Message, lease: Lease, ledger: Ledger) -> Hold | None:
    """End the running turn by the agent's own API. Return None if no turn is in the way any more, else why the message is held. A
    question that waits for a human is left alone."""
    state = await channel.state()
    if state is State.WAITING:
        return Hold(HoldReason.DIALOG, "the agent waits for a human's permission", 1.0)
    if state is not State.BUSY:
        return None
    await ledger.note_interrupt(message, lease, Channel.NATIVE)
    deadline = asyncio.get_running_loop().time() + ENDED_WITHIN_S
    try:
        await channel.interrupt()
        while await channel.state() is State.BUSY:
            if asyncio.get_running_loop().time() > deadline:
                return Hold(HoldReason.BUSY, NOT_ENDED, RETRY_S)
            await asyncio.sleep(ASK_AGAIN_S)
    except ChannelLost as lost:
        return Hold(HoldReason.UNREACHABLE, str(lost), RETRY_S)
    return None
