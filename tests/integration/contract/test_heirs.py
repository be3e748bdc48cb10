"""A session that takes over the queue of a gone session of the same name: what waits goes along, what may have arrived does not."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hark.model.ids import MessageId, SessionId
from hark.model.message import Channel, HoldReason, Message, Status
from hark.model.session import SessionState
from hark.queue.lifecycle import PENDING, is_attempted, take_over
from hark.store.contract import Store
from tests.integration.contract.samples import (
    ANA,
    NOW,
    add,
    enqueue,
    later,
    make_event,
    make_message,
    make_session,
    make_step,
)

S = Status
HEIR = SessionId("heir-id")


async def start_heir(store: Store, heir_of: SessionId | None = ANA) -> None:
    await store.change_session(ANA, {"state": SessionState.GONE, "gone_at": later(1)})
    await add(store, make_session(HEIR, "heir", state=SessionState.STARTING, heir_of=heir_of))
    await store.start_heir(HEIR, {"state": SessionState.RUNNING}, make_event(at=later(9)))


async def test_what_waits_goes_to_the_heir_in_its_order(store: Store) -> None:
    await add(store, make_session(ANA, "ana"))
    for number in range(3):
        await enqueue(store, make_message(f"m{number}"))
    held = make_step(S.HELD, later(2), reason=HoldReason.SESSION_GONE)
    await store.move((await store.pending())[1].id, held)
    await enqueue(store, make_message("inbox", is_inbox=True))

    await start_heir(store)

    assert [(m.id, m.status) for m in await store.pending(HEIR)] == [
        ("m0", S.QUEUED),
        ("m1", S.QUEUED),
        ("m2", S.QUEUED),
        ("inbox", S.QUEUED),
    ]
    assert await store.pending(ANA) == []
    assert [m.id for m in await store.next_pending(HEIR, 9)] == ["m0", "m1", "m2"]
    for message in await store.pending(HEIR):
        last = (await store.receipts(message.id))[-1]
        assert (last.status, last.at) == (S.QUEUED, later(9))
        assert "takes over" in last.detail
    moved = [event for event in await store.events() if event.session_id == HEIR and event.message_id]
    assert [event.message_id for event in moved] == ["m0", "m1", "m2", "inbox"]
    assert {event.data["status"] for event in moved} == {"queued"}


@pytest.mark.parametrize(
    "fields",
    [
        {"status": S.STAGED, "channel": Channel.TERMINAL},
        {"status": S.STAGED, "channel": Channel.NATIVE},
        {"status": S.STAGED, "channel": Channel.HOOK},
        {"status": S.QUEUED, "attempted_at": NOW},
        {"status": S.HELD, "hold_reason": HoldReason.SESSION_GONE, "attempted_at": NOW},
    ],
)
def test_what_may_have_arrived_is_uncertain_and_stays(fields: dict[str, Any]) -> None:
    message = make_message("m1", **fields)

    after = take_over(message, HEIR, later(9)).message

    assert (after.session_id, after.status) == (ANA, S.UNCERTAIN)


async def test_what_was_staged_is_not_delivered_to_the_heir(store: Store) -> None:
    await add(store, make_session(ANA, "ana"))
    staged = make_message("m1")
    await enqueue(store, staged)
    await store.move(staged.id, make_step(S.STAGED, later(2), channel=Channel.TERMINAL))

    await start_heir(store)

    assert (await store.message(staged.id)).status is S.UNCERTAIN
    assert await store.pending(HEIR) == []


async def test_what_has_ended_stays_with_the_session_that_is_gone(store: Store) -> None:
    await add(store, make_session(ANA, "ana"))
    await enqueue(store, make_message("m1"))
    await store.move(MessageId("m1"), make_step(S.CANCELLED, later(2)))

    await start_heir(store)

    assert await store.messages(HEIR) == []
    assert [m.id for m in await store.messages(ANA)] == ["m1"]


async def test_a_session_that_is_nobodys_heir_takes_nothing(store: Store) -> None:
    await add(store, make_session(ANA, "ana"))
    await enqueue(store, make_message("m1"))

    await start_heir(store, heir_of=None)

    assert [m.id for m in await store.pending(ANA)] == ["m1"]


async def test_a_gone_session_that_was_forgotten_leaves_nothing(store: Store) -> None:
    await add(store, make_session(ANA, "ana"))

    await start_heir(store, heir_of=SessionId("nobody"))

    assert await store.pending(HEIR) == []


pending = st.builds(
    make_message,
    st.just("m1"),
    status=st.sampled_from(sorted(PENDING - {S.HELD})),
    attempted_at=st.none() | st.just(NOW),
    channel=st.none() | st.sampled_from(Channel),
    is_inbox=st.booleans(),
)


@given(pending)
def test_no_message_is_both_moved_and_possibly_with_the_agent(message: Message) -> None:
    if message.is_inbox and message.status is not S.QUEUED:
        return  # An inbox message is never staged.

    after = take_over(message, HEIR, later(9)).message

    assert (after.session_id == HEIR) is not is_attempted(message)
    assert after.status is (S.UNCERTAIN if is_attempted(message) else S.QUEUED)
