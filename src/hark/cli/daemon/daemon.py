"""hark daemon: start, stop, restart, look at or install the daemon."""

import contextlib
import os
import signal
import sys
from datetime import UTC, datetime
from time import monotonic, sleep
from typing import Any

import click

from hark import instance, paths
from hark.cli.client import Client
from hark.cli.daemon.serve import parse_settings
from hark.cli.parameters import json_option, setting_option
from hark.cli.text import between, print_json, say, show
from hark.model.errors import Exit, HarkError

STOP_S = 10.0
_POLL_S = 0.05


@click.group(no_args_is_help=False)
def command() -> None:
    """Start, stop, restart, check or install the daemon. Commands that need the daemon start it by themselves.

    \b
    Example:
      hark daemon status
      hark daemon install --print
    """


@command.command()
@setting_option
def start(settings: tuple[str, ...]) -> None:
    """Start the daemon in the background, if it is not running.

    \b
    Example:
      hark daemon start
    """
    parse_settings(settings)
    client = Client(starts_daemon=False)
    try:
        client.connect().close()
        say("the daemon is running already")
    except HarkError as error:
        if error.code != "daemon-unreachable":
            raise
        from hark.cli.launch import start_and_connect

        start_and_connect([word for setting in settings for word in ("-o", setting)]).close()
    show(f"running, pid {client.get('/healthz')['pid']}")


@command.command()
def stop() -> None:
    """Stop the daemon, and wait until it is gone. Agents and their sessions go on.

    \b
    Example:
      hark daemon stop
    """
    say("the daemon has stopped" if end_daemon(Client(starts_daemon=False)) else "the daemon is not running")


@command.command()
def restart() -> None:
    """Restart the daemon, as this version of hark. The daemon keeps everything: sessions, messages, holds, and the
    settings given at its start. Commands that wait go on waiting.

    \b
    Example:
      hark daemon restart
    """
    from hark.cli import restart as restarting
    from hark.cli.launch import start_and_connect

    client = Client(starts_daemon=False)
    try:
        restarting.restart(client.get("/healthz"))
    except HarkError as error:
        if error.code not in ("daemon-unreachable", "route-not-found"):
            raise
        # The daemon does not run, does not answer, or is too old to replace itself.
        end_daemon(client)
        start_and_connect().close()
    show(f"running, pid {client.get('/healthz')['pid']}")


@command.command()
@json_option
def status(is_json: bool) -> int:
    """Say whether the daemon runs: the exit code is 0 if it runs, and 6 if it does not.

    \b
    Example:
      hark daemon status --json
    """
    try:
        health = Client(starts_daemon=False).get("/healthz")
    except HarkError as error:
        if error.code != "daemon-unreachable":
            raise
        health = None
    told = status_fields(health, datetime.now(UTC).isoformat())
    if is_json:
        print_json(told)
    elif health is None:
        say("the daemon is not running")
    else:
        show("\n".join(f"{name:<9} {told[name]}" for name in ("pid", "version", "uptime", "socket", "database")))
    return Exit.OK if health else Exit.UNREACHABLE


@command.command()
@click.option("--print", "is_printed_only", is_flag=True, help="Show the file instead of writing it.")
def install(is_printed_only: bool) -> None:
    """Write the file that lets systemd or launchd start the daemon at login. You turn it on yourself.

    \b
    Example:
      hark daemon install
    """
    from hark.cli.daemon.service import service

    wanted = service(sys.platform, os.environ)
    if is_printed_only:
        show(wanted.content, nl=False)
        say(f"this goes to {wanted.path}")
        return
    try:
        wanted.path.parent.mkdir(parents=True, exist_ok=True)
        wanted.path.write_text(wanted.content)
    except OSError as error:
        detail = f"cannot write {wanted.path}: {error.strerror}"
        raise HarkError(
            "state-not-writable", detail, "`hark daemon install --print` shows what belongs there"
        ) from error
    show(str(wanted.path))
    say(f"turn it on with: {wanted.enable_command}")


def status_fields(health: dict[str, Any] | None, now: str) -> dict[str, Any]:
    if health is None:
        return {"running": False, "socket": str(instance.socket_path())}
    uptime = between(health["started_at"], now)
    return {"running": True, **health, "uptime": uptime, "socket": str(instance.socket_path())}


def end_daemon(client: Client) -> bool:
    """Stop the daemon and wait until it is gone. Return False if no daemon was running."""
    try:
        client.post("/shutdown")
    except HarkError as error:
        if error.code != "daemon-unreachable":
            raise
        if is_lock_free():
            return False
        end_without_socket()
    deadline = monotonic() + STOP_S
    while not is_lock_free():
        if monotonic() >= deadline:
            raise HarkError("wait-timeout", f"the daemon did not stop within {STOP_S:g}s", "`hark logs` may say why")
        sleep(_POLL_S)
    return True


def is_lock_free() -> bool:
    """Return True if no daemon holds the lock of the database or the lock of this runtime directory."""
    return not instance.is_running() and instance.is_free(paths.runtime_lock_path())


def end_without_socket() -> None:
    """Send SIGTERM to the daemon that holds the lock: its socket cannot be reached, but the lock file says which process it is."""
    daemon = instance.find()
    if daemon is None or not instance.is_running():
        return
    if not instance.holds(daemon.pid, paths.lock_path()):
        raise HarkError(
            "daemon-unreachable",
            f"the daemon of this database (pid {daemon.pid} on {daemon.host}) cannot be reached from here",
            "stop it where it runs: another host, container or user may have it",
        )
    with contextlib.suppress(ProcessLookupError):
        os.kill(daemon.pid, signal.SIGTERM)
