"""hark adopt: make a session of a tmux pane that is already there."""

import os
from collections.abc import Mapping
from typing import Any

import click

from hark.cli.client import Client
from hark.cli.parameters import json_option
from hark.cli.text import print_json, show
from hark.cli.tmux_server import chosen_server, current_socket, server_options
from hark.model.ids import check_name


@click.command()
@click.argument("target", default=".")
@click.option("-n", "--name", metavar="NAME", help="Name of the session. [default: made from the pane]")
@click.option("--agent", metavar="KIND", help="Agent kind. [default: recognised from the program in the pane]")
@click.option("--signals", is_flag=True, help="Teach the agent to signal, by a message.")
@server_options
@json_option
def command(
    target: str,
    name: str | None,
    agent: str | None,
    signals: bool,
    socket_name: str | None,
    socket_path: str | None,
    is_json: bool,
) -> None:
    """Turn the tmux pane TARGET into a session. TARGET is written as for tmux -t; `.` or no TARGET means the pane you
    are in.

    Without -L or -S, hark looks for the pane in the tmux server you are in, or else in tmux's default server.

    With --signals a message tells the agent how to signal, because nobody can change the instructions of a running
    agent. hark sends no message if `hark install AGENT --signals` has already put them into its instruction file.

    \b
    Example:
      hark adopt -n backend work:1.0
      hark adopt .
    """
    body: dict[str, Any] = dict(adopted_pane(target, socket_name, socket_path, os.environ))
    body |= {"name": check_name(name)} if name else {}
    body |= {"agent": agent} if agent else {}
    body |= {"has_signals": True} if signals else {}
    session = Client().post("/sessions/adopt", body)
    if is_json:
        print_json(session)
    else:
        show(f"{session['name']} {session['id']}")


def adopted_pane(
    target: str, socket_name: str | None, socket_path: str | None, environment: Mapping[str, str]
) -> dict[str, str]:
    named = chosen_server(socket_name, socket_path, environment)
    here = current_socket(environment)
    if target == ".":
        target = environment.get("TMUX_PANE", "")
        if not here or not target:
            raise click.UsageError("this is not inside tmux; say which pane, such as work:1.0")
        if named:
            raise click.UsageError("`.` is the pane you are in, so leave -L and -S out")
    if not named:
        named = {"socket_path": here} if here else chosen_server("default", None, environment)
    return {"target": target, **named}
