"""hark reply: answer the session that sent a message."""

import os

import click

from hark.cli.client import Client, segment
from hark.cli.messages.send import message_text, sent_line
from hark.cli.parameters import complete_session, json_option, sender_fields
from hark.cli.text import print_json, show


@click.command()
@click.argument("message", metavar="ID")
@click.argument("words", metavar="TEXT", nargs=-1, required=True)
@click.option("--from", "sender", metavar="NAME", shell_complete=complete_session, help="Who replies. [default: this session, else you]")  # fmt: skip
@click.option("--idempotency-key", "key", metavar="KEY", help="Reply only once for all calls with this key.")
@click.option("-q", "--quiet", is_flag=True, help="Print only the reply's id.")
@json_option
def command(
    message: str, words: tuple[str, ...], sender: str | None, key: str | None, quiet: bool, is_json: bool
) -> None:
    """Send TEXT to the session that sent the message ID; `-` reads it from stdin.

    The header of a message ends with its ID. `hark thread ID` shows a message with all replies to it.

    \b
    Example:
      hark reply 4f1c "the tests pass"
    """
    client = Client()
    body = {"text": message_text(words)} | sender_fields(client, sender)
    sent = client.post(f"/messages/{segment(message)}/reply", body, idempotency_key=key or os.urandom(16).hex())
    if is_json:
        print_json(sent)
    else:
        show(sent["id"] if quiet else sent_line(sent, sent["session_name"]))
