"""Runs work that may never end, such as reading a file on a disk that does not answer. The work runs in a thread of its own, is waited
for only for a limited time, and is not begun again for the same thing before it has ended.

The threads do not come from a pool: a thread that hangs must neither use up a pool for everybody else nor keep the daemon from ending.
"""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TypeVar

T = TypeVar("T")

WITHIN_S = 2.0
MOST_AT_ONCE = 64

_under_way: set[str] = set()


async def work_aside(thing: str, work: Callable[[], T], within_s: float = WITHIN_S) -> T:
    """Run `work` in a thread, and return what it returns. Raise what it raises, and an OSError if it takes too long, if earlier work for
    the same thing still hangs, or if too much other work is under way. `thing` names what the work is about, such as a session."""
    if thing in _under_way or len(_under_way) >= MOST_AT_ONCE:
        raise OSError("it does not answer")
    done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
    _under_way.add(thing)
    threading.Thread(target=_run, args=(thing, work, done), name=f"aside {thing[:40]}", daemon=True).start()
    try:
        async with asyncio.timeout(within_s):
            return await done
    except TimeoutError:
        raise OSError("it does not answer") from None


def _run(thing: str, work: Callable[[], T], done: asyncio.Future[T]) -> None:
    """Run the work in this thread, and tell the event loop that waits for it how the work has ended."""
    settle: Callable[[], None]
    try:
        settle = partial(_succeed, done, work())
    except Exception as failure:  # noqa: BLE001 it is raised where it is waited for
        settle = partial(_fail, done, failure)
    _under_way.discard(thing)
    with suppress(RuntimeError):  # The event loop is closed if the daemon has ended meanwhile.
        done.get_loop().call_soon_threadsafe(settle)


def _succeed(done: asyncio.Future[T], result: T) -> None:
    if not done.done():
        done.set_result(result)


def _fail(done: asyncio.Future[T], failure: Exception) -> None:
    if not done.done():
        done.set_exception(failure)
