from hark.model.event import EventKind
from hark.model.ids import SessionId
from hark.model.signal import SignalSource, SignalState
from hark.store.contract import Store
from tests.integration.contract.samples import ANA, BEN, add, later, make_event, make_session, refused


async def test_a_signal_its_event_and_what_is_remembered_are_written_together(store: Store) -> None:
    await add(store, make_session(ANA))
    changes = {"nudge_seq": 1, "last_signal_at": later(1), "signal_state": SignalState.ERROR}
    changes |= {"signal_text": "no disk", "signal_source": SignalSource.RECORD}

    changed = await store.save_signal(ANA, changes, make_event(kind=EventKind.SIGNAL, session_id=ANA), '{"turn":1}')

    assert await store.session(ANA) == changed
    assert (changed.signal_state, changed.signal_text, changed.signal_source) == ("error", "no disk", "record")
    assert await store.signal_memory(ANA) == '{"turn":1}'
    assert [event.kind for event in await store.signals(ANA)] == [EventKind.SIGNAL]


async def test_what_is_remembered_is_replaced_and_goes_with_its_session(store: Store) -> None:
    await add(store, make_session(ANA))
    assert await store.signal_memory(ANA) is None

    await store.save_signal(ANA, {}, None, "1")
    await store.save_signal(ANA, {}, None, "2")

    assert await store.signal_memory(ANA) == "2"
    await store.remove_session(ANA)
    assert await store.signal_memory(ANA) is None


async def test_nothing_is_remembered_of_a_session_that_is_not_there(store: Store) -> None:
    with refused("session-not-found"):
        await store.save_signal(SessionId("nobody"), {}, None, "1")

    assert await store.signal_memory(SessionId("nobody")) is None


async def test_the_newest_signals_are_listed_in_order_of_one_session_or_of_all(store: Store) -> None:
    await add(store, make_session(ANA), make_session(BEN))
    for number, session_id in enumerate((ANA, BEN, ANA, ANA)):
        await store.add_event(make_event(kind=EventKind.SIGNAL, session_id=session_id, data={"nudge_seq": number}))
    await store.add_event(make_event(kind=EventKind.TURN, session_id=ANA))

    assert [event.data["nudge_seq"] for event in await store.signals(ANA, limit=2)] == [2, 3]
    assert [event.data["nudge_seq"] for event in await store.signals()] == [0, 1, 2, 3]
