"""A message over a native channel: handed over once, whatever happens between the hand-over and its record."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import pytest
from msgspec.structs import replace

from hark.agents.native.channel import Delivered, Outcome, Reason, Refused, State, Unclear
from hark.daemon.delivering.ledger import Ledger
from hark.daemon.delivering.native_delivery import deliver_natively, give_up
from hark.daemon.outbox import Outbox
from hark.delivery.actions import GiveUpProof, HoldBack
from hark.delivery.after_attempt import LOST_AFTER
from hark.delivery.gate import Hold
from hark.delivery.next_step import next_step
from hark.delivery.session_view import Facts, SessionView
from hark.model.ids import MessageId
from hark.model.message import HoldReason, Message, Status
from hark.queue.lifecycle import TextPlace, text_place
from tests.integration.contract.samples import ANA, NOW, add, enqueue, later, make_message, make_session
from tests.support.memory_store import MemoryStore


class Channel:
    """Answers as it is told to; the message is what it is asked to carry."""

    def __init__(self, *answers: Outcome, state: State = State.IDLE, joins_running_turn: bool = False) -> None:
        self._answers = list(answers)
        self.current = state
        self.joins_running_turn = joins_running_turn

    async def state(self) -> State:
        return self.current

    async def deliver(self, message_ids: Sequence[MessageId], text: str, *, may_join: bool = True) -> Outcome:
        return self._answers.pop(0)


async def attempt(store: MemoryStore, message: Message, channel: Any, now: datetime = NOW) -> Hold | Refused | None:
    lease = await store.acquire_lease(ANA, "us", NOW, later(60))
    assert lease is not None
    ledger = Ledger(ANA, store, Outbox(store, lambda: NOW), lambda: NOW)
    return await deliver_natively(channel, [await store.message(message.id)], "text", lease, ledger, now)


async def prepared() -> tuple[MemoryStore, Message]:
    store = MemoryStore()
    await store.open()
    await add(store, make_session(ANA))
    (message,) = await enqueue(store, make_message("m1"))
    return store, message


GONE, BUSY, UNPROVEN = (Refused(reason, "why") for reason in (Reason.GONE, Reason.BUSY, Reason.UNPROVEN))
UNCLEAR = Unclear("no answer in time")
# what the channel answers, attempt by attempt, and what the message is then
STORIES: dict[str, tuple[tuple[Outcome, ...], Status]] = {
    "taken": ((Delivered(),), Status.SUBMITTED),
    "unclear, and it was there": ((UNCLEAR, Delivered(was_there=True)), Status.SUBMITTED),
    "unclear": ((UNCLEAR,), Status.STAGED),
    "unclear, and then nobody answers": ((UNCLEAR, GONE), Status.UNCERTAIN),
    "unclear, and it is not there": ((UNCLEAR, UNPROVEN), Status.HELD),
    "nobody answers": ((GONE,), Status.HELD),
    "it would join a turn, and then not": ((BUSY, Delivered()), Status.SUBMITTED),
}


@pytest.mark.parametrize(("answers", "status"), STORIES.values(), ids=STORIES.keys())
async def test_a_message_is_said_to_be_what_the_channel_has_proven(
    answers: tuple[Outcome, ...], status: Status
) -> None:
    store, message = await prepared()
    channel = Channel(*answers)

    for _ in answers:
        await attempt(store, message, channel)

    assert (await store.message(message.id)).status is status


async def test_a_channel_that_has_refused_leaves_the_message_to_the_terminal() -> None:
    store, message = await prepared()

    assert await attempt(store, message, Channel(GONE)) == GONE
    assert text_place(await store.message(message.id)) is TextPlace.NOWHERE


async def test_a_channel_that_never_tells_is_asked_for_a_while_only() -> None:
    store, message = await prepared()
    channel = Channel(UNCLEAR, UNCLEAR, UNCLEAR)

    await attempt(store, message, channel)
    soon = await attempt(store, message, channel, NOW + LOST_AFTER / 2)
    late = await attempt(store, message, channel, NOW + LOST_AFTER)

    assert isinstance(soon, Hold)
    assert late is None
    assert (await store.message(message.id)).status is Status.UNCERTAIN


@pytest.mark.parametrize("state", [State.BUSY, State.WAITING])
async def test_a_message_that_would_join_a_turn_is_not_even_staged(state: State) -> None:
    store, message = await prepared()
    channel = Channel(Delivered(), state=state, joins_running_turn=True)

    hold = await attempt(store, message, channel)

    assert isinstance(hold, Hold)
    assert hold.is_for_hook
    assert (await store.message(message.id)).status is Status.QUEUED
    channel.current = State.IDLE
    assert await attempt(store, message, channel) is None


async def test_without_a_channel_a_message_that_may_have_arrived_is_uncertain_after_a_while() -> None:
    store, message = await prepared()
    await attempt(store, message, Channel(UNCLEAR))
    staged = await store.message(message.id)
    view = SessionView(now=NOW, waiting=(staged,), facts=Facts(has_channel=False))
    ledger = Ledger(ANA, store, Outbox(store, lambda: NOW), lambda: NOW)

    assert text_place(staged) is TextPlace.API
    soon, late = next_step(view), next_step(replace(view, now=NOW + LOST_AFTER))
    await give_up(staged, ledger)

    assert isinstance(soon, HoldBack)
    assert soon.hold.reason is HoldReason.UNREACHABLE
    assert late == GiveUpProof(staged)
    assert (await store.message(message.id)).status is Status.UNCERTAIN
