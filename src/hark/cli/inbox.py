"""hark inbox: what was sent to this session for its agent to fetch."""

from time import monotonic
from typing import Any

import click

from hark.cli.client import Client, segment
from hark.cli.parameters import json_option, own_session, seconds
from hark.cli.text import clock, one_line, print_json, say

LONGEST_POLL_S = 60.0


@click.command()
@click.option("--wait", "wait_s", metavar="DURATION", callback=seconds, help="If nothing waits, wait for it, such as 30s.")  # fmt: skip
@click.option("--again", is_flag=True, help="Also what was handed out before and never acknowledged.")
@json_option
def command(wait_s: float | None, again: bool, is_json: bool) -> None:
    """Print the messages in the inbox of this session, and take them out: each is handed out once.

    For agents, inside a session. `hark ack ID` tells the sender that a message was understood, --done that it is done.

    \b
    Example:
      hark inbox --wait 30s
    """
    found = check(Client(), own_session(), wait_s or 0.0, again=again)
    if is_json:
        print_json(found)
        return
    if not found["messages"]:
        say("nothing in the inbox")
    for message in found["messages"]:
        click.echo(letter(message))
    if found["waiting_count"]:
        say(f"{found['waiting_count']} more: run `hark inbox` again")


def check(client: Client, session: str, wait_s: float, *, again: bool) -> dict[str, Any]:
    """The daemon waits in slices; we ask until something came or the time is over."""
    deadline = monotonic() + wait_s
    while True:
        slice_s = min(LONGEST_POLL_S, max(0.0, deadline - monotonic()))
        wish = {"wait_seconds": round(slice_s, 3), "again": again}
        found = client.post(f"/sessions/{segment(session)}/inbox", wish, answer_s=slice_s + 10)
        if found["messages"] or monotonic() >= deadline:
            return dict(found)


def letter(message: dict[str, Any]) -> str:
    sender = one_line(message["sender"] or "someone")
    head = f"[{message['id']} from {sender}, {clock(message['queued_at'])}]"
    return "\n".join([head, *(one_line(line) for line in message["text"].split("\n")), ""])
