"""hark queue: list what waits for a session, and why."""

from datetime import UTC, datetime
from typing import Any

import click

from hark.cli.client import Client, segment
from hark.cli.parameters import json_option, session_argument
from hark.cli.text import between, clock, one_line, print_json, say, show, table, terminal_columns

HEADINGS = ("ID", "STATUS", "WHY", "SINCE", "MODE", "FROM", "AGE", "EXPIRES", "TEXT")
_WORK = {True: "is idle", False: "is busy", None: "may be idle or busy"}

LONGEST_TEXT = 60


@click.command()
@session_argument
@json_option
def command(session: str, is_json: bool) -> None:
    """List the messages that wait for the session NAME, in the order of their delivery.

    \b
    Example:
      hark queue backend
    """
    found = Client().get(f"/sessions/{segment(session)}/send-queue")
    if is_json:
        print_json(found)
        return
    for line in remarks(session, found):
        say(line)
    if found["pending_messages"]:
        now = datetime.now(UTC).isoformat()
        rows = [message_row(message, now) for message in found["pending_messages"]]
        show(table(HEADINGS, rows, columns=terminal_columns()))


def remarks(session: str, queue: dict[str, Any]) -> list[str]:
    waiting = f"{queue['pending_count']} waiting" if queue["pending_count"] else "nothing waits for it"
    lines = [f"{session} {_WORK[queue['is_idle']]}; {waiting}"]
    if queue["saved_user_input"] is not None:
        lines.append(f"a draft is kept until it is back in the box: {one_line(queue['saved_user_input'])}")
    if queue.get("pending_user_input") is not None:
        since = clock(queue["pending_input_first_seen"])
        lines.append(f"its box holds a draft, unchanged since {since}: {one_line(queue['pending_user_input'])}")
    return lines


def message_row(message: dict[str, Any], now: str) -> tuple[str, ...]:
    return (
        message["id"],
        message["status"],
        message["reason"] or ("inbox" if message["is_inbox"] else "-"),
        between(message["held_since"], now) if message["held_since"] else "-",
        message["delivery_mode"],
        message["sender"] or "-",
        between(message["queued_at"], now),
        f"in {between(now, message['timeout_at'])}" if message["timeout_at"] else "-",
        shorten(message["text"]),
    )


def shorten(text: str) -> str:
    """Cut a text to one short line; `hark show` prints all of the text."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_TEXT else line[: LONGEST_TEXT - 1] + "…"
