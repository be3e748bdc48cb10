from msgspec import structs

from hark.model.ids import MessageId
from hark.model.message import Lease, Status
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
)


async def acquire(store: Store, owner: str = "me", now: float = 0, until: float = 10) -> Lease:
    lease = await store.acquire_lease(ANA, owner, later(now), later(until))
    assert lease is not None
    return lease


async def test_a_lease_is_granted_to_one_owner_at_a_time(store: Store) -> None:
    await add(store, make_session(ANA), make_session(BEN))

    lease = await acquire(store)

    assert (lease.session_id, lease.owner, lease.expires_at) == (ANA, "me", later(10))
    assert await store.acquire_lease(ANA, "other", NOW, later(20)) is None
    assert await store.acquire_lease(BEN, "other", NOW, later(20)) is not None


async def test_an_owner_prolongs_its_lease_with_the_same_fence(store: Store) -> None:
    await add(store, make_session(ANA))
    lease = await acquire(store)

    prolonged = await acquire(store, now=5, until=20)

    assert prolonged == structs.replace(lease, expires_at=later(20))
    assert await store.acquire_lease(ANA, "other", later(15), later(30)) is None


async def test_an_expired_lease_passes_on_with_a_higher_fence(store: Store) -> None:
    await add(store, make_session(ANA))
    lease = await acquire(store, until=10)

    assert await store.acquire_lease(ANA, "other", later(9.999999), later(20)) is None
    assert (await acquire(store, "other", now=10, until=20)).fence > lease.fence
    assert await store.acquire_lease(ANA, "me", later(11), later(20)) is None


async def test_an_owner_whose_lapsed_lease_nobody_took_keeps_its_fence(store: Store) -> None:
    await add(store, make_session(ANA))
    lease = await acquire(store, until=10)

    assert (await acquire(store, now=60, until=70)).fence == lease.fence


async def test_the_fence_grows_also_after_a_release(store: Store) -> None:
    await add(store, make_session(ANA))
    fences = []

    for owner in ("me", "me", "other", "me"):
        lease = await acquire(store, owner)
        await store.release_lease(lease)
        fences.append(lease.fence)

    assert fences == sorted(set(fences))


async def test_a_release_by_a_former_owner_is_left_alone(store: Store) -> None:
    await add(store, make_session(ANA))
    old = await acquire(store, until=10)
    new = await acquire(store, "other", now=10, until=20)

    await store.release_lease(old)
    await store.release_lease(structs.replace(new, owner="me"))
    await store.release_lease(structs.replace(new, fence=new.fence + 1))

    assert await store.acquire_lease(ANA, "me", later(11), later(20)) is None


async def test_a_lease_of_a_removed_session_can_be_released(store: Store) -> None:
    await add(store, make_session(ANA))
    lease = await acquire(store)
    await store.remove_session(ANA)

    await store.release_lease(lease)


async def test_a_move_with_the_current_fence_goes_through(store: Store) -> None:
    await add(store, make_session(ANA))
    await enqueue(store, message := make_message("m1"))
    lease = await acquire(store)

    moved = await store.move(message.id, make_step(Status.STAGED), fence=lease.fence)

    assert moved.status is Status.STAGED


async def test_a_move_with_any_other_fence_is_refused_and_changes_nothing(store: Store) -> None:
    await add(store, make_session(ANA), make_session(BEN))
    (message,) = await enqueue(store, make_message("m1"))
    with refused("lease-lost"):  # nobody has ever had a lease
        await store.move(message.id, make_step(Status.STAGED), fence=0)
    old = await acquire(store, until=10)
    new = await acquire(store, "other", now=10, until=20)

    for fence in (old.fence, new.fence + 1):
        with refused("lease-lost"):
            await store.move(message.id, make_step(Status.STAGED), fence=fence)

    await store.release_lease(new)
    with refused("lease-lost"):
        await store.move(message.id, make_step(Status.STAGED), fence=new.fence)
    assert await store.message(message.id) == message
    assert len(await store.receipts(message.id)) == 1


async def test_a_lost_lease_is_said_before_an_illegal_step(store: Store) -> None:
    await add(store, make_session(ANA))
    await enqueue(store, message := make_message("m1"))

    with refused("lease-lost"):
        await store.move(message.id, make_step(Status.COMPLETED), fence=1)


async def test_a_move_without_a_fence_needs_no_lease(store: Store) -> None:
    await add(store, make_session(ANA))
    await enqueue(store, message := make_message("m1"))
    await acquire(store, "other")

    assert (await store.move(message.id, make_step(Status.CANCELLED))).status is Status.CANCELLED


async def test_an_attempt_is_marked_and_leaves_no_receipt(store: Store) -> None:
    await add(store, make_session(ANA))
    (message,) = await enqueue(store, make_message("m1"))
    lease = await acquire(store)
    seq = await store.last_event_seq()

    begun = await store.begin_attempt(message.id, later(1), lease.fence)

    assert begun == structs.replace(message, attempts=1, attempted_at=later(1)) == await store.message(message.id)
    assert len(await store.receipts(message.id)) == 1
    assert await store.last_event_seq() == seq


async def test_an_attempt_needs_the_current_lease_and_a_queued_message(store: Store) -> None:
    await add(store, make_session(ANA))
    (message,) = await enqueue(store, make_message("m1"))
    with refused("message-not-found"):
        await store.begin_attempt(MessageId("unknown"), NOW, 1)
    with refused("lease-lost"):
        await store.begin_attempt(message.id, NOW, 1)
    lease = await acquire(store)
    with refused("lease-lost"):
        await store.begin_attempt(message.id, NOW, lease.fence + 1)
    held = await store.move(message.id, make_step(Status.HELD))

    with refused("transition-illegal"):
        await store.begin_attempt(message.id, NOW, lease.fence)

    assert await store.message(message.id) == held
