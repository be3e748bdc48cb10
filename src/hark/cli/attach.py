"""hark attach: hand the terminal over to tmux, showing the session's pane."""

import os
import sys
from collections.abc import Mapping
from typing import Any, NoReturn

import click

from hark import paths
from hark.cli.client import Client, segment
from hark.cli.parameters import session_argument
from hark.cli.server import current_socket, terminal_features
from hark.model.errors import HarkError


@click.command()
@session_argument
def command(session: str) -> None:
    """Show the session NAME in this terminal; inside its own tmux server, switch to it.

    \b
    Example:
      hark attach backend
    """
    attach(Client().get(f"/sessions/{segment(session)}"))


def attach(session: Mapping[str, Any]) -> NoReturn:
    if session["state"] == "gone":
        raise HarkError("pane-not-found", f"{session['name']} is gone", "`hark ls` shows the sessions there are")
    try:
        paths.check_tmux_socket(str(session["socket"]))
    except paths.UnsafeDirectory as unsafe:
        raise HarkError("tmux-unsafe", f"no safe tmux server: {unsafe}", paths.UNSAFE_HINT) from unsafe
    words, environment = attach_command(session, os.environ)
    if "attach-session" in words and not (sys.stdin.isatty() and sys.stdout.isatty()):
        hint = f"`hark output -f {session['name']}` follows it without one"
        raise HarkError("not-available", "attaching needs a terminal", hint)
    try:
        os.execvpe(words[0], words, environment)
    except FileNotFoundError as error:
        raise HarkError("tmux-missing", "there is no tmux on your PATH", "install tmux 3.3 or newer") from error


def attach_command(session: Mapping[str, Any], environment: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """What to run, and with which environment: tmux refuses to nest while TMUX is set."""
    here, there = current_socket(environment), str(session["socket"])
    if here and os.path.realpath(here) == os.path.realpath(there):
        return ["tmux", "-S", there, "switch-client", "-t", session["pane_id"]], dict(environment)
    outside = {name: value for name, value in environment.items() if name not in ("TMUX", "TMUX_PANE")}
    features = ["-T", wanted] if (wanted := terminal_features(environment)) else []
    return ["tmux", *features, "-S", there, "attach-session", "-t", session["pane_id"]], outside
