import asyncio
from typing import Any

import pytest

from hark.model.event import EventKind
from hark.model.ids import MessageId, QuestionId, ReminderId
from hark.model.message import Draft, Lease, Status
from hark.store.contract import Record, Store
from tests.integration.contract.samples import (
    ANA,
    NOW,
    add,
    enqueue,
    later,
    make_event,
    make_message,
    make_reminder,
    make_session,
    make_step,
    refused,
)
from tests.integration.contract.test_dashboard import make_browser, make_notification
from tests.integration.contract.test_questions import ALLOWED, make_question

CALLS: list[tuple[str, tuple[Any, ...]]] = [
    ("add_session", (make_session("x"), make_event())),
    ("change_session", (ANA, {})),
    ("start_heir", (ANA, {}, make_event())),
    ("save_signal", (ANA, {}, None, "{}")),
    ("signal_memory", (ANA,)),
    ("remove_session", (ANA,)),
    ("forgettable_sessions", (NOW,)),
    ("clock", ("forgetting",)),
    ("save_clock", ("forgetting", NOW)),
    ("session", (ANA,)),
    ("sessions", ()),
    ("enqueue", (make_message("m9"),)),
    ("move", (MessageId("m1"), make_step(Status.STAGED))),
    ("begin_attempt", (MessageId("m1"), NOW, 1)),
    ("message", (MessageId("m1"),)),
    ("find_messages", ("m",)),
    ("pending", ()),
    ("first_pending", (ANA,)),
    ("first_pending", (ANA,)),
    ("next_pending", (ANA, 3)),
    ("batch", ("b",)),
    ("thread", ("m",)),
    ("take_inbox", (ANA, NOW)),
    ("messages", (ANA,)),
    ("expired", (NOW,)),
    ("next_timeout", ()),
    ("forget_messages", (NOW,)),
    ("with_notices", ()),
    ("count_by_status", ()),
    ("receipts", (MessageId("m1"),)),
    ("answer", (MessageId("m1"),)),
    ("last_answer", (ANA,)),
    ("last_words", ((ANA,), 9)),
    ("acquire_lease", (ANA, "me", NOW, later(1))),
    ("release_lease", (Lease(session_id=ANA, owner="me", fence=1, expires_at=NOW),)),
    ("add_event", (make_event(),)),
    ("events", ()),
    ("signals", ()),
    ("last_event_seq", ()),
    ("save_draft", (Draft(session_id=ANA, message_id=MessageId("m1"), text="", cursor=0, taken_at=NOW),)),
    ("draft", (ANA,)),
    ("drafts", ()),
    ("delete_draft", (ANA,)),
    ("add_reminder", (make_reminder("r"),)),
    ("change_reminder", (ReminderId("r"), {})),
    ("reminders", ()),
    ("release_leases", ("group",)),
    ("begin_request", ("key", "digest", ANA, NOW, NOW)),
    ("answer_request", ("key", "{}")),
    ("drop_request", ("key",)),
    ("used_names", ()),
    ("add_question", (make_question("q"), make_event(kind=EventKind.QUESTION_ASKED, session_id=ANA))),
    ("end_question", (QuestionId("q"), NOW, ALLOWED)),
    ("correct_question", (QuestionId("q"), ALLOWED, make_event(kind=EventKind.QUESTION_ENDED, session_id=ANA))),
    ("question", (QuestionId("q"),)),
    ("questions", ()),
    ("open_questions", ()),
    ("unsettled", ()),
    ("search", ("text",)),
    ("save_browser", (make_browser("b"),)),
    ("browsers", ()),
    ("delete_browser", ("b",)),
    ("acknowledge", ("ana", "subject", 1, NOW)),
    ("acknowledgements", ("ana",)),
    ("forget_acknowledgements", ("subject",)),
    ("add_notification", (make_notification(1),)),
    ("notifications", ()),
]


def test_every_method_of_the_contract_is_tried() -> None:
    contract = {name for part in (Store, Record) for name in vars(part) if not name.startswith("_")}

    assert {name for name, _ in CALLS} == contract - {"open", "close", "on_event"}


@pytest.mark.parametrize(("name", "arguments"), CALLS, ids=[name for name, _ in CALLS])
async def test_a_closed_store_refuses_every_call(store: Store, name: str, arguments: tuple[Any, ...]) -> None:
    await add(store, make_session(ANA))
    await enqueue(store, make_message("m1"))
    await store.close()

    with refused("store-closed"):
        await getattr(store, name)(*arguments)


async def test_closing_twice_is_harmless(store: Store) -> None:
    await store.close()
    await store.close()
    await asyncio.gather(store.close(), store.close())


async def test_everything_accepted_before_closing_is_there_after_opening_again(store: Store) -> None:
    await add(store, make_session(ANA))

    accepted = [asyncio.ensure_future(store.enqueue(make_message(f"m{n}"))) for n in range(600)]
    await asyncio.sleep(0)  # one turn: each has been handed over, none awaited
    await store.close()
    enqueued = await asyncio.gather(*accepted)
    await store.open()

    assert await store.pending() == [one.message for one in enqueued]
    assert await store.last_event_seq() == 601


async def test_a_caller_that_gives_up_leaves_the_store_whole(store: Store) -> None:
    await add(store, make_session(ANA))

    caller = asyncio.ensure_future(store.enqueue(make_message("m1")))
    await asyncio.sleep(0)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller

    assert len(await store.receipts(MessageId("m1"))) == len(await store.pending()) == 1
