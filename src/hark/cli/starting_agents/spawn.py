"""hark spawn: start an agent and give it its first task."""

import os
import shlex
from typing import Any

import click

from hark.cli.client import Client
from hark.cli.messages.send import message_text
from hark.cli.parameters import json_option, sender_fields
from hark.cli.starting_agents.new import existing_directory
from hark.cli.text import print_json, show
from hark.environment import session_environment
from hark.model.ids import check_name


@click.command()
@click.option("-n", "--name", metavar="NAME", help="Name of the session. [default: made from the command]")
@click.option("--agent", metavar="KIND", help="Agent kind: claude, codex, gemini, … [default: default_agent, else the first installed]")  # fmt: skip
@click.option(
    "--command", "started_by", metavar="CMD", help="Command that starts the agent. [default: the agent's own program]"
)
@click.option("-C", "directory", metavar="DIR", help="Directory to start in. [default: this one]")
@click.option("--from", "sender", metavar="NAME", help="Who sends the task. [default: this session, else you]")
@click.option(
    "--notify-on-stop", is_flag=True, help="Send me a message when the agent has stopped working on the task."
)
@click.option("--idempotency-key", "key", metavar="KEY", help="Start only one agent for all calls with this key.")
@json_option
@click.argument("words", metavar="TEXT", nargs=-1, required=True)
def command(
    name: str | None,
    agent: str | None,
    started_by: str | None,
    directory: str | None,
    sender: str | None,
    notify_on_stop: bool,
    key: str | None,
    is_json: bool,
    words: tuple[str, ...],
) -> None:
    """Start an agent in a session of its own, and send it TEXT when it is ready.

    \b
    Example:
      hark spawn "find out why the build is red"
      hark spawn -n login --agent claude "implement the login page"
      hark spawn -n tests --agent codex --command "codex --full-auto" "make the tests pass"
    """
    client = Client()
    body: dict[str, Any] = {
        "agent": agent,
        "task": message_text(words),
        "name": check_name(name) if name else None,
        "command": shlex.split(started_by) if started_by else None,
        "directory": existing_directory(directory),
        "environment": session_environment(os.environ),
        "notify_on_stop": notify_on_stop or None,
    }
    body |= sender_fields(client, sender)
    wish = {field: value for field, value in body.items() if value is not None}
    made = client.post("/spawn", wish, idempotency_key=key or os.urandom(16).hex())
    session, message = made["session"], made["message"]
    if is_json:
        print_json(made)
    else:
        show(f"{session['name']} {session['id']}, with its first task {message['id']}")
