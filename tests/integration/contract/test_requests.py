from hark.model.ids import SessionId
from hark.store.contract import Begun, Store
from tests.integration.contract.samples import ANA, BEN, NOW, later, refused


async def begin(store: Store, key: str = "k", digest: str = "d", session_id: SessionId = ANA, at: float = 0) -> Begun:
    return await store.begin_request(key, digest, session_id, later(at), later(at - 60))


async def test_a_repeated_request_has_the_session_of_the_first(store: Store) -> None:
    assert await begin(store) == Begun(ANA)

    assert await begin(store, session_id=BEN, at=1) == Begun(ANA)
    assert await begin(store, "other", session_id=BEN) == Begun(BEN)


async def test_what_was_answered_is_answered_again(store: Store) -> None:
    await begin(store)
    await store.answer_request("k", '{"é": 1}')

    assert await begin(store, session_id=BEN) == Begun(ANA, '{"é": 1}')


async def test_the_same_key_for_something_else_is_refused_and_changes_nothing(store: Store) -> None:
    await begin(store)

    with refused("idempotency-conflict"):
        await begin(store, digest="of another request")

    assert await begin(store) == Begun(ANA)


async def test_a_request_that_has_started_nothing_leaves_its_key_free(store: Store) -> None:
    await begin(store)
    await store.drop_request("k")
    await store.drop_request("never begun")
    await store.answer_request("k", "{}")

    assert await begin(store, digest="another", session_id=BEN) == Begun(BEN)


async def test_old_requests_are_forgotten(store: Store) -> None:
    await begin(store)
    await begin(store, "young", at=1)

    await store.begin_request("new", "d", ANA, later(61), later(0.5))

    assert await store.begin_request("k", "another", BEN, later(61), NOW) == Begun(BEN)
    with refused("idempotency-conflict"):
        await store.begin_request("young", "another", BEN, later(61), NOW)
