"""hark up: start a team of agents, or the agents again that a reboot or the end of tmux has ended."""

import os
from collections.abc import Callable
from functools import partial
from typing import Any

import click

from hark.cli.client import Client, segment
from hark.cli.parameters import json_option
from hark.cli.starting_agents.crew_file import load_crew
from hark.cli.starting_agents.restart import restart_request, restarted_line
from hark.cli.text import print_json, say, show
from hark.environment import session_environment
from hark.model.errors import Exit, HarkError
from hark.model.session import LOST_SERVER
from hark.model.settings.crew import Member

Fields = dict[str, Any]


@click.command()
@click.argument("file", metavar="[FILE]", required=False, type=click.Path())
@json_option
def command(file: str | None, is_json: bool) -> int:
    """Start the team that the crew file FILE describes. Without FILE, start the agents again that ended with their tmux
    server: after a reboot, or after `tmux kill-server`.

    A session of the crew that runs stays as it is. A session that is gone starts again as with `hark restart`, with its
    queue and its conversation. Every other session starts anew and gets its first task. hark goes on when one session
    cannot start, and exits with 1 at the end.

    \b
    Example:
      hark up
      hark up crew.toml
    """
    client = Client()
    up = Up(client, is_quiet=is_json)
    known = client.get("/sessions?all=1")["sessions"]
    if file is None:
        for session in known:
            if _is_lost(session):
                up.attempt(session["name"], partial(up.restart, session))
    else:
        up.start_crew(load_crew(file), {session["name"]: session for session in known})
    if is_json:
        print_json({"started": up.started, "restarted": up.restarted, "failed": up.failed})
    elif not (up.started or up.restarted or up.failed):
        say("every session of the crew runs already" if file else "no session ended with its tmux server")
    return Exit.FAILURE if up.failed else Exit.OK


class Up:
    """Starts sessions one after the other, and remembers what became of each."""

    def __init__(self, client: Client, *, is_quiet: bool) -> None:
        self._client = client
        self._is_quiet = is_quiet
        self.started: list[Fields] = []
        self.restarted: list[Fields] = []
        self.failed: list[Fields] = []

    def start_crew(self, crew: list[Member], known: dict[str, Fields]) -> None:
        """Start all sessions of the crew, and then give the new ones their tasks: a task may name another session of the crew."""
        fresh = []
        for member in crew:
            session = known.get(member.name)
            if session is None:
                fresh += [member] if self.attempt(member.name, partial(self._start, member)) else []
            elif session["state"] == "gone":
                self.attempt(member.name, partial(self.restart, session, member.restart))
        for member in fresh:
            if member.task:
                self.attempt(member.name, partial(self._give_task, member))

    def attempt(self, name: str, work: Callable[[], None]) -> bool:
        """Do the work for a session. If it fails, say so and return False."""
        try:
            work()
        except HarkError as failure:
            self.failed.append({"name": name, "code": failure.code, "detail": failure.detail})
            say(f"{name}: {failure.detail}")
            return False
        return True

    def restart(self, session: Fields, policy: str = "") -> None:
        """Start the session again. `policy` says when hark starts its agent again by itself from now on; empty changes nothing."""
        body = restart_request() | ({"restart": policy} if policy else {})
        made = self._client.post(f"/sessions/{segment(session['id'])}/restart", body)
        self.restarted.append(made)
        self._show(restarted_line(made))

    def _start(self, member: Member) -> None:
        body: Fields = {"name": member.name, "directory": member.directory, "command": list(member.command)}
        body |= {"agent": member.agent} if member.agent else {}
        body |= {"restart": member.restart} if member.restart else {}
        body |= {"environment": session_environment(os.environ)}
        made = self._client.post("/sessions", body, idempotency_key=os.urandom(16).hex())
        self.started.append(made)
        self._show(f"{made['name']} {made['id']} starts")

    def _give_task(self, member: Member) -> None:
        body: Fields = {"text": member.task}
        if member.notify:
            sender = self._client.get(f"/sessions/{segment(member.notify)}")
            body |= {"sender_session_id": sender["id"], "notify_on_stop": True}
        self._client.post(f"/sessions/{segment(member.name)}/send", body, idempotency_key=os.urandom(16).hex())

    def _show(self, line: str) -> None:
        if not self._is_quiet:
            show(line)


def _is_lost(session: Fields) -> bool:
    return session["state"] == "gone" and session["gone_because"] == LOST_SERVER and not session["is_adopted"]
