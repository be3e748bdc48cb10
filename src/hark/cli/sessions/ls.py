"""hark ls: list the sessions."""

import shlex
from datetime import UTC, datetime
from typing import Any

import click

from hark.cli.client import Client
from hark.cli.parameters import json_option
from hark.cli.text import between, cut, one_line, print_json, say, show, table, terminal_columns

HEADINGS = ("NAME", "ID", "AGENT", "STATE", "SIGNAL", "QUEUE", "AGE", "COMMAND")
LONGEST_SIGNAL = 40
"""How wide a signal may be on a terminal, so that the columns behind it stay in sight."""


@click.command()
@click.option("-a", "--all", "is_all", is_flag=True, help="Also list sessions that are gone.")
@json_option
def command(is_all: bool, is_json: bool) -> None:
    """List the sessions, with what each agent has announced, and how many messages wait for it and why.

    SIGNAL is the last signal of the agent, until its human has answered or the agent goes on. On a terminal its text is
    cut; `hark signals NAME` shows the whole text.

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
        columns = terminal_columns()
        room = None if columns is None else LONGEST_SIGNAL
        rows = [session_row(session, now, room) for session in found["sessions"]]
        show(table(HEADINGS, rows, columns=columns))


def session_row(session: dict[str, Any], now: str, room: int | None = None) -> tuple[str, ...]:
    """Return the cells of one session. `room` is how wide the cell of its signal may be; None means no limit."""
    return (
        session["name"],
        session["id"],
        session["agent"],
        state_cell(session),
        cut(signal_cell(session), room),
        queue_cell(session["pending_count"], session["hold_reason"]),
        between(session["created_at"], now),
        shlex.join(session["command"]),
    )


def state_cell(session: dict[str, Any]) -> str:
    """Return what the session's agent is doing, or the session's state if that is not known; `held` if a human holds its messages."""
    if session.get("do_not_disturb_since"):
        return "held"
    phase = session.get("phase", "unknown")
    return session["state"] if session["state"] != "running" or phase == "unknown" else str(phase)


def signal_cell(session: dict[str, Any]) -> str:
    """Return what the session's agent has announced: the state, and the text if there is one."""
    state, text = session.get("signal_state"), one_line(session.get("signal_text") or "").strip()
    if not state:
        return "-"
    return f"{state}: {text}" if text else str(state)


def queue_cell(count: int, reason: str | None) -> str:
    if not count:
        return "-"
    return f"{count} ({reason})" if reason else str(count)
