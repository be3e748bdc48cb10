"""hark ls: the sessions there are."""

import shlex
from datetime import UTC, datetime
from typing import Any

import click

from hark.cli.client import Client
from hark.cli.parameters import json_option
from hark.cli.text import between, print_json, say, table, terminal_columns

HEADINGS = ("NAME", "ID", "AGENT", "STATE", "QUEUE", "AGE", "COMMAND")


@click.command()
@click.option("-a", "--all", "is_all", is_flag=True, help="Show gone sessions too.")
@json_option
def command(is_all: bool, is_json: bool) -> None:
    """List the sessions, with how many messages wait for each and why.

    \b
    Example:
      hark ls
      hark ls --all --json
    """
    found = Client().get("/sessions?all=1" if is_all else "/sessions")
    if is_json:
        print_json(found)
    elif not found["sessions"]:
        say("there are no sessions; `hark new -n NAME -- CMD` starts one")
    else:
        now = datetime.now(UTC).isoformat()
        rows = [session_row(session, now) for session in found["sessions"]]
        click.echo(table(HEADINGS, rows, columns=terminal_columns()))


def session_row(session: dict[str, Any], now: str) -> tuple[str, ...]:
    return (
        session["name"],
        session["id"],
        session["agent"],
        state_cell(session),
        queue_cell(session["pending_count"], session["hold_reason"]),
        between(session["created_at"], now),
        shlex.join(session["command"]),
    )


def state_cell(session: dict[str, Any]) -> str:
    """What its agent is doing, where that is known."""
    if session.get("do_not_disturb_since"):
        return "held"
    phase = session.get("phase", "unknown")
    return session["state"] if session["state"] != "running" or phase == "unknown" else str(phase)


def queue_cell(count: int, reason: str | None) -> str:
    if not count:
        return "-"
    return f"{count} ({reason})" if reason else str(count)
