"""Which tmux server a command means."""

import os
from collections.abc import Callable, Mapping
from typing import Any

import click


def server_options(function: Callable[..., Any]) -> Callable[..., Any]:
    function = click.option("-S", "socket_path", metavar="PATH", help="tmux server by its socket, as tmux -S.")(
        function
    )
    return click.option("-L", "socket_name", metavar="NAME", help="tmux server by its name, as tmux -L.")(function)


def chosen_server(name: str | None, path: str | None, environment: Mapping[str, str]) -> dict[str, str]:
    """The fields that name the server to the daemon. It need not see the caller's TMUX_TMPDIR, so that is applied here."""
    if name and path:
        raise click.UsageError("-L and -S name the same thing twice; use one of them")
    if path:
        return {"socket_path": os.path.abspath(path)}
    if not name:
        return {}
    if directory := environment.get("TMUX_TMPDIR"):
        return {"socket_path": os.path.join(os.path.realpath(directory), f"tmux-{os.getuid()}", name)}
    return {"socket_name": name}


def current_socket(environment: Mapping[str, str]) -> str | None:
    """The socket of the tmux server the caller sits in: TMUX is `path,pid,session`."""
    return environment.get("TMUX", "").partition(",")[0] or None


def terminal_features(environment: Mapping[str, str]) -> str:
    """What the caller's terminal can do beyond what tmux knows of it by its name, as `tmux -T` takes it: a terminal that says
    it has 24-bit colours has titles and reports its focus too."""
    return "256,RGB,title,focus" if environment.get("COLORTERM") in ("truecolor", "24bit") else ""
