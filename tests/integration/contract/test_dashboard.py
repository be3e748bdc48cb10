from msgspec import structs

from hark.model.event import EventKind
from hark.model.message import Status
from hark.model.viewer import AlertChannel, AlertOutcome, Browser, Notification
from hark.store.contract import Store
from hark.store.rules import NOTIFICATIONS_KEPT
from tests.integration.contract.samples import (
    ANA,
    BEN,
    NOW,
    add,
    later,
    make_event,
    make_message,
    make_session,
    make_step,
)


def make_browser(browser_id: str) -> Browser:
    return Browser(
        id=browser_id,
        user="ada",
        digest=f"digest of {browser_id}",
        is_read_only=False,
        user_agent="Firefox",
        created_at=NOW,
        last_seen_at=NOW,
        expires_at=later(60),
    )


def make_notification(nudge_seq: int) -> Notification:
    return Notification(
        at=NOW,
        user="ada",
        browser_id="b1",
        session_id=ANA,
        nudge_seq=nudge_seq,
        channel=AlertChannel.SOUND,
        outcome=AlertOutcome.FAILED,
        reason="no sound device",
    )


async def test_a_browser_is_stored_seen_again_and_deleted(store: Store) -> None:
    await store.open()
    await store.save_browser(make_browser("b1"))
    await store.save_browser(make_browser("b2"))

    seen = structs.replace(make_browser("b1"), last_seen_at=later(5), expires_at=later(90))
    await store.save_browser(structs.replace(seen, is_read_only=True, user="mallory"))
    await store.delete_browser("b2")
    await store.delete_browser("nobody")

    assert await store.browsers() == [seen]


async def test_an_acknowledgement_never_falls_and_belongs_to_its_user(store: Store) -> None:
    await store.open()
    for user, seq in (("ada", 3), ("ada", 7), ("ada", 5), ("ben", 1)):
        await store.acknowledge(user, ANA, seq, NOW)
    await store.acknowledge("ada", "away", 2, NOW)

    assert await store.acknowledgements("ada") == {ANA: 7, "away": 2}
    assert await store.acknowledgements("ben") == {ANA: 1}

    await store.forget_acknowledgements(ANA)
    assert await store.acknowledgements("ada") == {"away": 2}
    assert await store.acknowledgements("ben") == {}


async def test_reports_of_alerts_are_kept_up_to_a_number(store: Store) -> None:
    await store.open()
    for number in range(NOTIFICATIONS_KEPT + 3):
        await store.add_notification(make_notification(number))

    newest = await store.notifications(NOTIFICATIONS_KEPT * 2)

    assert len(newest) == NOTIFICATIONS_KEPT
    assert newest[0] == structs.replace(make_notification(NOTIFICATIONS_KEPT + 2), sequence=newest[0].sequence)
    assert newest[0].sequence > newest[1].sequence


async def test_messages_that_did_not_arrive_are_listed_newest_first(store: Store) -> None:
    await add(store, make_session(ANA))
    for name, *statuses in (("m1", Status.DEAD), ("m2",), ("m3", Status.EXPIRED), ("m4", Status.STAGED)):
        message = (await store.enqueue(make_message(name))).message
        for status in statuses:
            await store.move(message.id, make_step(status))

    assert [message.id for message in await store.unsettled()] == ["m3", "m1"]
    assert [message.id for message in await store.unsettled(limit=1)] == ["m3"]


async def test_the_search_finds_plain_text_in_messages_and_signals(store: Store) -> None:
    await add(store, make_session(ANA), make_session(BEN))
    await store.enqueue(make_message("m1", text="Run 100% of the tests_now", queued_at=later(1)))
    await store.enqueue(make_message("m2", BEN, text="nothing", sender_name="TESTS_robot", queued_at=later(2)))
    data = {"state": "error", "text": "the tests_ failed"}
    await store.add_event(make_event(kind=EventKind.SIGNAL, session_id=ANA, data=data, at=later(3)))
    await store.add_event(make_event(kind=EventKind.TURN, session_id=ANA, data=data))

    async def found(text: str, **options: object) -> list[tuple[str, str]]:
        return [(hit.kind, hit.session_id) for hit in await store.search(text, **options)]  # type: ignore[arg-type]

    assert await found("tests_") == [("signal", ANA), ("message", BEN), ("message", ANA)]
    assert await found("tests_", session_id=ANA, limit=1) == [("signal", ANA)]
    assert await found("100%") == [("message", ANA)]
    assert await found("%") == [("message", ANA)]
    assert await found("error: the") == [("signal", ANA)]
    assert await found("\\") == []
