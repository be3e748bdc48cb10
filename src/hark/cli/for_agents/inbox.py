"""hark inbox: print the messages that wait in this session's inbox for its agent to fetch."""

import re
from time import monotonic
from typing import Any

import click

from hark.cli.client import Client, segment
from hark.cli.parameters import json_option, own_session, seconds
from hark.cli.text import clock, one_line, print_json, say, show
from hark.model.text.names import skeleton
from hark.model.text.quoting import reads_as_header

LONGEST_POLL_S = 60.0


@click.command()
@click.option("--wait", "wait_s", metavar="DURATION", callback=seconds, help="Wait this long for a message if there is none, such as 30s.")  # fmt: skip
@click.option("--again", is_flag=True, help="Also print messages that were handed out before and never acknowledged.")
@json_option
def command(wait_s: float | None, again: bool, is_json: bool) -> None:
    """Print the messages in the inbox of this session, and take them out: hark hands each message out once.

    For agents, inside a session. `hark ack ID` tells the sender that a message was understood; `hark ack ID --done`
    tells that it is done; `hark reply ID TEXT` answers the session that sent it.

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
        show(letter(message))
    if found["waiting_count"]:
        say(f"{found['waiting_count']} more: run `hark inbox` again")


def check(client: Client, session: str, wait_s: float, *, again: bool) -> dict[str, Any]:
    """Return what the inbox holds. The daemon waits at most LONGEST_POLL_S for each request, so repeat the request until a message
    has come or `wait_s` is over."""
    deadline = monotonic() + wait_s
    while True:
        slice_s = min(LONGEST_POLL_S, max(0.0, deadline - monotonic()))
        wish = {"wait_seconds": round(slice_s, 3), "again": again}
        found = client.post(f"/sessions/{segment(session)}/inbox", wish, answer_s=slice_s + 10)
        if found["messages"] or monotonic() >= deadline:
            return dict(found)


def letter(message: dict[str, Any]) -> str:
    sender = one_line(message["sender"] or "someone")
    reply = f", reply to {message['in_reply_to']}" if message.get("in_reply_to") else ""
    head = f"[{message['id']} from {sender}{reply}, {clock(message['queued_at'])}]"
    return "\n".join([head, *(one_line(_quoted(line)) for line in message["text"].splitlines()), ""])


def _quoted(line: str) -> str:
    """Quote a line that reads as the head of another message: a head as in the inbox, or the header of a typed message."""
    return f"> {line}" if reads_as_letter(line) or reads_as_header(line) else line


def reads_as_letter(line: str) -> bool:
    return bool(_LETTER.match(skeleton(line).lstrip(">")))


_LETTER = re.compile(r"[^0-9a-z]{1,8}[0-9a-f]{12}from")
