"""hark up: start the agents again that a reboot or the end of tmux has ended."""

from typing import Any

import click

from hark.cli.client import Client, segment
from hark.cli.parameters import json_option
from hark.cli.sessions.restart import restart_request, restarted_line
from hark.cli.text import print_json, say, show
from hark.model.errors import Exit, HarkError
from hark.model.session import LOST_SERVER


@click.command()
@json_option
def command(is_json: bool) -> int:
    """Start the agents again that ended with their tmux server: after a reboot, or after `tmux kill-server`.

    Each session keeps its id, name, directory, hooks and queue, and its agent resumes its conversation as with
    `hark restart`. Sessions that ended in another way stay gone, and so do agents in panes of yours. hark goes on when
    one session cannot start, and exits with 1 at the end.

    \b
    Example:
      hark up
    """
    client = Client()
    lost = [session for session in client.get("/sessions?all=1")["sessions"] if _is_lost(session)]
    started, failed = [], []
    for session in lost:
        try:
            made: dict[str, Any] = client.post(f"/sessions/{segment(session['id'])}/restart", restart_request())
        except HarkError as failure:
            failed.append(
                {"name": session["name"], "id": session["id"], "code": failure.code, "detail": failure.detail}
            )
            say(f"{session['name']} {session['id']} did not start: {failure.detail}")
            continue
        started.append(made)
        if not is_json:
            show(restarted_line(made))
    if is_json:
        print_json({"restarted": started, "failed": failed})
    elif not lost:
        say("no session ended with its tmux server")
    return Exit.FAILURE if failed else Exit.OK


def _is_lost(session: dict[str, Any]) -> bool:
    return session["state"] == "gone" and session["gone_because"] == LOST_SERVER and not session["is_adopted"]
