"""Work that may hang: it keeps nobody waiting for long, and is not begun twice."""

from __future__ import annotations

import asyncio
import threading

import pytest

from hark.daemon.process.slow_calls import MOST_AT_ONCE, work_aside


def raise_it() -> None:
    raise ValueError("as it was")


def test_what_it_returns_and_what_it_raises_is_passed_on() -> None:
    assert asyncio.run(work_aside("a", lambda: 5)) == 5
    with pytest.raises(ValueError, match="as it was"):
        asyncio.run(work_aside("a", raise_it))


def test_what_hangs_is_given_up_and_not_begun_again_before_it_has_ended() -> None:
    release, begun = threading.Event(), []

    def hang() -> None:
        begun.append(1)
        release.wait()

    async def story() -> None:
        for _ in range(3):
            with pytest.raises(OSError, match="does not answer"):
                await work_aside("disk", hang, 0.05)
        assert await work_aside("another", lambda: 1) == 1
        assert len(begun) == 1
        release.set()
        while True:
            try:
                assert await work_aside("disk", lambda: 2) == 2
                return
            except OSError:
                await asyncio.sleep(0.01)

    asyncio.run(asyncio.wait_for(story(), 30))


def test_there_are_only_so_many_that_hang() -> None:
    release = threading.Event()

    async def story() -> None:
        hanging = [asyncio.create_task(work_aside(str(n), release.wait, 30)) for n in range(MOST_AT_ONCE)]
        await asyncio.sleep(0)
        with pytest.raises(OSError, match="does not answer"):
            await work_aside("one more", lambda: 1)
        release.set()
        await asyncio.gather(*hanging)

    asyncio.run(story())
