"""hark new: start an agent in a session of its own."""

import os
import sys
from typing import Any

import click

from hark.cli.client import Client
from hark.cli.parameters import json_option
from hark.cli.sessions.attach import attach
from hark.cli.sessions.draft import draft_remark, find_draft
from hark.cli.text import print_json, say, show
from hark.cli.tmux_server import chosen_place, chosen_server, place_options, server_options
from hark.environment import session_environment
from hark.model.errors import Exit, HarkError
from hark.model.ids import check_name


@click.command(context_settings={"allow_interspersed_args": False})
@click.option("-n", "--name", metavar="NAME", help="Name of the session. [default: made from the command]")
@click.option("--agent", metavar="KIND", help="Agent kind. [default: recognised from the command]")
@click.option("-C", "directory", metavar="DIR", help="Directory to start in. [default: this one]")
@click.option("--signals", is_flag=True, help="Teach the agent to signal, for this run only or by a first message.")
@click.option("--restart", type=click.Choice(["no", "on-failure"]), help="Start the agent again by itself if it fails. [default: setting restart]")  # fmt: skip
@click.option("-d", "--detached", is_flag=True, help="Do not attach to the session.")
@place_options
@server_options
@json_option
@click.argument("words", metavar="[CMD…]", nargs=-1, type=click.UNPROCESSED)
def command(
    name: str | None,
    agent: str | None,
    directory: str | None,
    signals: bool,
    restart: str | None,
    detached: bool,
    place: str | None,
    socket_name: str | None,
    socket_path: str | None,
    is_json: bool,
    words: tuple[str, ...],
) -> int:
    """Start CMD in a new session and show it. Without a terminal, or with -d, print its name and id.

    Without CMD, hark starts the agent of --agent, else that of the setting default_agent, else the first known agent
    that is installed.

    Inside tmux the session gets a window of the server you are in, as from `tmux new-window`. Otherwise it lives in
    hark's own tmux server, and `hark attach` shows it again.

    If a session called NAME is gone, the new session takes over the messages that wait for it.

    With --restart on-failure, hark starts the agent again if it ends with an exit status other than 0 or is killed, as
    `hark restart` does, and gives up if the agent keeps failing.

    \b
    Example:
      hark new -n backend -C ~/src/backend -- claude --model opus
      hark new -d -n tests --restart on-failure -- codex
      hark new
    """
    body: dict[str, Any] = {
        "command": list(words),
        "name": check_name(name) if name else None,
        "agent": agent,
        "directory": existing_directory(directory),
        "environment": session_environment(os.environ),
        "restart": restart,
    }
    body |= {"has_signals": True} if signals else {}
    is_shown = not (detached or is_json) and sys.stdin.isatty() and sys.stdout.isatty()
    named = chosen_server(socket_name, socket_path, os.environ)
    where = chosen_place(place, named, os.environ, is_shown=is_shown)
    body |= terminal_size()
    session = _start({field: value for field, value in body.items() if value is not None}, where, is_needed=bool(place))
    if is_json:
        print_json(session)
        return Exit.OK
    if session.get("heir_of") and (draft := find_draft(Client(), session["heir_of"])):
        say(draft_remark(draft))
    if not is_shown:
        show(f"{session['name']} {session['id']}")
    elif session["socket"] != where.get("socket_path") or "beside" not in where:
        attach(session)
    return Exit.OK


def _start(body: dict[str, Any], where: dict[str, Any], *, is_needed: bool) -> dict[str, Any]:
    """Start the session at the place `where`; in hark's own server if the pane that the caller's environment names is not there any
    more, unless the user asked for that place (`is_needed`)."""
    try:
        return dict(Client().post("/sessions", body | where, idempotency_key=os.urandom(16).hex()))
    except HarkError as failure:
        if is_needed or "beside" not in where or failure.code not in ("pane-not-found", "tmux-gone"):
            raise
        return dict(Client().post("/sessions", body, idempotency_key=os.urandom(16).hex()))


def existing_directory(directory: str | None) -> str:
    try:
        path = os.path.abspath(os.path.expanduser(directory)) if directory is not None else os.getcwd()
    except FileNotFoundError:
        raise click.UsageError("the current directory no longer exists; name one with -C") from None
    if not os.path.isdir(path):
        raise click.UsageError(f"{path} is not a directory")
    return path


def terminal_size() -> dict[str, int]:
    """Return the size of the terminal on stdout, within the limits of a session; empty if stdout is not a terminal."""
    try:
        size = os.get_terminal_size(sys.stdout.fileno())
    except (OSError, ValueError):
        return {}
    return {"columns": min(1000, max(20, size.columns)), "rows": min(500, max(5, size.lines))}
