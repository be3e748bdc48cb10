"""Checks whether the daemon answers, whether it is of this version, and whether sockets are left over from dead processes."""

import os
import socket
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from hark import __version__, instance, paths
from hark.diagnosis.finding import Finding, ok, problem, warning
from hark.model.errors import HarkError

CONNECT_S = 1.0


def look_at_daemon(
    health: dict[str, Any] | None, failure: HarkError | None, *, is_lock_free: bool
) -> Iterator[Finding]:
    """Check the daemon and its socket. `health` is what the daemon says about itself; if it is None, `failure` says why."""
    if health is None:
        yield _unreachable(failure, is_lock_free=is_lock_free)
        if is_lock_free and os.path.lexists(instance.socket_path()):
            yield warning(
                "socket", f"{instance.socket_path()} is left from a daemon that has died", "the next daemon replaces it"
            )
        return
    yield _version(health)
    yield _socket(instance.socket_path())


def look_at_airlocks(directory: Path, known: Collection[str]) -> Iterator[Finding]:
    """Look for airlock sockets without a session. `known` holds the sockets of running sessions, which are in use and left alone."""
    sockets = sorted(directory.glob("*.sock")) if directory.is_dir() else []
    strange = [path for path in sockets if str(path) not in known]
    dead = [str(path) for path in strange if not _listens(path)]
    if dead:
        yield warning("airlock-sockets", f"{len(dead)} left from sessions that are gone", f"rm {' '.join(dead)}")
    for path in strange:
        if str(path) not in dead:
            hint = "its agent still runs; `hark adopt` turns its pane into a session"
            yield warning("airlock-sockets", f"{path}: an agent without a session", hint)
    if not strange:
        yield ok("airlock-sockets", f"{len(sockets)}, one for each session behind an airlock")


def _unreachable(failure: HarkError | None, *, is_lock_free: bool) -> Finding:
    if failure is not None and failure.code != "daemon-unreachable":
        return problem("daemon", failure.detail, failure.hint)
    if not is_lock_free:
        return problem(
            "daemon", "a daemon runs but does not answer", "`hark logs` may say why; `hark daemon stop` ends it"
        )
    if not os.path.exists(paths.database_path()):
        return ok("daemon", "it has never run: the first command that needs it starts it")
    return warning("daemon", "it is not running: nothing is delivered until it is", "`hark daemon start` starts it")


def _version(health: dict[str, Any]) -> Finding:
    told = f"version {health['version']}, pid {health['pid']}, {health['sessions']} sessions"
    if health["version"] != __version__:
        hint = "`hark daemon restart`; agents and their sessions go on"
        return problem("daemon", f"it is {told}, and this is version {__version__}", hint)
    return ok("daemon", told)


def _socket(path: Path) -> Finding:
    mode = os.lstat(path).st_mode & 0o777 if os.path.lexists(path) else 0
    if mode & 0o077:
        return problem("socket", f"{path} is open to others", f"chmod 600 {path}")
    return ok("socket", str(path))


def _listens(path: Path) -> bool:
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(CONNECT_S)
            connection.connect(str(path))
    except OSError:
        return False
    return True
