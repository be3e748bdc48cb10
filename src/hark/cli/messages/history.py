"""hark history: list what was sent to a session, and what became of it."""

from typing import Any

import click

from hark.cli.client import Client, segment
from hark.cli.messages.queue import shorten
from hark.cli.parameters import json_option, session_argument
from hark.cli.text import between, clock, print_json, say, show, table, terminal_columns

HEADINGS = ("ID", "QUEUED", "STATUS", "AFTER", "BY", "FROM", "TEXT")


@click.command()
@session_argument
@click.option("-n", "--limit", metavar="COUNT", type=click.IntRange(1, 1000), default=20, show_default=True, help="Number of messages to list.")  # fmt: skip
@json_option
def command(session: str, limit: int, is_json: bool) -> None:
    """List the last messages to the session NAME, the newest last, with what became of each and after how long.

    \b
    Example:
      hark history backend
    """
    found = Client().get(f"/sessions/{segment(session)}/messages?limit={limit}")
    if is_json:
        print_json(found)
    elif found["messages"]:
        rows = [row(message) for message in reversed(found["messages"])]
        show(table(HEADINGS, rows, columns=terminal_columns()))
    else:
        say(f"nothing was sent to {session} yet")


def row(message: dict[str, Any]) -> tuple[str, ...]:
    last = message["receipts"][-1]["at"]
    status = message["status"] + (f" ({message['reason']})" if message["reason"] else "")
    return (
        message["id"],
        clock(message["queued_at"]),
        status,
        between(message["queued_at"], last),
        message["channel"] or "-",
        message["sender"] or "-",
        shorten(message["text"]),
    )
