"""Starts the daemon in the background, as tmux starts its server: the first command that needs the daemon starts it.

The child reports over a pipe: `ready`, or `error CODE<tab>DETAIL<tab>HINT`. Two commands may start a daemon
at the same time; the lock lets one daemon win, and the loser's `already-running` only means that there is a daemon to connect
to. A daemon that is just stopping holds the lock too but will never accept again, so the loser tries to connect and to start
a daemon in turn until the deadline.

HARK_SERVE_COMMAND replaces the command that is started. It exists for tests.
"""

import os
import select
import shlex
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from time import monotonic, sleep

from hark import instance, paths
from hark.cli.client import connect
from hark.model.errors import CODES, HarkError

START_S = 15.0
_OTHERS_TURN_S = 1.0
_POLL_S = 0.02


def start_and_connect(options: Sequence[str] = (), start_s: float = START_S) -> socket.socket:
    """Return a connection once a daemon accepts: the daemon started here, or the one that won the race."""
    deadline = monotonic() + start_s
    while True:
        if not instance.is_running():
            start(options, deadline)
        if connection := _connect_until(min(deadline, monotonic() + _OTHERS_TURN_S)):
            return connection
        if monotonic() >= deadline:
            raise _does_not_answer()


def start(options: Sequence[str], deadline: float) -> None:
    """Start the daemon. Raise the error that the child reports, unless it reports that another daemon is running already."""
    report = _report_of_child(options, deadline)
    if report == "ready":
        return
    kind, _, rest = report.partition(" ")
    if kind != "error":
        raise _not_started("the daemon did not start" if report == "" else f"the daemon reported {report!r}")
    code, detail, hint = [*rest.split("\t"), "", ""][:3]
    if code != "already-running":
        raise HarkError(code if code in CODES else "internal", detail, hint)


def daemon_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the caller's environment without the variables that say in which pane or session the caller runs."""
    kept = {name: value for name, value in environment.items() if name not in paths.OF_A_SESSION}
    if kept.get("HARK_HOME"):
        kept["HARK_HOME"] = os.path.abspath(kept["HARK_HOME"])
    return kept


def serve_command() -> list[str]:
    if replaced := os.environ.get("HARK_SERVE_COMMAND"):
        return shlex.split(replaced)
    return [sys.executable, "-m", "hark.cli.main", "serve"]


def _report_of_child(options: Sequence[str], deadline: float) -> str:
    read_end, write_end = os.pipe()
    try:
        process = subprocess.Popen(
            [*serve_command(), *options, "--ready-fd", str(write_end)],
            pass_fds=[write_end],
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=daemon_environment(os.environ),
        )
        process.returncode = 0  # Keeps subprocess from warning that the daemon outlives this process.
        os.close(write_end)
        write_end = -1
        return _read_line(read_end, deadline)
    except OSError as error:
        raise _not_started(f"the daemon could not be started: {error}") from error
    finally:
        os.close(read_end)
        if write_end >= 0:
            os.close(write_end)


def _read_line(descriptor: int, deadline: float) -> str:
    """Return the line that the child reports; empty if the child ended without a report or the deadline passed."""
    received = b""
    while not received.endswith(b"\n"):
        ready, _, _ = select.select([descriptor], [], [], max(0.0, deadline - monotonic()))
        piece = os.read(descriptor, 4096) if ready else b""
        if not piece:
            break
        received += piece
    return received.decode(errors="replace").rstrip("\n")


def _connect_until(deadline: float) -> socket.socket | None:
    while True:
        try:
            return connect()
        except HarkError as error:
            if error.code != "daemon-unreachable":
                raise
        if monotonic() >= deadline:
            return None
        sleep(_POLL_S)


def _does_not_answer() -> HarkError:
    """Return the error for a daemon that holds the database and cannot be reached: it hangs, or this process cannot see its socket."""
    daemon, host = instance.find(), socket.gethostname()
    if daemon is None:
        return _not_started("a daemon holds the lock but does not answer")
    path = daemon.runtime / paths.SOCKET
    who = f"the daemon of this database (pid {daemon.pid} on {daemon.host})"
    if paths.socket_is_ours(path):
        return _not_started(f"{who} does not answer on {path}")
    hint = f"make {path.parent} visible here (a container needs it mounted), or set HARK_HOME for a database of its own"
    if daemon.host != host:
        hint = f"this is {host}: use hark on {daemon.host}, or set HARK_HOME for a database of its own"
    return HarkError("daemon-unreachable", f"{who} listens on {path}, which this process cannot see", hint)


def _not_started(detail: str) -> HarkError:
    return HarkError(
        "daemon-not-started", detail, f"read its log {paths.log_path()}, or run `hark serve` to see it start"
    )
