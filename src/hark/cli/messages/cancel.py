"""hark cancel: take a message back."""

import click

from hark.cli.client import Client, segment
from hark.cli.parameters import json_option, message_argument
from hark.cli.text import print_json, show


@click.command()
@message_argument
@json_option
def command(message: str, is_json: bool) -> None:
    """Take the message ID back, as long as hark has not typed it.

    \b
    Example:
      hark cancel 4f1c
    """
    cancelled = Client().post(f"/messages/{segment(message)}/cancel")
    if is_json:
        print_json(cancelled)
    else:
        show(f"{cancelled['status']} {cancelled['id']} to {cancelled['session_name']}")
