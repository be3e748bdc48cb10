"""hark release: deliver messages to a session again, or one message that looks like a part of a loop."""

from typing import Any

import click

from hark.cli.client import Client, segment
from hark.cli.parameters import complete_session, json_option
from hark.cli.text import print_json, show
from hark.model.errors import HarkError


@click.command()
@click.argument("wanted", metavar="NAME|ID", shell_complete=complete_session)
@json_option
def command(wanted: str, is_json: bool) -> None:
    """Deliver messages to the session NAME again, after `hark hold NAME`. This also delivers what hark holds because it looks
    like a loop between agents; with the ID of such a message, hark delivers this message alone.

    \b
    Example:
      hark release backend
      hark release 4f1c
    """
    client = Client()
    try:
        free: dict[str, Any] = client.post(f"/sessions/{segment(wanted)}/release", {})
    except HarkError as failure:
        if failure.code != "session-not-found" or not _release_message(client, wanted, is_json=is_json):
            raise
        return
    print_json(free) if is_json else show(f"delivering to {free['name']} again")


def _release_message(client: Client, wanted: str, *, is_json: bool) -> bool:
    """Release the message with this id. Return False if there is none."""
    try:
        message: dict[str, Any] = client.post(f"/messages/{segment(wanted)}/release", {})
    except HarkError as failure:
        if failure.code != "message-not-found":
            raise
        return False
    print_json(message) if is_json else show(f"released {message['id']} to {message['session_name']}")
    return True
