"""Keeps failures apart: a failure of one session, reminder, message or listener does not stop the others.

A loop over items runs each of them through an `Isolation`. An item that fails rests before it is tried again, longer each time,
and is logged when it fails for the first time, in a new way, or for the 2nd, 4th, 8th … time in the same way: not every second.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Any

from msgspec import Struct

from hark.daemon.process.log import logger
from hark.model.errors import HarkError

FIRST_REST_S = 1.0
LONGEST_REST_S = 60.0
MOST_KNOWN = 10_000
"""The largest number of items whose failures are remembered. Beyond that the oldest failures are dropped, because some items never come
again."""


class Failure(Struct, frozen=True):
    kind: str
    count: int
    rests_until_s: float


class Isolation:
    def __init__(self, what: str, *, rests: bool = True) -> None:
        """`what` is the name of the loop in the log. Without `rests` an item is tried every time."""
        self._what = what
        self._rests = rests
        self._failures: dict[Hashable, Failure] = {}

    async def run(self, item: Hashable, work: Callable[[], Awaitable[Any]]) -> bool:
        """Do an item's work. Return False if the work failed, or if the item rests after a failure."""
        if self.rest_s(item) > 0:
            return False
        try:
            await work()
        except Exception as failure:  # noqa: BLE001 a supervisor: logged, and tried again
            self.note(item, failure)
            return False
        self._failures.pop(item, None)
        return True

    def call(self, item: Hashable, work: Callable[[], object]) -> bool:
        """Do an item's work, if that work is not asynchronous. Return False if it failed. An item never rests here."""
        try:
            work()
        except Exception as failure:  # noqa: BLE001 a supervisor: logged, and tried again
            self.note(item, failure)
            return False
        self._failures.pop(item, None)
        return True

    def rest_s(self, item: Hashable) -> float:
        """Return how many seconds the item still rests after its last failure."""
        failure = self._failures.get(item)
        return max(0.0, failure.rests_until_s - _now_s()) if failure and self._rests else 0.0

    def forget(self, item: Hashable) -> None:
        self._failures.pop(item, None)

    def note(self, item: Hashable, failure: Exception) -> None:
        kind = failure.code if isinstance(failure, HarkError) else type(failure).__name__
        before = self._failures.pop(item, None)
        count = before.count + 1 if before and before.kind == kind else 1
        rest_s = min(LONGEST_REST_S, FIRST_REST_S * 2 ** min(count - 1, 10))
        self._failures[item] = Failure(kind, count, _now_s() + rest_s)
        if len(self._failures) > MOST_KNOWN:
            del self._failures[next(iter(self._failures))]
        if count & (count - 1) == 0:
            self._log(item, failure, kind, count)

    def _log(self, item: Hashable, failure: Exception, kind: str, count: int) -> None:
        extra = {"loop": self._what, "item": str(item), "code": kind, "count": count}
        if isinstance(failure, HarkError | OSError):
            detail = failure.detail if isinstance(failure, HarkError) else repr(failure)
            logger.warning("one of many failed", extra=extra | {"detail": detail})
        else:
            logger.error("one of many failed", extra=extra, exc_info=failure)


def _now_s() -> float:
    return asyncio.get_running_loop().time()
