"""hark thread: show a message with all replies to it."""

from typing import Any

import click

from hark.cli.client import Client, segment
from hark.cli.parameters import json_option, message_argument
from hark.cli.text import clock, one_line, paint_status, print_json, show


@click.command()
@message_argument
@json_option
def command(message: str, is_json: bool) -> None:
    """Show the whole thread of the message ID: the first message and all replies, in order of arrival.

    \b
    Example:
      hark thread 4f1c
    """
    found = Client().get(f"/messages/{segment(message)}/thread")
    if is_json:
        print_json(found)
    else:
        show("\n\n".join(letter(one) for one in found["messages"]))


def letter(message: dict[str, Any]) -> str:
    sender = one_line(message["sender"] or "someone")
    reply = f", reply to {message['in_reply_to']}" if message["in_reply_to"] else ""
    head = f"{message['id']} from {sender} to {message['session_name']}{reply}"
    status = f"{clock(message['queued_at'])}, {paint_status(message['status'])}"
    return "\n".join([f"{head} ({status})", *(f"  {one_line(line)}".rstrip() for line in message["text"].split("\n"))])
