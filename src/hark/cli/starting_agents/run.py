"""hark run: start an agent right here, behind an airlock, looking like the plain program."""

import os
import signal
import sys
from typing import Any, NoReturn

import click

from hark import paths
from hark.cli.client import Client
from hark.cli.starting_agents import new
from hark.cli.starting_agents.plain_calls import is_plain_call
from hark.cli.text import say
from hark.cli.tmux_server import current_socket
from hark.environment import session_environment
from hark.model.errors import HarkError
from hark.model.ids import check_name


@click.command(context_settings={"allow_interspersed_args": False})
@click.option("-n", "--name", metavar="NAME", help="Name of the session. [default: made from the command]")
@click.option("--agent", metavar="KIND", help="Agent kind. [default: recognised from the command]")
@click.option("--signals", is_flag=True, help="Teach the agent to signal, for this run only or by a first message.")
@click.argument("words", metavar="CMD…", nargs=-1, required=True, type=click.UNPROCESSED)
def command(name: str | None, agent: str | None, signals: bool, words: tuple[str, ...]) -> None:
    """Start CMD in this terminal so that messages can reach it. Inside tmux CMD takes the current pane; outside tmux,
    hark shows a session of its own tmux server here until CMD ends. Either way CMD looks, stops and ends like the plain
    program. A call that opens no session (`claude --version`, `claude mcp list`, `claude -p …`, anything without a
    terminal) runs the plain program. If hark cannot help, CMD runs all the same.

    \b
    Example:
      hark run -- claude
    """
    if name:
        check_name(name)
    has_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if not has_terminal or os.environ.get("HARK_SESSION"):
        run_plainly(words)
    try:
        if is_plain_call(words, paths.config_dir() / "agents"):
            run_plainly(words)
        run = run_here if current_socket(os.environ) else run_in_session
        run(name, agent, words, has_signals=signals)
    except (HarkError, PermissionError) as failure:
        why = failure.detail if isinstance(failure, HarkError) else f"{failure.filename}: {failure.strerror}"
        say(f"hark run: {why}; running {words[0]} without hark")
        run_plainly(words)


def run_here(name: str | None, agent: str | None, words: tuple[str, ...], *, has_signals: bool) -> NoReturn:
    body: dict[str, Any] = {
        "target": os.environ["TMUX_PANE"],
        "socket_path": current_socket(os.environ),
        "name": name,
        "agent": agent,
        "command": list(words),
        "directory": os.getcwd(),
        "environment": session_environment(os.environ),
        "has_signals": has_signals or None,
    }
    started = Client().post("/sessions/run", {field: value for field, value in body.items() if value is not None})
    program = started["words"]
    os.execve(program[0], program, dict(os.environ) | started["environment"])


def run_in_session(name: str | None, agent: str | None, words: tuple[str, ...], *, has_signals: bool) -> NoReturn:
    body: dict[str, Any] = {
        "command": list(words),
        "name": name,
        "agent": agent,
        "directory": new.existing_directory(None),
        "environment": session_environment(os.environ),
        "has_signals": has_signals or None,
        "is_plain": True,
    }
    body |= new.terminal_size()
    from hark.cli.starting_agents.outside_tmux import EarlySignals, show

    early = EarlySignals()
    try:
        session = Client().post("/sessions", {field: value for field, value in body.items() if value is not None})
    except (HarkError, PermissionError):
        early.give_back()
        raise
    show(session, early)


def run_plainly(words: tuple[str, ...]) -> NoReturn:
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores these, and the program would inherit that
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(words[0], words)
    except OSError as failure:
        say(f"hark run: {words[0]}: {failure.strerror}")
        sys.exit(127 if isinstance(failure, FileNotFoundError) else 126)
