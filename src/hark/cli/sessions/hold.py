"""hark hold: do not disturb a session."""

import click

from hark.cli.client import Client, segment
from hark.cli.parameters import json_option, session_argument
from hark.cli.text import print_json, show


@click.command()
@session_argument
@json_option
def command(session: str, is_json: bool) -> None:
    """Deliver nothing to the session NAME until `hark release NAME`. Messages to the session wait, with the reason
    do-not-disturb.

    \b
    Example:
      hark hold backend
    """
    held = Client().post(f"/sessions/{segment(session)}/hold", {})
    print_json(held) if is_json else show(f"holding messages to {held['name']}")
