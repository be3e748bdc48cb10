"""The locks of a daemon. Each is an exclusive flock on a file, held as long as the process lives, so a stale file is no obstacle.

A daemon takes two locks before it opens anything: the one beside its database, because two daemons on one database would deliver
everything twice, and the one beside its sockets, because two daemons of two databases would take each other's callers.
"""

import contextlib
import fcntl
import os
import time
from pathlib import Path

from hark import instance, paths
from hark.model.errors import HarkError

TESTED_S = 0.5
"""How many seconds to try again to take a lock: a program that asks whether a daemon lives holds the lock for a moment."""
_POLL_S = 0.01


class FileLock:
    """A lock file that one process holds at a time, with a text that says who holds it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    @property
    def descriptor(self) -> int | None:
        """The descriptor that holds the lock; None if the lock is not held."""
        return self._descriptor

    def take(self, content: bytes, inherited: int | None = None) -> bool:
        """Take the lock, and write `content` into its file. Return False if another process holds the lock. `inherited` is a descriptor
        that holds the lock already, from the daemon that this one replaces."""
        deadline = time.monotonic() + TESTED_S
        while self._descriptor is None:
            descriptor = self._open(inherited)
            inherited = None
            if _is_locked(descriptor, deadline) and _is_at(descriptor, self.path):
                self._descriptor = descriptor
                break
            os.close(descriptor)
            if time.monotonic() >= deadline:
                return False
        _write(self._descriptor, content)
        return True

    def _open(self, inherited: int | None) -> int:
        if inherited is not None:
            # A number that was not handed over after all is no descriptor, or is that of some other file: `take` finds that out.
            with contextlib.suppress(OSError):
                os.set_inheritable(inherited, False)
                return inherited
        return os.open(self.path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)

    def is_in_place(self) -> bool:
        """Return False if the file was removed or replaced: then another daemon can take a lock of the same name."""
        return self._descriptor is not None and _is_at(self._descriptor, self.path)

    def release(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


class InstanceLock:
    """The two locks of this daemon: beside its database and beside its sockets."""

    def __init__(self) -> None:
        self.database = FileLock(paths.lock_path())
        self.runtime = FileLock(paths.runtime_lock_path())
        self.build = instance.own_build()
        """The identity of the code that runs, read at the start because the files may be replaced later."""

    def take(self, inherited: tuple[int, int] | None = None) -> None:
        first, second = inherited or (None, None)
        if not self.database.take(instance.describe_this(self.build), first):
            raise _database_taken()
        if not self.runtime.take(f"{os.getpid()}\n".encode(), second):
            self.database.release()
            raise _runtime_taken(self.runtime.path)

    def take_runtime_again(self) -> bool:
        """Take the runtime lock again after its file was removed. Return False if a daemon of another database was faster."""
        self.runtime.release()
        return self.runtime.take(f"{os.getpid()}\n".encode())

    def release(self) -> None:
        self.runtime.release()
        self.database.release()


def _is_locked(descriptor: int, deadline: float) -> bool:
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(_POLL_S)


def _write(descriptor: int, content: bytes) -> None:
    """Write the new content first, and then cut off the rest: a reader in between finds the old content or the new one, never an empty
    file. On a full disk the file stays empty, which is better than something untrue; the lock holds all the same."""
    try:
        os.pwrite(descriptor, content, 0)
        os.ftruncate(descriptor, len(content))
    except OSError:
        os.ftruncate(descriptor, 0)


def _is_at(descriptor: int, path: Path) -> bool:
    """Return True if the path still names the file that was locked, which may have been removed meanwhile."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.lstat(path))
    except OSError:
        return False


def _database_taken() -> HarkError:
    holder = instance.find()
    who = f"pid {holder.pid} on {holder.host}, socket {holder.runtime / paths.SOCKET}" if holder else "pid unknown"
    return HarkError(
        "already-running",
        f"another hark daemon runs already with this database ({who})",
        "`hark daemon status` shows it, `hark daemon stop` ends it",
    )


def _runtime_taken(path: Path) -> HarkError:
    return HarkError(
        "runtime-in-use",
        f"a hark daemon of another database has its sockets in {path.parent}",
        "set HARK_HOME, or another XDG_RUNTIME_DIR, to keep the two apart",
    )
