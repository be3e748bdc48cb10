"""hark release: deliver messages to a session again."""

import click

from hark.cli.client import Client, segment
from hark.cli.parameters import json_option, session_argument
from hark.cli.text import print_json, show


@click.command()
@session_argument
@json_option
def command(session: str, is_json: bool) -> None:
    """Deliver messages to the session NAME again, after `hark hold NAME`.

    \b
    Example:
      hark release backend
    """
    free = Client().post(f"/sessions/{segment(session)}/release", {})
    print_json(free) if is_json else show(f"delivering to {free['name']} again")
