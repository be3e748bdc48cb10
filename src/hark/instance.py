"""Finds the daemon that has this user's database: there is one at a time, and a lock file beside the database names it. Stdlib only.

The daemon holds the file's flock for as long as it lives, so a stale file is no obstacle. The file's content says which process
the daemon is and where it listens. Every client of the daemon reads this file first: cron, `su` and containers have another
runtime directory than a login session, or none, but they mean the same database.
"""

import contextlib
import fcntl
import os
import socket
from pathlib import Path
from typing import NamedTuple

from hark import __version__, paths

LONGEST = 65536
"""The largest number of bytes that are read from a lock file."""


class Build(NamedTuple):
    """The code that a process runs. A version alone does not identify the code: a package may be installed again with the same
    version."""

    version: str
    place: str
    """The directory of the package."""
    stamp: str
    """The time at which the files of the package were installed, in nanoseconds; empty if it is not known."""


class Daemon(NamedTuple):
    """A daemon as its lock file describes it: its process, its sockets and its code."""

    pid: int
    runtime: Path
    """The directory that holds the daemon's sockets."""
    host: str
    build: Build


def own_build() -> Build:
    here = os.path.realpath(__file__)
    place = os.path.dirname(here)
    try:
        stamp = str(os.stat(os.path.join(place, "__init__.py")).st_mtime_ns)
    except OSError:
        stamp = ""
    return Build(__version__, place, stamp)


def describe(daemon: Daemon) -> bytes:
    """Return the content of the lock file. NUL ends each word, because a path may hold any other byte."""
    words = (str(daemon.runtime), daemon.host, *daemon.build)
    return f"{daemon.pid}\n".encode() + b"".join(os.fsencode(word) + b"\0" for word in words) + b"\n"


def parse(content: bytes) -> Daemon | None:
    """Read the content of a lock file; return None for anything that `describe` has not written."""
    pid, _, rest = content.partition(b"\n")
    words = [os.fsdecode(word) for word in rest.split(b"\0")]
    if not pid.isdigit() or len(pid) > 18 or len(words) < 6 or not words[0].startswith("/"):
        return None
    return Daemon(int(pid), Path(words[0]), words[1], Build(*words[2:5]))


def describe_this(build: Build) -> bytes:
    return describe(Daemon(os.getpid(), paths.runtime_dir(), socket.gethostname(), build))


def find() -> Daemon | None:
    """Return the daemon that has the database or had it last; None if that is not known. The flock tells whether that daemon
    still lives."""
    with contextlib.suppress(OSError), open(paths.lock_path(), "rb") as file:
        return parse(file.read(LONGEST))
    return None


def runtime_dir() -> Path:
    """Return the directory of the sockets of this database's daemon, whatever this process's own runtime directory is."""
    daemon = find()
    return daemon.runtime if daemon else paths.runtime_dir()


def socket_path() -> Path:
    return runtime_dir() / paths.SOCKET


class Door(NamedTuple):
    """A socket of the daemon, and the token that a caller has to show there, if any."""

    path: Path
    token: str | None = None

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}


def door() -> Door:
    """Return the socket at which this process speaks to the daemon. Inside a session that hark has started, that is `agent.sock`,
    with the rights of that session; anywhere else it is the user's own socket. A HARK_HOME that was set since the session
    started means another daemon, and so that daemon's user socket."""
    token, path = os.environ.get("HARK_TOKEN"), os.environ.get("HARK_AGENT_SOCKET", "")
    home = os.environ.get("HARK_HOME")
    if not token or not path.startswith("/") or (home and not path.startswith(os.path.abspath(home) + "/")):
        return Door(socket_path())
    # A daemon that was started again may listen elsewhere. In a sandbox, only the path in HARK_AGENT_SOCKET can be reached.
    return Door(Path(path) if os.path.exists(path) else runtime_dir() / "agent.sock", token)


def is_free(path: Path) -> bool:
    """Return True if nobody holds the file's flock. This takes the flock and releases it at once; a daemon that is just starting
    and finds the flock taken tries again."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True


def is_running() -> bool:
    """Return True if a daemon has the database."""
    return not is_free(paths.lock_path())


def holds(pid: int, path: Path) -> bool:
    """Return True if the process with this id has the file open. This is so that another process that has got the id of a dead
    daemon is not taken for the daemon. Where there is no /proc, the id in the file is believed."""
    if not os.path.isdir("/proc/self/fd"):
        return True
    try:
        wanted = os.stat(path)
        with os.scandir(f"/proc/{pid}/fd") as descriptors:
            return any(_is_same(entry.path, wanted) for entry in descriptors)
    except OSError:
        return False


def _is_same(path: str, wanted: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.stat(path), wanted)
    except OSError:
        return False
