"""Finds out which tmux server a command means, and where in it a new session goes."""

import os
import socket
from collections.abc import Callable, Mapping
from typing import Any

import click


def server_options(function: Callable[..., Any]) -> Callable[..., Any]:
    function = click.option(
        "-S", "socket_path", metavar="PATH", help="Use the tmux server with this socket, as tmux -S does."
    )(function)
    return click.option(
        "-L", "socket_name", metavar="NAME", help="Use the tmux server with this name, as tmux -L does."
    )(function)


def chosen_server(name: str | None, path: str | None, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the fields that name the server to the daemon. The daemon may have another TMUX_TMPDIR than the caller, so the caller's
    is applied here."""
    if name and path:
        raise click.UsageError("-L and -S both name the tmux server; use one of them")
    if path:
        return {"socket_path": os.path.abspath(path)}
    if not name:
        return {}
    if directory := environment.get("TMUX_TMPDIR"):
        return {"socket_path": os.path.join(os.path.realpath(directory), f"tmux-{os.getuid()}", name)}
    return {"socket_name": name}


def current_socket(environment: Mapping[str, str]) -> str | None:
    """Return the socket of the tmux server in which the caller runs: TMUX is `path,pid,session`."""
    return environment.get("TMUX", "").partition(",")[0] or None


def terminal_features(environment: Mapping[str, str]) -> str:
    """Return the features of the caller's terminal that tmux does not know from the terminal's name, as `tmux -T` takes them.

    A terminal that says it has 24-bit colours has titles and reports its focus too."""
    return "256,RGB,title,focus" if environment.get("COLORTERM") in ("truecolor", "24bit") else ""


def place_options(function: Callable[..., Any]) -> Callable[..., Any]:
    for name, words in (
        ("own-server", "Start in hark's own tmux server, also inside tmux."),
        ("pane", "Inside tmux: start in a new pane beside this one."),
        ("window", "Inside tmux: start in a new window after this one. [default there]"),
    ):
        function = click.option(f"--{name}", "place", flag_value=name, help=words)(function)
    return function


def chosen_place(
    place: str | None, named: Mapping[str, str], environment: Mapping[str, str], *, is_shown: bool
) -> dict[str, Any]:
    """Return the fields that say where a new session goes: into the server that `named` holds; inside tmux, into a window or a pane
    of the caller's own server; otherwise into hark's own server."""
    if named and place:
        raise click.UsageError(f"--{place} and -L or -S name two places; use one of them")
    if named or place == "own-server":
        return dict(named)
    here, pane_id = current_socket(environment), environment.get("TMUX_PANE")
    if not here or not pane_id or not (place or is_reachable(here)):
        if place:
            raise click.UsageError(f"--{place} needs to be inside tmux")
        return {}
    return {"socket_path": here, "beside": {"pane_id": pane_id, "is_split": place == "pane", "is_shown": is_shown}}


def is_reachable(path: str) -> bool:
    """Return True if a server listens on the socket. TMUX may be left over from a server that has ended, or from another machine."""
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            connection.connect(path)
        except OSError:
            return False
    return True
