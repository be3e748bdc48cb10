"""hark retry: try a message again."""

import click

from hark.cli.client import Client, segment
from hark.cli.parameters import json_option, message_argument
from hark.cli.text import print_json, show


@click.command()
@message_argument
@json_option
def command(message: str, is_json: bool) -> None:
    """Try the message ID again, which was given up (dead) or is uncertain.

    An uncertain message may have arrived already: then it arrives twice.

    \b
    Example:
      hark retry 4f1c
    """
    again = Client().post(f"/messages/{segment(message)}/retry")
    if is_json:
        print_json(again)
    else:
        show(f"{again['status']} {again['id']} to {again['session_name']}")
