"""hark run: start an agent right here, behind an airlock, looking like the plain program."""

import os
import sys
from typing import Any, NoReturn

import click

from hark.cli import new
from hark.cli.attach import attach
from hark.cli.client import Client
from hark.cli.server import current_socket
from hark.cli.text import say
from hark.model.errors import HarkError
from hark.model.ids import check_name


@click.command(context_settings={"allow_interspersed_args": False})
@click.option("-n", "--name", metavar="NAME", help="Name of the session. [default: made from the command]")
@click.option("--agent", metavar="KIND", help="Agent kind. [default: known from the command]")
@click.argument("words", metavar="CMD…", nargs=-1, required=True, type=click.UNPROCESSED)
def command(name: str | None, agent: str | None, words: tuple[str, ...]) -> None:
    """Start CMD in this terminal so that messages can reach it. Inside tmux it takes the current pane; outside, it opens a
    session and attaches to it. If hark cannot help, CMD runs all the same.

    \b
    Example:
      hark run -- claude
    """
    if name:
        check_name(name)
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("HARK_SESSION"):
        run_plainly(words)
    try:
        run_here(name, agent, words) if current_socket(os.environ) else run_in_session(name, agent, words)
    except HarkError as failure:
        say(f"hark run: {failure.detail}; running {words[0]} without hark")
        run_plainly(words)


def run_here(name: str | None, agent: str | None, words: tuple[str, ...]) -> NoReturn:
    body: dict[str, Any] = {
        "target": os.environ["TMUX_PANE"],
        "socket_path": current_socket(os.environ),
        "name": name,
        "agent": agent,
        "command": list(words),
        "directory": os.getcwd(),
        "environment": new.session_environment(os.environ),
    }
    started = Client().post("/sessions/run", {field: value for field, value in body.items() if value is not None})
    program = started["words"]
    os.execve(program[0], program, dict(os.environ) | started["environment"])


def run_in_session(name: str | None, agent: str | None, words: tuple[str, ...]) -> NoReturn:
    body: dict[str, Any] = {
        "command": list(words),
        "name": name,
        "agent": agent,
        "directory": new.existing_directory(None),
        "environment": new.session_environment(os.environ),
        "is_plain": True,
    }
    body |= new.terminal_size()
    attach(Client().post("/sessions", {field: value for field, value in body.items() if value is not None}))


def run_plainly(words: tuple[str, ...]) -> NoReturn:
    try:
        os.execvp(words[0], words)
    except OSError as failure:
        say(f"hark run: {words[0]}: {failure.strerror}")
        sys.exit(127 if isinstance(failure, FileNotFoundError) else 126)
