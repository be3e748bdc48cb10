"""hark restart: start the agent of a session again."""

import os
import sys
from typing import Any

import click

from hark.cli.client import Client, segment
from hark.cli.parameters import complete_session, json_option
from hark.cli.sessions.attach import attach
from hark.cli.starting_agents.new import terminal_size
from hark.cli.text import print_json, show
from hark.cli.tmux_server import chosen_place, chosen_server, place_options, server_options
from hark.environment import session_environment
from hark.model.errors import Exit


@click.command(context_settings={"allow_interspersed_args": False})
@click.option("--fresh", is_flag=True, help="Begin a new conversation instead of resuming the last one.")
@click.option("--kill", "ends_running", is_flag=True, help="End the agent first if it still runs.")
@click.option("--signals", is_flag=True, help="Teach the agent to signal, for this run only or by a first message.")
@click.option("-d", "--detached", is_flag=True, help="Do not attach to the session.")
@place_options
@server_options
@json_option
@click.argument("name", metavar="NAME", shell_complete=complete_session)
@click.argument("words", metavar="[CMD…]", nargs=-1, type=click.UNPROCESSED)
def command(
    fresh: bool,
    ends_running: bool,
    signals: bool,
    detached: bool,
    place: str | None,
    socket_name: str | None,
    socket_path: str | None,
    is_json: bool,
    name: str,
    words: tuple[str, ...],
) -> int:
    """Start the agent of the session NAME again and show it. Without a terminal, or with -d, print its name and id.

    The session keeps its id, name, directory, hooks and queue: hark delivers the messages that have waited for it. Claude
    Code, Codex, Gemini CLI and OpenCode resume their conversation; other agents begin a new one. The first prompt of the
    session's command is not sent again. What stood in the agent's box when the agent ended is lost with the agent; a draft
    that hark had taken out of the box goes back into it.

    With CMD, hark starts CMD instead of the session's command.

    \b
    Example:
      hark restart backend
      hark restart --kill --fresh backend
      hark restart backend -- claude --resume
    """
    is_shown = not (detached or is_json) and sys.stdin.isatty() and sys.stdout.isatty()
    where = chosen_place(place, chosen_server(socket_name, socket_path, os.environ), os.environ, is_shown=is_shown)
    body = restart_request(words, is_fresh=fresh, ends_running=ends_running) | where
    body |= {"has_signals": True} if signals else {}
    made: dict[str, Any] = Client().post(f"/sessions/{segment(name)}/restart", body)
    if is_json:
        print_json(made)
    elif not is_shown:
        show(restarted_line(made))
    elif made["session"]["socket"] != where.get("socket_path") or "beside" not in where:
        attach(made["session"])
    return Exit.OK


def restart_request(
    words: tuple[str, ...] = (), *, is_fresh: bool = False, ends_running: bool = False
) -> dict[str, Any]:
    asked = {"command": list(words), "is_fresh": is_fresh, "ends_running": ends_running}
    return asked | {"environment": session_environment(os.environ)} | terminal_size()


def restarted_line(made: dict[str, Any]) -> str:
    how = "resumes its conversation" if made["conversation"] else "begins a new conversation"
    draft = (
        "; your draft goes back into its box, and until then `hark draft` prints it" if made.get("has_draft") else ""
    )
    return f"{made['session']['name']} {made['session']['id']} {how}{draft}"
