"""hark next: go to the session that has waited longest for a human."""

import os
from collections.abc import Mapping
from typing import Any

import click

from hark.cli.client import Client, segment
from hark.cli.parameters import json_option
from hark.cli.sessions.attach import attach
from hark.cli.text import print_json, say, show
from hark.cli.tmux_server import current_socket
from hark.model.errors import Exit


@click.command()
@click.option("-p", "--print", "is_printed", is_flag=True, help="Only print the name of the session.")
@json_option
def command(is_printed: bool, is_json: bool) -> int:
    """Show the session that has waited longest for you, as `hark attach` does. If you are in that session already, go to the
    next one.

    With --json, only print the session: `null` if nobody needs you. The exit code is 1 if nobody needs you.

    \b
    Example:
      hark next
      tmux bind-key N run-shell 'hark next'
    """
    client = Client()
    session = choose(client, os.environ)
    if is_json:
        print_json(session)
    elif session is None:
        say("nobody needs you")
    elif is_printed:
        show(session["name"])
    else:
        attach(session)
    return Exit.OK if session else Exit.FAILURE


def choose(client: Client, environment: Mapping[str, str]) -> Any:
    """Return the session that has waited longest and is not in the pane of this command. If only the session in this pane needs a
    human, return that session; if none does, return None."""
    own = None
    for need in client.get("/needs")["needs"]:
        session = client.get(f"/sessions/{segment(need['session_id'])}")
        if not is_here(session, environment):
            return session
        own = session
    return own


def is_here(session: Mapping[str, Any], environment: Mapping[str, str]) -> bool:
    """Return True if this command runs in the session's own pane."""
    here = current_socket(environment)
    if not here or environment.get("TMUX_PANE") != session["pane_id"]:
        return False
    return os.path.realpath(here) == os.path.realpath(str(session["socket"]))
