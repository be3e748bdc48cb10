"""hark ack: acknowledge a message, as the agent of this session."""

import os

import click

from hark.cli.client import Client, segment
from hark.cli.parameters import json_option
from hark.cli.text import print_json, show


@click.command()
@click.argument("message", metavar="ID")
@click.option("--done", "is_done", is_flag=True, help="Also say that what the message asked for is done.")
@json_option
def command(message: str, is_done: bool, is_json: bool) -> None:
    """Tell the sender of the message ID that the agent has understood it.

    For agents, inside a session. Typed messages can be acknowledged like those of the inbox.

    \b
    Example:
      hark ack 4f1c --done
    """
    body: dict[str, object] = {"done": is_done}
    if session := os.environ.get("HARK_SESSION"):
        body["session_id"] = session
    told = Client().post(f"/messages/{segment(message)}/ack", body)
    print_json(told) if is_json else show(f"{told['status']} {told['id']}")
