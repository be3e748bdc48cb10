"""An urgent message ends the running turn over the agent's own API: once, durably noted before, and never a question to a human."""

from __future__ import annotations

from typing import Any

import pytest

from hark.agents.native.channel import ChannelLost, State
from hark.daemon.delivering import turn_stop
from hark.daemon.delivering.ledger import Ledger
from hark.daemon.delivering.turn_stop import interrupt_natively
from hark.daemon.outbox import Outbox
from hark.delivery.gate import Hold
from hark.model.message import HoldReason, Message, Mode
from tests.integration.contract.samples import ANA, NOW, add, enqueue, later, make_message, make_session
from tests.support.memory_store import MemoryStore


class Channel:
    """An agent's API that is in these states, one after the other; the last state stays."""

    def __init__(self, *states: State, failure: ChannelLost | None = None) -> None:
        self._states = list(states)
        self._failure = failure
        self.interrupts = 0

    async def state(self) -> State:
        return self._states.pop(0) if len(self._states) > 1 else self._states[0]

    async def interrupt(self) -> None:
        self.interrupts += 1
        if self._failure:
            raise self._failure


async def interrupt(channel: Any) -> tuple[Hold | None, Message]:
    store = MemoryStore()
    await store.open()
    await add(store, make_session(ANA))
    (message,) = await enqueue(store, make_message("m1", mode=Mode.URGENT))
    lease = await store.acquire_lease(ANA, "us", NOW, later(60))
    assert lease is not None
    ledger = Ledger(ANA, store, Outbox(store, lambda: NOW), lambda: NOW)
    hold = await interrupt_natively(channel, message, lease, ledger)
    return hold, await store.message(message.id)


async def test_a_running_turn_is_told_to_end_and_that_is_on_record() -> None:
    channel = Channel(State.BUSY, State.BUSY, State.IDLE)

    hold, message = await interrupt(channel)

    assert (hold, channel.interrupts) == (None, 1)
    assert message.interrupted_at == NOW


async def test_an_idle_agent_is_not_interrupted() -> None:
    channel = Channel(State.IDLE)

    hold, message = await interrupt(channel)

    assert (hold, channel.interrupts, message.interrupted_at) == (None, 0, None)


async def test_a_question_that_waits_for_a_human_is_left_alone() -> None:
    channel = Channel(State.WAITING)

    hold, message = await interrupt(channel)

    assert hold is not None
    assert (hold.reason, channel.interrupts, message.interrupted_at) == (HoldReason.DIALOG, 0, None)


async def test_a_turn_that_does_not_end_holds_the_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn_stop, "ENDED_WITHIN_S", 0.0)

    hold, _ = await interrupt(Channel(State.BUSY))

    assert hold is not None
    assert hold.reason is HoldReason.BUSY


async def test_an_api_that_is_lost_meanwhile_holds_the_message() -> None:
    hold, message = await interrupt(Channel(State.BUSY, failure=ChannelLost("it hung up")))

    assert hold is not None
    assert (hold.reason, hold.detail) == (HoldReason.UNREACHABLE, "it hung up")
    assert message.interrupted_at == NOW
