"""hark reminders: list the reminders that have not fired yet, or cancel one."""

import os
from datetime import UTC, datetime
from typing import Any

import click

from hark.cli.client import Client, segment
from hark.cli.messages.queue import shorten
from hark.cli.parameters import json_option
from hark.cli.text import again, between, clock, one_line, print_json, say, show, table, terminal_columns

HEADINGS = ("ID", "SESSION", "FROM", "AT", "IN", "AGAIN", "TEXT")


@click.command()
@click.option("-a", "--all", "is_all", is_flag=True, help="List those of all sessions, also inside a session.")
@click.option("--cancel", "cancelled", metavar="ID", help="Take the reminder ID back.")
@json_option
def command(is_all: bool, cancelled: str | None, is_json: bool) -> None:
    """List the reminders that have not fired yet: inside a session its own, elsewhere those of all sessions.

    \b
    Example:
      hark reminders
      hark reminders --cancel 9f3c
    """
    client = Client()
    if cancelled is not None:
        gone = client.delete(f"/scheduler/reminders/{segment(cancelled)}")
        print_json(gone) if is_json else show(f"cancelled {gone['id']}")
        return
    session = None if is_all else os.environ.get("HARK_SESSION")
    found = client.get("/scheduler/reminders" + (f"?session={segment(session)}" if session else ""))
    if is_json:
        print_json(found)
    elif found["reminders"]:
        now = datetime.now(UTC).isoformat()
        show(table(HEADINGS, [row(one, now) for one in found["reminders"]], columns=terminal_columns()))
        for one in found["reminders"]:
            if one.get("set_aside_at"):
                say(f"{one['id']} failed {one['failures']} times and is not tried again: {one_line(one['failure'])}")
    else:
        say("no reminders")


def row(reminder: dict[str, Any], now: str) -> tuple[str, ...]:
    at = reminder["fire_at"]
    return (
        reminder["id"],
        reminder["session_id"],
        reminder.get("sender") or "-",
        clock(at),
        "set aside" if reminder.get("set_aside_at") else between(now, at),
        again(reminder["repeat"]) if reminder["repeat"] else "-",
        shorten(reminder["message"]),
    )
