"""Tells all that is known about a session, for `hark show NAME`."""

import shlex
from datetime import UTC, datetime
from typing import Any

from hark.cli.sessions.draft import draft_remark
from hark.cli.sessions.ls import queue_cell, signal_cell, state_cell
from hark.cli.text import between, clock, one_line

Fields = dict[str, Any]


def session_story(session: Fields, draft: Fields | None) -> str:
    """Return the lines about a session. `draft` is what hark keeps of its human's typing."""
    now = datetime.now(UTC).isoformat()
    lines = [
        f"session   {session['name']} {session['id']} ({session['agent']})",
        f"state     {_state(session, now)}",
        f"restart   {_restart(session, now)}",
        f"signal    {_signal(session)}",
        f"queue     {queue_cell(session['pending_count'], session['hold_reason'])}",
        f"started   {clock(session['created_at'])}",
        f"directory {one_line(session['directory'])}",
        f"command   {one_line(shlex.join(session['command']))}",
    ]
    if session["question"]:
        lines.append(f"asks      {one_line(session['question'])}")
    if session["heir_of"]:
        lines.append(f"heir of   {session['heir_of']}: it took over what waited for that session")
    if draft:
        lines.append(f"draft     {draft_remark(draft)}")
    if session["last_words"]:
        lines.append(f"said last {' '.join(one_line(session['last_words']).split())}")
    return "\n".join(lines)


def _state(session: Fields, now: str) -> str:
    if session["state"] != "gone":
        return state_cell(session, now)
    return f"gone since {clock(session['gone_at'])}: {one_line(session['gone_because']) or 'nobody knows why'}"


def _restart(session: Fields, now: str) -> str:
    words = [session["restart"]]
    if session["failures"]:
        words.append(f"failed {session['failures']} times in a row")
    if session["restart_at"]:
        words.append(f"starts again in {between(now, session['restart_at'])}")
    if session["has_given_up"]:
        words.append(f"hark has given up; `hark restart {session['name']}` starts it")
    return ", ".join(words)


def _signal(session: Fields) -> str:
    return signal_cell(session | {"last_words": ""})
