"""hark kill: end a session."""

from typing import Any

import click

from hark.cli.client import Client, segment
from hark.cli.parameters import json_option, session_argument
from hark.cli.text import print_json, show


@click.command()
@session_argument
@json_option
def command(session: str, is_json: bool) -> None:
    """End the session NAME and its agent. A pane that was adopted is only forgotten: it lives on.

    \b
    Example:
      hark kill backend
    """
    ended = Client().delete(f"/sessions/{segment(session)}")
    if is_json:
        print_json(ended)
    else:
        show(ended_line(ended))


def ended_line(session: dict[str, Any]) -> str:
    verb, rest = ("forgot", "; its pane lives on") if session["is_adopted"] else ("killed", "")
    return f"{verb} {session['name']} {session['id']}{rest}"
