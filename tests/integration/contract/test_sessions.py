import pytest

from hark.model.event import EventKind
from hark.model.ids import MessageId, ReminderId, SessionId
from hark.model.message import Draft
from hark.model.session import Pane, SessionState
from hark.store.contract import Store
from tests.integration.contract.samples import (
    ANA,
    BEN,
    NOW,
    add,
    enqueue,
    later,
    make_event,
    make_message,
    make_reminder,
    make_session,
    refused,
)

GONE = SessionState.GONE


async def test_a_session_comes_back_with_every_field(store: Store) -> None:
    full = make_session(
        ANA,
        "ana",
        pane=Pane(socket="/tmp/ü.sock", pane_id="%0", pid=1),
        command=(),
        is_adopted=True,
        state=GONE,
        gone_at=later(1),
        do_not_disturb_since=later(2),
        nudge_seq=7,
        last_signal_at=later(3),
    )

    await add(store, full)

    assert await store.session(ANA) == full


async def test_sessions_are_listed_in_order_of_creation(store: Store) -> None:
    await add(store, make_session("late", created_at=later(1)), make_session("b"), make_session("a"))

    assert [session.id for session in await store.sessions()] == ["b", "a", "late"]


async def test_adding_a_session_writes_its_event(store: Store) -> None:
    await add(store, make_session(ANA))

    (event,) = await store.events()
    assert (event.kind, event.session_id) == (EventKind.SESSION_CREATED, ANA)


async def test_the_name_of_a_running_session_is_taken(store: Store) -> None:
    await add(store, make_session(ANA, "worker"))

    with refused("name-taken"):
        await add(store, make_session(BEN, "worker"))

    assert [session.id for session in await store.sessions()] == [ANA]
    assert len(await store.events()) == 1


async def test_a_gone_session_yields_its_name_to_a_new_one(store: Store) -> None:
    await add(store, make_session(ANA, "worker", state=GONE))

    await add(store, make_session(BEN, "worker"))

    assert [session.name for session in await store.sessions()] == ["worker~ana-id", "worker"]


async def test_a_gone_session_yields_its_name_to_a_renamed_one(store: Store) -> None:
    await add(store, make_session(ANA, "worker", state=GONE), make_session(BEN, "other"))

    await store.change_session(BEN, {"name": "worker"})

    assert [session.name for session in await store.sessions()] == ["worker~ana-id", "worker"]


async def test_a_session_may_be_renamed_to_the_name_it_has(store: Store) -> None:
    await add(store, make_session(ANA, "worker"))

    assert (await store.change_session(ANA, {"name": "worker"})).name == "worker"


async def test_a_session_cannot_be_renamed_to_a_running_ones_name(store: Store) -> None:
    await add(store, make_session(ANA, "worker"), make_session(BEN, "other"))

    with refused("name-taken"):
        await store.change_session(BEN, {"name": "worker", "nudge_seq": 5}, make_event())

    assert await store.session(BEN) == make_session(BEN, "other")
    assert len(await store.events()) == 2


async def test_a_change_sets_the_named_fields_only_and_writes_its_event(store: Store) -> None:
    await add(store, make_session(ANA))

    changed = await store.change_session(
        ANA, {"state": GONE, "gone_at": later(5)}, make_event(kind=EventKind.SESSION_GONE, session_id=ANA)
    )

    assert changed == make_session(ANA, state=GONE, gone_at=later(5)) == await store.session(ANA)
    assert [event.kind for event in await store.events()] == [EventKind.SESSION_CREATED, EventKind.SESSION_GONE]


async def test_a_change_without_an_event_writes_none(store: Store) -> None:
    await add(store, make_session(ANA))

    await store.change_session(ANA, {"nudge_seq": 1})

    assert len(await store.events()) == 1


@pytest.mark.parametrize("changes", [{"colour": "red"}, {"id": BEN}], ids=["no such field", "the id"])
async def test_what_cannot_be_changed_is_refused_and_changes_nothing(store: Store, changes: dict[str, str]) -> None:
    await add(store, make_session(ANA))

    with pytest.raises(TypeError):
        await store.change_session(ANA, changes)

    assert await store.sessions() == [make_session(ANA)]


async def test_an_unknown_session_is_not_found(store: Store) -> None:
    unknown = SessionId("nobody")

    with refused("session-not-found"):
        await store.session(unknown)
    with refused("session-not-found"):
        await store.change_session(unknown, {"nudge_seq": 1})
    with refused("session-not-found"):
        await store.remove_session(unknown)
    with refused("session-not-found"):
        await store.enqueue(make_message("m1", unknown))
    with refused("session-not-found"):
        await store.acquire_lease(unknown, "me", NOW, later(1))
    with refused("session-not-found"):
        await store.save_draft(Draft(session_id=unknown, message_id=MessageId("m"), text="", cursor=0, taken_at=NOW))
    with refused("session-not-found"):
        await store.add_reminder(make_reminder("r", unknown))


async def test_a_session_id_is_given_once(store: Store) -> None:
    await add(store, make_session(ANA, "one"))

    with refused("internal"):
        await add(store, make_session(ANA, "two"))

    assert await store.sessions() == [make_session(ANA, "one")]


async def test_removing_a_session_forgets_all_that_is_its_own_and_nothing_else(store: Store) -> None:
    await add(store, make_session(ANA), make_session(BEN))
    await enqueue(store, make_message("m1", ANA), make_message("m2", BEN, sender_session_id=ANA))
    for session_id, message_id in ((ANA, "m1"), (BEN, "m2")):
        draft = Draft(session_id=session_id, message_id=MessageId(message_id), text="half", cursor=2, taken_at=NOW)
        await store.save_draft(draft)
        await store.add_reminder(make_reminder(f"reminder of {session_id}", session_id))
        await store.acquire_lease(session_id, "me", NOW, later(9))
    told = await store.events()

    await store.remove_session(ANA)

    assert [session.id for session in await store.sessions()] == [BEN]
    assert [message.id for message in await store.pending()] == ["m2"]
    assert (await store.message(MessageId("m2"))).sender_session_id == ANA
    assert not await store.receipts(MessageId("m1"))
    assert await store.receipts(MessageId("m2"))
    assert await store.draft(ANA) is None
    assert await store.draft(BEN) is not None
    assert [reminder.id for reminder in await store.reminders()] == [ReminderId(f"reminder of {BEN}")]
    assert await store.acquire_lease(BEN, "other", NOW, later(9)) is None
    assert await store.events() == told
    with refused("message-not-found"):
        await store.message(MessageId("m1"))


async def test_a_removed_session_leaves_its_name_and_keys_free(store: Store) -> None:
    await add(store, make_session(ANA, "worker"))
    await enqueue(store, make_message("m1", idempotency_key="k"))
    await store.remove_session(ANA)

    await add(store, make_session(ANA, "worker"))

    assert (await store.enqueue(make_message("m2", idempotency_key="k", text="another"))).is_new


async def test_a_session_that_is_starting_keeps_its_name_and_is_told_to_nobody_yet(store: Store) -> None:
    before = await store.last_event_seq()
    await store.add_session(make_session(ANA, "ana", state=SessionState.STARTING), None)

    with refused("name-taken"):
        await add(store, make_session(BEN, "ana"))

    assert await store.last_event_seq() == before
    assert (await store.session(ANA)).state is SessionState.STARTING
