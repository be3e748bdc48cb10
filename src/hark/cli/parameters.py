"""Parameters that several commands share, and their completion in the shell."""

import os
import pwd
from collections.abc import Callable
from time import monotonic
from typing import Any

import click
from click.shell_completion import CompletionItem

from hark.cli.client import Client, segment
from hark.cli.text import one_line
from hark.model.errors import HarkError
from hark.model.text.duration import parse_duration
from hark.model.text.names import check_letters, check_sender, clean_sender

COMPLETION_S = 0.3


def seconds(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """Read a duration as people write it: 30s, 5m, 1h30m."""
    return None if value is None else parse_duration(value)


def own_session(hint: str = "run this command inside a session") -> str:
    """Return the id of the session in which this command runs."""
    if session := os.environ.get("HARK_SESSION"):
        return session
    raise HarkError("request-invalid", "this is not a session of hark: HARK_SESSION is not set", hint)


def sender_fields(client: Client, sender: str | None) -> dict[str, str]:
    """Return the fields that name the sender: the id of a session, or a free name for anybody else.

    A mere prefix of a session's name does not name that session. Without `sender` the sender is the session in which this command
    runs, and outside of a session it is the user."""
    sender = sender or os.environ.get("HARK_SESSION")
    if not sender:
        return {"sender_name": name} if (name := user_name()) else {}
    try:
        found = client.get(f"/sessions/{segment(check_letters(sender))}")
    except HarkError as error:
        if error.code not in ("session-not-found", "session-ambiguous"):
            raise
        return {"sender_name": check_sender(sender)}
    is_exact = sender in (found["id"], found["name"])
    return {"sender_session_id": found["id"]} if is_exact else {"sender_name": check_sender(sender)}


def user_name() -> str | None:
    """Return the login name of the user; None if the user has none or a sender may not have that name."""
    try:
        return check_sender(clean_sender(pwd.getpwuid(os.getuid()).pw_name))
    except (KeyError, HarkError):
        return None


def complete_session(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    ask = _asker()
    return [
        CompletionItem(session["name"], help=one_line(session["agent"]))
        for session in ask("/sessions").get("sessions", [])
        if session["name"].startswith(incomplete)
    ]


def complete_message(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    ask = _asker()
    waiting = [session for session in ask("/sessions").get("sessions", []) if session["pending_count"]]
    return [
        CompletionItem(message["id"], help=one_line(message["text"][:40]))
        for session in waiting
        for message in ask(f"/sessions/{segment(session['id'])}/send-queue").get("pending_messages", [])
        if message["id"].startswith(incomplete)
    ]


def _asker() -> Callable[[str], dict[str, Any]]:
    """Return a function that asks the daemon for completions.

    Somebody waits with a finger on Tab: all questions share one deadline, no daemon is started, and no error is shown."""
    client = Client(starts_daemon=False, answer_s=COMPLETION_S)
    deadline = monotonic() + COMPLETION_S

    def ask(path: str) -> dict[str, Any]:
        try:
            return dict(client.get(path, answer_s=max(0.001, deadline - monotonic())))
        except HarkError:
            return {}

    return ask


json_option = click.option("--json", "is_json", is_flag=True, help="Print JSON, as the API returns it.")
session_argument = click.argument("session", metavar="NAME", shell_complete=complete_session)
message_argument = click.argument("message", metavar="ID", shell_complete=complete_message)
important_option = click.option(
    "--important", "mode", flag_value="important", help="Deliver before other waiting messages."
)
urgent_option = click.option("--urgent", "mode", flag_value="urgent", help="Interrupt the agent's turn and deliver.")
setting_option = click.option(
    "-o",
    "--option",
    "settings",
    metavar="KEY=VALUE",
    multiple=True,
    help="Override a setting. May be given several times.",
)
