import asyncio
import threading

import pytest

from hark.model.event import Event, EventKind
from hark.model.ids import MessageId
from hark.model.message import Status
from hark.store.contract import Store
from tests.integration.contract.samples import (
    ANA,
    NOW,
    add,
    enqueue,
    make_event,
    make_message,
    make_session,
    make_step,
    refused,
)


async def test_an_event_comes_back_with_every_field_and_its_seq(store: Store) -> None:
    event = make_event(session_id=ANA, message_id=MessageId("m"), data={"text": "ü", "list": [1, {"deep": None}]})

    written = await store.add_event(event)

    assert written.seq > 0
    assert (written.at, written.kind, written.session_id, written.message_id) == (NOW, EventKind.HOOK, ANA, "m")
    assert written.data == event.data
    assert await store.events() == [written]


async def test_events_resume_after_a_seq_without_gap_or_repeat(store: Store) -> None:
    written = [await store.add_event(make_event(data={"n": n})) for n in range(25)]

    read: list[Event] = []
    while page := await store.events(after=read[-1].seq if read else 0, limit=7):
        read += page

    assert read == written
    assert [event.seq for event in read] == sorted({event.seq for event in read})
    assert not await store.events(after=written[-1].seq)


async def test_the_last_seq_is_that_of_the_newest_event(store: Store) -> None:
    assert await store.last_event_seq() == 0

    written = await store.add_event(make_event())

    assert await store.last_event_seq() == written.seq


async def test_data_that_is_no_json_is_refused_and_writes_nothing(store: Store) -> None:
    with pytest.raises(TypeError):
        await store.add_session(make_session(ANA), make_event(data={"thing": object()}))

    assert not await store.events()
    assert not await store.sessions()


async def test_a_listener_hears_all_events_in_order_as_they_are_stored(store: Store) -> None:
    heard: list[Event] = []
    store.on_event(heard.append)
    await add(store, make_session(ANA))

    await asyncio.gather(*(store.enqueue(make_message(f"m{n}")) for n in range(50)))
    await store.add_event(make_event(data={"tuple": (1, 2)}))

    assert len(heard) == 52
    assert heard == await store.events()


async def test_a_listener_has_heard_before_the_writer_goes_on(store: Store) -> None:
    heard: list[Event] = []
    store.on_event(heard.append)

    written = await store.add_event(make_event())

    assert heard == [written]


async def test_every_listener_hears(store: Store) -> None:
    one: list[int] = []
    other: list[int] = []
    store.on_event(lambda event: one.append(event.seq))
    store.on_event(lambda event: other.append(event.seq))

    written = await store.add_event(make_event())

    assert one == other == [written.seq]


async def test_listeners_are_called_on_the_loop_that_opened_the_store(store: Store) -> None:
    where: list[tuple[int, asyncio.AbstractEventLoop]] = []
    store.on_event(lambda _: where.append((threading.get_ident(), asyncio.get_running_loop())))

    await store.add_event(make_event())

    assert where == [(threading.get_ident(), asyncio.get_running_loop())]


async def test_what_a_listener_hears_of_can_be_read(store: Store) -> None:
    await add(store, make_session(ANA))
    reads: list[asyncio.Task[object]] = []
    store.on_event(lambda event: reads.append(asyncio.ensure_future(store.message(event.message_id or MessageId("")))))

    (message,) = await enqueue(store, make_message("m1"))

    assert await asyncio.gather(*reads) == [message]


async def test_a_refused_hop_is_not_heard_of(store: Store) -> None:
    await add(store, make_session(ANA))
    await enqueue(store, make_message("m1"))
    heard: list[Event] = []
    store.on_event(heard.append)

    with refused("transition-illegal"):
        await store.move(MessageId("m1"), make_step(Status.COMPLETED))
    with refused("name-taken"):
        await store.add_session(make_session("other", ANA), make_event())
    await store.last_event_seq()

    assert not heard


async def test_a_listener_that_raises_harms_neither_the_hop_nor_other_listeners(store: Store) -> None:
    heard: list[Event] = []
    complaints: list[BaseException] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context["exception"]))

    def break_down(event: Event) -> None:
        raise ValueError(event.seq)

    store.on_event(break_down)
    store.on_event(heard.append)

    written = await store.add_event(make_event())

    assert heard == [written]
    assert [type(complaint) for complaint in complaints] == [ValueError]


async def test_every_name_that_a_session_has_or_had_is_told_even_of_forgotten_sessions(store: Store) -> None:
    made = Event(at=NOW, kind=EventKind.SESSION_CREATED, session_id=ANA, data={"name": "ana", "agent": "demo"})
    renamed = Event(at=NOW, kind=EventKind.SESSION_RENAMED, session_id=ANA, data={"from": "ana", "to": "beef/7"})
    other = Event(at=NOW, kind=EventKind.SESSION_GONE, session_id=ANA, data={"name": "not given"})
    for event in (made, renamed, other):
        await store.add_event(event)

    assert {"ana", "beef/7"} <= set(await store.used_names())
    assert "not given" not in await store.used_names()
