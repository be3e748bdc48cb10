"""Work that may never end, such as reading a file on a disk that does not answer: done in a thread of its own, waited for only so
long, and not begun again for the same thing before it has ended.

The threads are none of a pool: one that hangs must neither use up the pool for everybody else nor keep the daemon from ending.
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
    """What `work` returns. Raises what it raises, and an OSError if it takes too long or still hangs from before. `thing` names what it
    is about, such as a session."""
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
