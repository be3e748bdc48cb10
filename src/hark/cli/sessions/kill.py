"""hark kill: end sessions."""

import os
from typing import Any

import click

from hark.cli.client import Client, segment
from hark.cli.parameters import complete_session, json_option
from hark.cli.text import print_json, say, show
from hark.model.ids import SessionId, find_group, is_group


@click.command()
@click.argument("names", metavar="NAME…", nargs=-1, required=True, shell_complete=complete_session)
@json_option
def command(names: tuple[str, ...], is_json: bool) -> None:
    """End the sessions NAME and their agents. hark only forgets an adopted pane: its agent goes on.

    NAME may be a pattern such as 'crew/*', which fits all running sessions except the one in which this command runs.
    If one name fits no session, hark ends none. A session that is already gone is not a failure. A session that hark is
    about to start again stays gone.

    \b
    Example:
      hark kill backend
      hark kill tests 'crew/*'
    """
    client = Client()
    ended = [_end(client, session, is_json=is_json) for session in wanted(client, names)]
    if is_json:
        print_json(ended[0] if len(names) == 1 and not is_group(names[0]) else {"sessions": ended})


def wanted(client: Client, names: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return each named session once; all of them are found before the first is ended."""
    found: dict[str, dict[str, Any]] = {}
    for name in names:
        for session in _fitting(client, name) if is_group(name) else [client.get(f"/sessions/{segment(name)}")]:
            found[session["id"]] = session
    return list(found.values())


def _fitting(client: Client, pattern: str) -> list[dict[str, Any]]:
    running = {session["id"]: session for session in client.get("/sessions")["sessions"]}
    own = os.environ.get("HARK_SESSION")
    named = [(SessionId(one["id"]), one["name"]) for one in running.values()]
    return [running[session_id] for session_id in find_group(pattern, named, SessionId(own) if own else None)]


def _end(client: Client, session: dict[str, Any], *, is_json: bool) -> dict[str, Any]:
    if session["state"] == "gone" and not (session["restart_at"] or session["has_given_up"]):
        say(f"{session['name']} {session['id']} is gone already")
        return session
    ended: dict[str, Any] = client.delete(f"/sessions/{segment(session['id'])}")
    if not is_json:
        show(ended_line(ended))
    return ended


def ended_line(session: dict[str, Any]) -> str:
    verb, rest = ("forgot", "; its pane goes on") if session["is_adopted"] else ("killed", "")
    return f"{verb} {session['name']} {session['id']}{rest}"
