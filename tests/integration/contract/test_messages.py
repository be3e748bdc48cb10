from typing import Any

import pytest

from hark.model.event import EventKind
from hark.model.ids import MessageId, SessionId
from hark.model.message import Authority, Carrier, Channel, HoldReason, Mode, Receipt, Status
from hark.model.session import SessionState
from hark.queue.ordering import delivery_order
from hark.store.contract import Store
from tests.integration.contract.samples import (
    ANA,
    BEN,
    NOW,
    add,
    enqueue,
    later,
    make_message,
    make_session,
    make_step,
    refused,
    walk,
)

S = Status


async def test_a_message_comes_back_with_every_field(store: Store) -> None:
    await add(store, make_session(ANA))
    full = make_message(
        "m1",
        sender_session_id=BEN,
        sender_name="ben",
        text="eins\n\tzwei 🚀 \x00 'quoted' -- % _",
        mode=Mode.URGENT,
        timeout_at=later(0.000001),
        is_raw=True,
        batch_id="b",
        idempotency_key="k",
        notify_on_delivery=True,
        notify_after_s=1.5,
        notify_on_stop=True,
        notify_on_failure=True,
        in_reply_to=MessageId("m0"),
        thread_id=MessageId("t0"),
        hops=3,
    )

    stored = (await store.enqueue(full)).message

    assert await store.message(MessageId("m1")) == stored
    assert stored == make_message(
        "m1", **{field: getattr(full, field) for field in full.__struct_fields__[2:]} | {"sequence": stored.sequence}
    )


async def test_enqueueing_writes_the_first_receipt_and_its_event(store: Store) -> None:
    await add(store, make_session(ANA))

    await enqueue(store, make_message("m1"))

    assert await store.receipts(MessageId("m1")) == [
        Receipt(message_id=MessageId("m1"), previous=None, status=S.QUEUED, at=NOW)
    ]
    event = (await store.events())[-1]
    assert (event.kind, event.session_id, event.message_id) == (EventKind.MESSAGE, ANA, "m1")
    assert event.data == {"status": "queued", "reason": None, "detail": ""}


async def test_only_a_queued_message_can_be_enqueued(store: Store) -> None:
    await add(store, make_session(ANA))

    with refused("transition-illegal"):
        await store.enqueue(make_message("m1", status=S.STAGED))

    assert not await store.pending()


async def test_a_message_id_is_given_once(store: Store) -> None:
    await add(store, make_session(ANA), make_session(BEN))
    await enqueue(store, make_message("m1"))

    with refused("internal"):
        await store.enqueue(make_message("m1", BEN))

    assert [message.session_id for message in await store.pending()] == [ANA]


async def test_messages_to_a_gone_session_are_accepted(store: Store) -> None:
    await add(store, make_session(ANA, state=SessionState.GONE))

    assert (await store.enqueue(make_message("m1"))).is_new


# order and position


async def test_sequences_grow_with_arrival_whatever_the_sender_claims(store: Store) -> None:
    await add(store, make_session(ANA), make_session(BEN))

    first, second, third = await enqueue(
        store, make_message("m1", sequence=99), make_message("m2", BEN), make_message("m3", queued_at=later(-60))
    )

    assert first.sequence < second.sequence < third.sequence


async def test_a_sequence_is_never_given_twice(store: Store) -> None:
    await add(store, make_session(ANA), make_session(BEN))
    (removed,) = await enqueue(store, make_message("m1", ANA))
    await store.remove_session(ANA)

    (next_one,) = await enqueue(store, make_message("m2", BEN))

    assert next_one.sequence > removed.sequence


async def test_pending_is_what_is_queued_held_or_staged_in_order_of_arrival(store: Store) -> None:
    await add(store, make_session(ANA), make_session(BEN))
    messages = await enqueue(store, *(make_message(f"m{n}", BEN if n == 2 else ANA) for n in range(1, 6)))
    await walk(store, messages[0], S.STAGED)
    await walk(store, messages[1], S.HELD)
    await walk(store, messages[3], S.STAGED, S.SUBMITTED)

    assert [message.id for message in await store.pending()] == ["m1", "m2", "m3", "m5"]
    assert [message.id for message in await store.pending(ANA)] == ["m1", "m3", "m5"]
    assert not await store.pending(SessionId("nobody"))


async def test_the_position_says_how_many_go_first(store: Store) -> None:
    await add(store, make_session(ANA), make_session(BEN))
    arrivals = [
        # mode, its position at that moment
        (Mode.SEQUENTIAL, 1),
        (Mode.SEQUENTIAL, 2),
        (Mode.IMPORTANT, 1),
        (Mode.URGENT, 1),
        (Mode.IMPORTANT, 3),
        (Mode.SEQUENTIAL, 6),
    ]
    await enqueue(store, make_message("of another session", BEN, mode=Mode.URGENT))

    positions = [
        (await store.enqueue(make_message(f"m{n}", mode=mode))).position for n, (mode, _) in enumerate(arrivals)
    ]

    assert positions == [position for _, position in arrivals]


async def test_a_staged_message_goes_before_an_urgent_one(store: Store) -> None:
    await add(store, make_session(ANA))
    (staged,) = await enqueue(store, make_message("m1"))
    await walk(store, staged, S.STAGED)

    assert (await store.enqueue(make_message("m2", mode=Mode.URGENT))).position == 2


async def test_the_position_agrees_with_the_delivery_order(store: Store) -> None:
    await add(store, make_session(ANA))
    messages = [make_message(f"m{n}", mode=list(Mode)[n % 3], idempotency_key=str(n)) for n in range(12)]
    await enqueue(store, *messages)
    await walk(store, messages[5], S.STAGED)
    await walk(store, messages[3], S.STAGED, S.SUBMITTED)
    await walk(store, messages[4], S.HELD)

    order = [message.id for message in delivery_order(await store.pending(ANA))]

    for message in messages:
        expected = order.index(message.id) + 1 if message.id in order else 0
        assert (await store.enqueue(message)).position == expected


async def test_the_first_pending_is_the_head_of_the_delivery_order(store: Store) -> None:
    await add(store, make_session(ANA))
    messages = [make_message(f"m{n}", mode=list(Mode)[n % 3]) for n in range(9)]
    await enqueue(store, *messages)
    await walk(store, messages[4], S.STAGED)
    await walk(store, messages[2], S.HELD)

    while order := delivery_order(await store.pending(ANA)):
        assert await store.first_pending(ANA) == order[0]
        await walk(store, order[0], *((S.SUBMITTED,) if order[0].status is S.STAGED else (S.CANCELLED,)))

    assert await store.first_pending(ANA) is None


async def test_the_first_pending_is_the_first_of_the_delivery_order_until_none_is_left(store: Store) -> None:
    await add(store, make_session(ANA), make_session(BEN))
    messages = [make_message(f"m{n}", mode=list(Mode)[n % 3]) for n in range(9)]
    await enqueue(store, make_message("of another session", BEN, mode=Mode.URGENT), *messages)
    await walk(store, messages[5], S.HELD)
    await walk(store, messages[6], S.STAGED)

    delivered = []
    while (first := await store.first_pending(ANA)) is not None:
        assert first == delivery_order(await store.pending(ANA))[0]
        await walk(store, first, S.CANCELLED)
        delivered.append(first.id)

    assert delivered == ["m6", "m2", "m5", "m8", "m1", "m4", "m7", "m0", "m3"]


# idempotency


async def test_the_same_key_and_text_returns_the_first_message_and_writes_nothing(store: Store) -> None:
    await add(store, make_session(ANA))
    (first,) = await enqueue(store, make_message("m1", idempotency_key="k", text="hello"))
    seq = await store.last_event_seq()

    again = await store.enqueue(make_message("m2", idempotency_key="k", text="hello", mode=Mode.URGENT))

    assert (again.message, again.position, again.is_new) == (first, 1, False)
    assert await store.last_event_seq() == seq
    assert await store.pending() == [first]


async def test_a_repeated_key_shows_the_message_as_it_is_now(store: Store) -> None:
    await add(store, make_session(ANA))
    (first,) = await enqueue(store, make_message("m1", idempotency_key="k", text="hello"))
    moved = await walk(store, first, S.STAGED, S.SUBMITTED)

    again = await store.enqueue(make_message("m2", idempotency_key="k", text="hello"))

    assert (again.message, again.position, again.is_new) == (moved, 0, False)


async def test_the_same_key_with_another_text_is_a_conflict(store: Store) -> None:
    await add(store, make_session(ANA))
    await enqueue(store, make_message("m1", idempotency_key="k", text="hello"))

    with refused("idempotency-conflict"):
        await store.enqueue(make_message("m2", idempotency_key="k", text="other"))

    assert [message.id for message in await store.pending()] == ["m1"]


async def test_the_same_key_for_another_session_is_another_message(store: Store) -> None:
    await add(store, make_session(ANA), make_session(BEN))
    await enqueue(store, make_message("m1", ANA, idempotency_key="k", text="hello"))

    assert (await store.enqueue(make_message("m2", BEN, idempotency_key="k", text="other"))).is_new


async def test_messages_without_a_key_never_repeat(store: Store) -> None:
    await add(store, make_session(ANA))

    stored = [await store.enqueue(make_message(f"m{n}", text="same")) for n in range(2)]

    assert all(enqueued.is_new for enqueued in stored)


# moves


async def test_a_move_writes_message_receipt_and_event_together(store: Store) -> None:
    await add(store, make_session(ANA))
    (message,) = await enqueue(store, make_message("m1"))
    step = make_step(S.STAGED, later(1), detail="pasted", channel=Channel.TERMINAL, carrier=Carrier.EDITOR)

    moved = await store.move(message.id, step)

    assert moved == await store.message(message.id)
    assert (moved.status, moved.staged_at, moved.carrier) == (S.STAGED, later(1), Carrier.EDITOR)
    assert (await store.receipts(message.id))[-1] == Receipt(
        message_id=message.id,
        previous=S.QUEUED,
        status=S.STAGED,
        at=later(1),
        detail="pasted",
        channel=Channel.TERMINAL,
        carrier=Carrier.EDITOR,
        authority=Authority.USER,
    )
    event = (await store.events())[-1]
    assert (event.at, event.message_id, event.data) == (
        later(1),
        message.id,
        {"status": "staged", "reason": None, "detail": "pasted", "channel": "terminal", "carrier": "editor"},
    )


async def test_every_stamp_of_a_whole_life_is_stored(store: Store) -> None:
    await add(store, make_session(ANA))
    (message,) = await enqueue(store, make_message("m1"))
    way = [S.HELD, S.QUEUED, S.STAGED, S.UNCERTAIN, S.SUBMITTED, S.ACKNOWLEDGED, S.COMPLETED]

    for second, status in enumerate(way):
        moved = await store.move(message.id, make_step(status, later(second)))
        assert moved == await store.message(message.id)

    receipts = await store.receipts(message.id)
    assert [receipt.status for receipt in receipts] == [S.QUEUED, *way]
    assert [receipt.previous for receipt in receipts] == [None, S.QUEUED, *way[:-1]]
    assert receipts[1].reason is HoldReason.DRAFT


@pytest.mark.parametrize(
    "step",
    [
        make_step(S.COMPLETED),  # not from queued
        make_step(S.QUEUED),  # it is
        make_step(S.HELD, reason=None),  # held needs a reason
        make_step(S.STAGED, reason=HoldReason.BUSY),  # and nothing else has one
    ],
    ids=["skips", "stays", "no reason", "a reason"],
)
async def test_an_illegal_move_changes_nothing(store: Store, step: Any) -> None:
    await add(store, make_session(ANA))
    (message,) = await enqueue(store, make_message("m1"))
    seq = await store.last_event_seq()

    with refused("transition-illegal"):
        await store.move(message.id, step)

    assert await store.message(message.id) == message
    assert len(await store.receipts(message.id)) == 1
    assert await store.last_event_seq() == seq


async def test_an_unknown_message_is_not_found(store: Store) -> None:
    unknown = MessageId("nothing")

    with refused("message-not-found"):
        await store.message(unknown)
    with refused("message-not-found"):
        await store.move(unknown, make_step(S.STAGED), fence=1)
    assert not await store.receipts(unknown)


# finding


@pytest.mark.parametrize(
    ("prefix", "found"),
    [
        ("a", ["ab1", "a%2", "a_3", "aXb4"]),
        ("ab1", ["ab1"]),  # the whole id
        ("a%", ["a%2"]),  # no pattern
        ("a_", ["a_3"]),  # no pattern either
        ("A", ["A5"]),  # case matters
        ("b1", []),  # only at the start
        ("", ["ab1", "a%2", "a_3", "aXb4", "A5"]),
    ],
)
async def test_messages_are_found_by_a_plain_prefix_oldest_first(store: Store, prefix: str, found: list[str]) -> None:
    await add(store, make_session(ANA))
    await enqueue(store, *(make_message(message_id) for message_id in ("ab1", "a%2", "a_3", "aXb4", "A5")))

    assert await store.find_messages(prefix) == found


async def test_no_more_than_the_limit_is_found(store: Store) -> None:
    await add(store, make_session(ANA))
    await enqueue(store, *(make_message(f"m{n:02}") for n in range(12)))

    assert await store.find_messages("m", limit=2) == ["m00", "m01"]
    assert len(await store.find_messages("m")) == 9


async def test_history_is_newest_first_and_limited(store: Store) -> None:
    await add(store, make_session(ANA), make_session(BEN))
    await enqueue(store, *(make_message(f"m{n}", BEN if n == 2 else ANA) for n in range(5)))

    assert [message.id for message in await store.messages(ANA)] == ["m4", "m3", "m1", "m0"]
    assert [message.id for message in await store.messages(ANA, limit=2)] == ["m4", "m3"]


async def test_history_can_be_narrowed_to_statuses(store: Store) -> None:
    await add(store, make_session(ANA))
    messages = await enqueue(store, *(make_message(f"m{n}") for n in range(4)))
    await walk(store, messages[0], S.CANCELLED)
    await walk(store, messages[1], S.HELD)
    await walk(store, messages[3], S.CANCELLED)

    assert [m.id for m in await store.messages(ANA, statuses=[S.CANCELLED])] == ["m3", "m0"]
    assert [m.id for m in await store.messages(ANA, limit=2, statuses=[S.QUEUED, S.HELD])] == ["m2", "m1"]
    assert not await store.messages(ANA, statuses=[S.DEAD])


# time-outs


async def test_a_message_expires_at_its_very_microsecond(store: Store) -> None:
    await add(store, make_session(ANA))
    (message,) = await enqueue(store, make_message("m1", timeout_at=later(5)))

    assert not await store.expired(later(4.999999))
    assert await store.expired(later(5)) == [message]


async def test_only_pending_messages_expire(store: Store) -> None:
    await add(store, make_session(ANA))
    messages = await enqueue(store, *(make_message(f"m{n}", timeout_at=later(n)) for n in range(1, 5)))
    await enqueue(store, make_message("without a time-out"))
    await walk(store, messages[0], S.STAGED, S.SUBMITTED)
    await walk(store, messages[1], S.STAGED)
    await walk(store, messages[2], S.HELD)

    assert [message.id for message in await store.expired(later(60))] == ["m2", "m3", "m4"]
    assert await store.next_timeout() == later(2)


async def test_without_time_outs_there_is_no_next_one(store: Store) -> None:
    await add(store, make_session(ANA))
    (message,) = await enqueue(store, make_message("m1", timeout_at=later(1)))
    await walk(store, message, S.EXPIRED)
    await enqueue(store, make_message("m2"))

    assert await store.next_timeout() is None
