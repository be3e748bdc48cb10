from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from hark.daemon.bus import Bus
from hark.model.event import Event, EventKind
from tests.support.memory_store import MemoryStore

EVENT = Event(at=datetime(2026, 1, 1, tzinfo=UTC), kind=EventKind.HOOK)


async def follow(bus: Bus, after: int, count: int) -> list[int]:
    seen: list[int] = []
    async with asyncio.timeout(20):
        async for event in bus.follow(after):
            seen.append(event.seq)
            if len(seen) == count:
                break
    return seen


def test_followers_that_join_at_any_time_miss_nothing_and_see_nothing_twice() -> None:
    async def scenario() -> list[list[int]]:
        store = MemoryStore()
        await store.open()
        bus = Bus(store)
        async with asyncio.TaskGroup() as tasks:
            followers = []
            for number in range(50):
                if number % 10 == 0:
                    followers.append(tasks.create_task(follow(bus, number, 50 - number)))
                await store.add_event(EVENT)
                await asyncio.sleep(0)
        await store.close()
        return [task.result() for task in followers]

    assert asyncio.run(scenario()) == [list(range(start + 1, 51)) for start in (0, 10, 20, 30, 40)]


def test_followers_end_when_the_bus_hangs_up() -> None:
    async def scenario() -> list[int]:
        store = MemoryStore()
        await store.open()
        bus = Bus(store)
        await store.add_event(EVENT)
        async with asyncio.TaskGroup() as tasks:
            follower = tasks.create_task(follow(bus, 0, 100))
            await asyncio.sleep(0)
            bus.hang_up()
        await store.close()
        return follower.result()

    assert asyncio.run(scenario()) in ([], [1])


def test_a_listener_hears_every_event_once() -> None:
    async def scenario() -> list[int]:
        store = MemoryStore()
        await store.open()
        heard: list[int] = []
        Bus(store).listen(lambda event: heard.append(event.seq))
        for _ in range(3):
            await store.add_event(EVENT)
        await store.close()
        return heard

    assert asyncio.run(scenario()) == [1, 2, 3]
