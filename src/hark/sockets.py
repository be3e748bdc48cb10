"""A unix socket that this process listens on, as a file: it is bound, watched and removed here.

Temporary directories are cleaned behind a program's back, so a socket file that vanished is bound again. And a file that is
not ours is never removed: what answers there belongs to somebody else.
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
        """A new listener at the path. One that a dead process has left is replaced; one that is in use is left alone."""
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
        """True when the file that was bound is not at the path any more."""
        return self._identity is not None and _identity(self.path) != self._identity

    def remove(self) -> None:
        """Removes the file that was bound, and no other."""
        if self._identity is not None and not self.is_gone():
            with contextlib.suppress(OSError):
                self.path.unlink()
        self._identity = None

    def _make_room(self) -> None:
        paths.make_private(self.path.parent)
        if not os.path.lexists(self.path):
            return
        if not paths.socket_is_ours(self.path):
            raise HarkError(
                "directory-unsafe", f"{self.path} is not a socket of yours", f"look who owns {self.path.parent}"
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
    """Whether somebody listens there. A queue that is full is somebody's."""
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
