"""Binds, watches and removes the file of a unix socket on which this process listens.

Other programs clean temporary directories, so a socket file may vanish and must be bound again. A file of another user, or one
at which another program answers, is never removed.
"""

import contextlib
import os
import socket
from pathlib import Path

from hark import paths
from hark.model.errors import HarkError

ANSWER_S = 1.0


class OwnSocket:
    def __init__(self, path: Path, backlog: int) -> None:
        self.path = path
        self._backlog = backlog
        self._identity: tuple[int, int] | None = None

    def listen(self) -> socket.socket:
        """Return a new listener at the path. Replace a socket that a dead process has left; raise an error, and leave the socket
        alone, if it is in use."""
        self._make_room()
        listener = socket.socket(socket.AF_UNIX)
        before = os.umask(0o177)
        try:
            listener.bind(str(self.path))
            self._identity = _identity(self.path)
            listener.listen(self._backlog)
        except OSError:
            listener.close()
            raise
        finally:
            os.umask(before)
        return listener

    def is_gone(self) -> bool:
        """True if the file that this process bound is not at the path any more."""
        return self._identity is not None and _identity(self.path) != self._identity

    def remove(self) -> None:
        """Remove the file that this process bound, and no other file."""
        if self._identity is not None and not self.is_gone():
            with contextlib.suppress(OSError):
                self.path.unlink()
        self._identity = None

    def _make_room(self) -> None:
        paths.make_private(self.path.parent)
        if paths.is_foreign_socket(self.path):
            raise HarkError(
                "directory-unsafe", f"{self.path} is not a socket of yours", f"check who owns {self.path.parent}"
            )
        if answers(self.path):
            raise HarkError(
                "runtime-in-use",
                f"another program listens on {self.path}",
                "end it, or set HARK_HOME to another directory",
            )
        with contextlib.suppress(FileNotFoundError):
            self.path.unlink()


def answers(path: Path) -> bool:
    """Return True if a process listens at the path. A full queue of connections also means that a process listens."""
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(ANSWER_S)
        try:
            probe.connect(str(path))
        except (BlockingIOError, TimeoutError):
            return True
        except OSError:
            return False
    return True


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        facts = os.lstat(path)
    except OSError:
        return None
    return facts.st_dev, facts.st_ino
