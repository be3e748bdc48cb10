"""hark ls: list the sessions."""

import shlex
from datetime import UTC, datetime
from typing import Any

import click

from hark.cli.client import Client
from hark.cli.messages.events import followed_with_ticks
from hark.cli.parameters import json_option
from hark.cli.text import (
    between,
    cut,
    one_line,
    print_json,
    print_json_line,
    redraw,
    say,
    show,
    table,
    terminal_columns,
)

HEADINGS = ("NAME", "ID", "AGENT", "STATE", "SIGNAL", "ASKS", "QUEUE", "AGE", "COMMAND")
LONGEST_SIGNAL = 40
"""How wide a signal or a question may be on a terminal, so that the columns behind it stay in sight."""
TICK_S = 5.0
"""How often to draw the list again if nothing happens: it shows how long ago things were."""
NOBODY = "there are no sessions; `hark new -n NAME -- CMD` starts one"


@click.command()
@click.option("-a", "--all", "is_all", is_flag=True, help="Also list sessions that are gone.")
@click.option("-w", "--watch", is_flag=True, help="Keep the list up to date until Ctrl-C.")
@json_option
def command(is_all: bool, watch: bool, is_json: bool) -> None:
    """List the sessions, with what each agent has announced, and how many messages wait for it and why.

    ASKS says how long the session has waited for you, and what its agent asks for. SIGNAL is the last signal of the
    agent, until its human has answered or the agent goes on; without one, it is the beginning of the agent's last answer,
    in quotation marks. On a terminal its text is cut; `hark signals NAME` and `hark last NAME` show the whole text. STATE
    says `restarts in` for an agent that hark starts again after a failure, and `gave up` for one that keeps failing.

    \b
    Example:
      hark ls
      hark ls -w
      hark ls --all --json
    """
    client, path = Client(), "/sessions?all=1" if is_all else "/sessions"
    if watch:
        keep_listing(client, path, is_json=is_json)
        return
    found = client.get(path)
    if is_json:
        print_json(found)
    elif not found["sessions"]:
        say(NOBODY)
    else:
        show(session_table(found["sessions"]))


def keep_listing(client: Client, path: str, *, is_json: bool) -> None:
    """Print the list again whenever something has happened. With --json, print one object per line. Events that came before the
    last answer was made are in that answer, so they cause no further one."""
    known = _list_once(client, path, is_json=is_json)
    tick_s = None if is_json or terminal_columns() is None else TICK_S
    for event in followed_with_ticks(client, known, tick_s):
        if event is None or event["seq"] > known:
            known = _list_once(client, path, is_json=is_json)


def _list_once(client: Client, path: str, *, is_json: bool) -> int:
    """Print the list, and return the number of an event up to which the list is up to date."""
    known = int(client.get("/healthz")["last_event_seq"])
    found = client.get(path)
    if is_json:
        print_json_line(found)
    else:
        redraw(session_table(found["sessions"]) if found["sessions"] else NOBODY)
    return known


def session_table(sessions: list[dict[str, Any]]) -> str:
    now, columns = datetime.now(UTC).isoformat(), terminal_columns()
    room = None if columns is None else LONGEST_SIGNAL
    return table(HEADINGS, [session_row(session, now, room) for session in sessions], columns=columns)


def session_row(session: dict[str, Any], now: str, room: int | None = None) -> tuple[str, ...]:
    """Return the cells of one session. `room` is how wide the cells of its signal and its question may be; None means no limit."""
    return (
        session["name"],
        session["id"],
        session["agent"],
        state_cell(session, now),
        cut(signal_cell(session), room),
        cut(question_cell(session, now), room),
        queue_cell(session["pending_count"], session["hold_reason"]),
        between(session["created_at"], now),
        shlex.join(session["command"]),
    )


def state_cell(session: dict[str, Any], now: str) -> str:
    """Return what the session's agent is doing, or the session's state if that is not known; `held` if a human holds its messages; and
    when hark starts the agent again, or that hark has given it up."""
    if session.get("restart_at"):
        return f"restarts in {between(now, session['restart_at'])}"
    if session.get("has_given_up"):
        return "gave up"
    if session.get("do_not_disturb_since"):
        return "held"
    phase = session.get("phase", "unknown")
    return session["state"] if session["state"] != "running" or phase == "unknown" else str(phase)


def signal_cell(session: dict[str, Any]) -> str:
    """Return what the session's agent has announced: the state, and the text if there is one. If it has announced nothing, return its
    last words, in quotation marks."""
    state, text = session.get("signal_state"), one_line(session.get("signal_text") or "").strip()
    if not state:
        words = " ".join(one_line(session.get("last_words") or "").split())
        return f"“{words}”" if words else "-"
    return f"{state}: {text}" if text else str(state)


def question_cell(session: dict[str, Any], now: str) -> str:
    """Return how long the session has waited for a human, and what its agent asks for unless the signal says so already."""
    if not session.get("need_since"):
        return "-"
    since, question = between(session["need_since"], now), one_line(session["question"]).strip()
    is_said = question == one_line(session.get("signal_text") or "").strip()
    return since if is_said else f"{since}: {question or session['need']}"


def queue_cell(count: int, reason: str | None) -> str:
    if not count:
        return "-"
    return f"{count} ({reason})" if reason else str(count)
