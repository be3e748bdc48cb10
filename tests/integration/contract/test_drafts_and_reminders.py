from hark.model.event import EventKind
from hark.model.ids import MessageId, ReminderId
from hark.model.message import Draft
from hark.store.contract import Store
from tests.integration.contract.samples import (
    ANA,
    BEN,
    NOW,
    add,
    later,
    make_event,
    make_reminder,
    make_session,
    refused,
)


def make_draft(text: str) -> Draft:
    return Draft(session_id=ANA, message_id=MessageId("m1"), text=text, cursor=3, taken_at=NOW)


async def test_a_draft_comes_back_as_it_was_typed(store: Store) -> None:
    await add(store, make_session(ANA))
    draft = make_draft("  half\n\n\ta thought 🌱 ")

    await store.save_draft(draft)

    assert await store.draft(ANA) == draft
    assert await store.draft(BEN) is None


async def test_a_second_draft_replaces_the_first(store: Store) -> None:
    await add(store, make_session(ANA))
    await store.save_draft(make_draft("first"))

    await store.save_draft(make_draft("second"))

    assert await store.draft(ANA) == make_draft("second")


async def test_a_deleted_draft_is_gone_and_deleting_twice_is_harmless(store: Store) -> None:
    await add(store, make_session(ANA))
    await store.save_draft(make_draft("text"))

    await store.delete_draft(ANA)
    await store.delete_draft(ANA)

    assert await store.draft(ANA) is None


async def test_reminders_are_listed_earliest_first(store: Store) -> None:
    await add(store, make_session(ANA))
    late, soon = make_reminder("late", fire_at=later(9)), make_reminder("soon", fire_at=later(1), repeat="1h")

    await store.add_reminder(late)
    await store.add_reminder(soon)

    assert await store.reminders() == [soon, late]


async def test_fired_and_cancelled_reminders_are_not_listed(store: Store) -> None:
    await add(store, make_session(ANA))
    for reminder_id in ("fired", "cancelled", "waiting"):
        await store.add_reminder(make_reminder(reminder_id))

    await store.change_reminder(ReminderId("fired"), {"fired_at": later(60)})
    await store.change_reminder(ReminderId("cancelled"), {"cancelled_at": later(30)})

    assert await store.reminders() == [make_reminder("waiting")]


async def test_a_repeating_reminder_can_be_moved_on(store: Store) -> None:
    await add(store, make_session(ANA))
    await store.add_reminder(make_reminder("r", repeat="1h"))

    changed = await store.change_reminder(ReminderId("r"), {"fire_at": later(3660)})

    assert changed == make_reminder("r", repeat="1h", fire_at=later(3660))
    assert await store.reminders() == [changed]


async def test_a_reminder_id_is_given_once_and_an_unknown_one_is_not_found(store: Store) -> None:
    await add(store, make_session(ANA))
    await store.add_reminder(make_reminder("r"))

    with refused("internal"):
        await store.add_reminder(make_reminder("r", text="other"))
    with refused("reminder-not-found"):
        await store.change_reminder(ReminderId("unknown"), {"text": "x"})

    assert await store.reminders() == [make_reminder("r")]


async def test_the_events_of_a_draft_are_written_with_it(store: Store) -> None:
    await add(store, make_session(ANA))
    taken, returned = make_event(kind=EventKind.DRAFT_TAKEN), make_event(kind=EventKind.DRAFT_RETURNED)

    await store.save_draft(make_draft("text"), taken)
    await store.save_draft(make_draft("the text"))
    await store.delete_draft(ANA, returned)
    # It is not there any more: nothing happened.
    await store.delete_draft(ANA, returned)

    kinds = [event.kind for event in await store.events()]
    assert kinds[1:] == [EventKind.DRAFT_TAKEN, EventKind.DRAFT_RETURNED]
