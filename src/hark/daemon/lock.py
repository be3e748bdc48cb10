"""One daemon per user: an exclusive lock on a file, held as long as the process lives. A stale file is no obstacle."""

import fcntl
import os
from pathlib import Path

from hark.model.errors import HarkError


class InstanceLock:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def take(self) -> None:
        descriptor = os.open(self._path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(descriptor, 32).decode("ascii", "replace").strip()
            os.close(descriptor)
            raise HarkError(
                "already-running",
                f"another hark daemon runs already (pid {holder or 'unknown'})",
                "`hark daemon status` shows it, `hark daemon stop` ends it",
            ) from None
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        self._descriptor = descriptor

    def release(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
