"""Runs work that may never end, such as reading a file on a disk that does not answer. The work runs in a thread of its own, is waited
for only for a limited time, and is not begun again for the same thing before it has ended.

The threads do not come from a pool: a thread that hangs must neither use up a pool for everybody else nor keep the daemon from ending.
"""

import asyncio
import threading
from collections.abc import Callable
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
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, failure: BaseException | None) -> None:
        if done.done():
            return
        if failure is not None:
            done.set_exception(failure)
        else:
            done.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        result, failure = None, None
        try:
            result = work()
        except Exception as raised:  # noqa: BLE001 it is raised where it is waited for
            failure = raised
        _under_way.discard(thing)
        try:
            loop.call_soon_threadsafe(settle, result, failure)
        except RuntimeError:
            return  # The daemon has ended meanwhile.

    _under_way.add(thing)
    threading.Thread(target=run, name=f"aside {thing[:40]}", daemon=True).start()
    try:
        async with asyncio.timeout(within_s):
            return await done
    except TimeoutError:
        raise OSError("it does not answer") from None
