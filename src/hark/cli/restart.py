"""Restarts the daemon from outside: for `hark daemon restart`, and for the first command after an upgrade.

The daemon replaces itself and keeps its locks meanwhile, so commands that come in between wait for the new daemon.
"""

from time import monotonic, sleep
from typing import Any

from hark import __version__, instance
from hark.cli.client import Client
from hark.cli.launch import START_S, serve_command, start_and_connect
from hark.cli.outdated import is_daemon_outdated
from hark.model.errors import HarkError
from hark.model.text.versions import is_older

_POLL_S = 0.05


def restart(health: dict[str, Any]) -> None:
    """Restart the daemon that gave this answer to /healthz. Raise `route-not-found` if the daemon is too old to restart itself."""
    # A hark that is older than the daemon may not know the daemon's database: the daemon then starts its own program again.
    body = {} if is_older(__version__, health["version"]) else {"command": serve_command()}
    Client(starts_daemon=False).post("/restart", body)
    deadline = monotonic() + START_S
    while monotonic() < deadline:
        if not instance.is_running():
            break  # The new program did not start: starting it from here raises the reason.
        if (now := _health()) and now.get("instance") != health.get("instance"):
            return
        sleep(_POLL_S)
    start_and_connect().close()


def upgrade() -> None:
    """Ask an older daemon to become this version. A daemon that may not, or that is in the middle of a delivery, goes on as it is."""
    try:
        Client(starts_daemon=False).post("/restart", {"command": serve_command(), "is_upgrade": True})
    except HarkError:
        return
    deadline = monotonic() + START_S
    while instance.is_running() and is_daemon_outdated() and monotonic() < deadline:
        sleep(_POLL_S)


def _health() -> dict[str, Any] | None:
    try:
        return dict(Client(starts_daemon=False).get("/healthz"))
    except HarkError:
        return None
