"""Makes sure that this daemon can be found. Its locks and its sockets are files, and they vanish when a temporary directory is cleaned."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Protocol

from hark import paths
from hark.daemon.process.instance_lock import InstanceLock
from hark.daemon.process.log import logger
from hark.model.errors import HarkError

CHECK_S = 1.0


class Door(Protocol):
    def keep(self) -> bool:
        """Listen again if the socket's file has vanished. Return True if it had."""


class Presence:
    def __init__(self, lock: InstanceLock, doors: Sequence[Door], give_up: Callable[[str], None]) -> None:
        """`give_up` ends the daemon; its argument is the reason."""
        self._lock = lock
        self._doors = doors
        self._give_up = give_up
        self._said = ""

    async def run(self) -> None:
        while True:
            await asyncio.sleep(CHECK_S)
            self.look()

    def look(self) -> None:
        if not self._lock.database.is_in_place():
            self._give_up(f"{self._lock.database.path} was removed: another daemon may have the database now")
            return
        try:
            self._keep()
            self._said = ""
        except (HarkError, OSError, paths.UnsafeDirectory) as failure:
            self._say_once(str(failure))

    def _keep(self) -> None:
        if not self._lock.runtime.is_in_place():
            paths.make_private(paths.runtime_dir())
            if not self._lock.take_runtime_again():
                raise HarkError("runtime-in-use", f"a daemon of another database has {self._lock.runtime.path}")
        for door in self._doors:
            if door.keep():
                logger.warning("a socket had vanished and was bound again", extra={"door": type(door).__name__})

    def _say_once(self, detail: str) -> None:
        if detail != self._said:
            logger.error("cannot be reached", extra={"detail": detail})
        self._said = detail
