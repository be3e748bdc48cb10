"""hark attach: hand the terminal over to tmux, showing the session's pane."""

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from typing import Any, NoReturn

import click

from hark import paths
from hark.cli.client import Client, segment
from hark.cli.parameters import session_argument
from hark.cli.tmux_server import current_socket, is_reachable, terminal_features
from hark.model.errors import HarkError


@click.command()
@session_argument
def command(session: str) -> None:
    """Show the session NAME in this terminal. Inside tmux the terminal switches to the session, and comes back when you detach.

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
    if "switch-client" not in words and not (sys.stdin.isatty() and sys.stdout.isatty()):
        hint = f"`hark output -f {session['name']}` follows the session without a terminal"
        raise HarkError("not-available", "attaching needs a terminal", hint)
    try:
        os.execvpe(words[0], words, environment)
    except FileNotFoundError as error:
        raise HarkError("tmux-missing", "there is no tmux on your PATH", "install tmux 3.3 or newer") from error


def place_of(socket: str, pane_id: str) -> str:
    """Return the pane as a target that names its own session. While somebody looks at the pane in the dashboard, its window is in hark's
    hidden session too, and tmux could choose that one."""
    own = f"#{{&&:#{{==:#{{pane_id}},{pane_id}}},#{{!=:#{{session_name}},_hark}}}}"
    words = ["tmux", "-N", "-S", socket, "list-panes", "-a", "-f", own, "-F", "#{session_id}:#{window_id}.#{pane_id}"]
    try:
        listed = subprocess.run(words, capture_output=True, text=True, timeout=5, check=False).stdout.split()
    except (OSError, subprocess.TimeoutExpired):
        listed = []
    return listed[0] if listed else pane_id


def attach_command(session: Mapping[str, Any], environment: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """Return the command that shows the session, and the environment for that command.

    Inside the session's own tmux server the terminal switches to the session. Inside another tmux server the terminal leaves that
    server, shows the session, and comes back when it is detached: tmux in tmux would need every prefix key twice."""
    here, there = current_socket(environment), str(session["socket"])
    pane_id = place_of(there, str(session["pane_id"]))
    if here and os.path.realpath(here) == os.path.realpath(there):
        return ["tmux", "-S", there, "switch-client", "-t", pane_id], dict(environment)
    features = ["-T", wanted] if (wanted := terminal_features(environment)) else []
    shown = ["tmux", *features, "-S", there, "attach-session", "-t", pane_id]
    outside = {name: value for name, value in environment.items() if name not in ("TMUX", "TMUX_PANE")}
    if not here or not is_reachable(here):
        return shown, outside
    told = [";", "display-message", f"{session['name']}: detach with prefix d to go back to where you were"]
    back = [
        "tmux",
        "-S",
        here,
        "attach-session",
        *(["-t", environment["TMUX_PANE"]] if "TMUX_PANE" in environment else []),
    ]
    script = f"unset TMUX TMUX_PANE; {shlex.join(shown + told)}; exec {shlex.join(back)}"
    return ["tmux", "-S", here, "detach-client", "-E", f"exec sh -c {shlex.quote(script)}"], dict(environment)
