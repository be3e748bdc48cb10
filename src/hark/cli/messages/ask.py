"""hark ask: send a message, wait until the agent has worked on it, and print its answer."""

import os
from typing import Any

import click

from hark.cli.client import Client, segment
from hark.cli.messages.answers import print_answer
from hark.cli.messages.send import exit_code, message_text, outcome_line, sent_line, wait_for
from hark.cli.parameters import (
    complete_session,
    important_option,
    json_option,
    seconds,
    sender_fields,
    session_argument,
    urgent_option,
)
from hark.cli.text import print_json, say
from hark.model.errors import Exit


@click.command()
@session_argument
@click.argument("words", metavar="TEXT", nargs=-1, required=True)
@click.option("--from", "sender", metavar="NAME", shell_complete=complete_session, help="Who asks. [default: this session, else you]")  # fmt: skip
@important_option
@urgent_option
@click.option("--timeout", "timeout_s", metavar="DURATION", callback=seconds, default="10m", show_default=True, help="Give up if there is no answer within this time.")  # fmt: skip
@click.option("--idempotency-key", "key", metavar="KEY", help="Ask only once for all calls with this key.")
@json_option
def command(
    session: str,
    words: tuple[str, ...],
    sender: str | None,
    mode: str | None,
    timeout_s: float,
    key: str | None,
    is_json: bool,
) -> int:
    """Send TEXT to the session NAME, wait for the end of the agent's turn, and print its final words on stdout.

    `-` reads TEXT from stdin. If there is no answer, stdout stays empty and stderr says why. The exit codes are those of
    `hark send --wait completed`: 5 means that the --timeout ran out. docs/answers.md says where answers come from.

    \b
    Example:
      hark ask reviewer "is this safe to merge?"
      answer=$(git diff | hark ask reviewer -)
    """
    client = Client()
    body: dict[str, Any] = {"text": message_text(words), "delivery_mode": mode or "sequential"}
    body |= {"timeout_seconds": timeout_s, "alone": True} | sender_fields(client, sender)
    if os.environ.get("HARK_SESSION"):
        body["waits"] = True
    path = f"/sessions/{segment(session)}/send"
    sent = client.post(path, body, idempotency_key=key or os.urandom(16).hex())
    if not is_json:
        say(sent_line(sent, session))
    message = wait_for(client, sent["id"], "completed", timeout_s)
    code = exit_code(message, "completed")
    if is_json:
        print_json(message)
    elif code != Exit.OK:
        say(outcome_line(message, "completed"))
    else:
        print_answer(message["answer"], message["id"])
    return code
