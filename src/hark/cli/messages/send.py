"""hark send: put a message into a session's queue, and wait for what becomes of it if asked to."""

import os
import re
import sys
from time import monotonic
from typing import Any

import click

from hark.cli.client import Client, segment
from hark.cli.messages.answers import print_answer
from hark.cli.messages.reasons import when
from hark.cli.parameters import (
    complete_session,
    important_option,
    json_option,
    seconds,
    sender_fields,
    session_argument,
    urgent_option,
)
from hark.cli.text import between, print_json, say, show
from hark.model.errors import Exit, HarkError
from hark.model.ids import is_group
from hark.model.text.duration import format_duration

# the awaited status -> the field that holds when the message reached that status
GOALS = {"submitted": "delivered_at", "acknowledged": "acknowledged_at", "completed": "completed_at"}
ENDS = {
    "interrupted": Exit.FAILURE,
    "failed": Exit.FAILURE,
    "expired": Exit.TIMED_OUT,
    "cancelled": Exit.FAILURE,
    "dead": Exit.FAILURE,
    "uncertain": Exit.FAILURE,
}
LONGEST_POLL_S = 60.0
GRACE_S = 1.0
"""How long to wait after the timeout for the daemon to say that the message expired, before this command says so itself."""


@click.command()
@session_argument
@click.argument("words", metavar="TEXT", nargs=-1, required=True)
@click.option("--from", "sender", metavar="NAME", shell_complete=complete_session, help="Who sends the message. [default: this session, else you]")  # fmt: skip
@important_option
@urgent_option
@click.option(
    "--timeout",
    "timeout_s",
    metavar="DURATION",
    callback=seconds,
    help="Give up if the message is not delivered within this time, such as 5m.",
)
@click.option("--wait", "goal", type=click.Choice(list(GOALS)), help="Wait until the message has this status.")
@click.option("--answer", "is_answer", is_flag=True, help="With --wait completed: print the agent's answer.")
@click.option(
    "--inbox", "is_inbox", is_flag=True, help="Do not type the message: the agent fetches it with `hark inbox`."
)
@click.option(
    "--queue", "is_kept", is_flag=True, help="Keep the message if the session is gone, instead of refusing it."
)
@click.option("--as", "authority", type=click.Choice(["user"]), help="Deliver only as a user's prompt, never through a hook that makes it a notice.")  # fmt: skip
@click.option("--notify-on-delivery", is_flag=True, help="Send me a message when this one is delivered.")
@click.option(
    "--notify-after",
    "notify_after_s",
    metavar="DURATION",
    callback=seconds,
    help="Remind me of the message this long after its delivery.",
)
@click.option(
    "--notify-on-failure/--no-notify-on-failure",
    default=None,
    help="Send me a message when this one cannot be delivered. [default: if I am a session]",
)
@click.option(
    "--notify-on-stop", is_flag=True, help="Send me a message when the turn that worked on this one has stopped."
)
@click.option(
    "--raw", "is_raw", is_flag=True, help="Type TEXT as it is, without a header: for commands such as /compact."
)
@click.option("--idempotency-key", "key", metavar="KEY", help="Deliver only once for all calls with this key.")
@click.option("-q", "--quiet", is_flag=True, help="Print only the message's id.")
@json_option
def command(
    session: str,
    words: tuple[str, ...],
    sender: str | None,
    mode: str | None,
    timeout_s: float | None,
    goal: str | None,
    is_answer: bool,
    is_inbox: bool,
    is_kept: bool,
    is_raw: bool,
    authority: str | None,
    notify_on_delivery: bool,
    notify_after_s: float | None,
    notify_on_failure: bool | None,
    notify_on_stop: bool,
    key: str | None,
    quiet: bool,
    is_json: bool,
) -> int:
    """Send TEXT to the session NAME; `-` reads it from stdin. Put `--` before a text that starts with a dash.

    NAME may be several names with commas between them, a pattern such as 'crew/*', or '*' for everyone else: each
    session gets a message of its own.

    hark joins several words by spaces. With --wait, exit code 5 means that the message expired or that the --timeout
    ran out, and 1 that the agent ended or was interrupted before it had finished, or that the message was
    cancelled, was given up or is uncertain. Exit code 3 means that the session is gone; --queue keeps the message there.

    \b
    Example:
      hark send backend "run the tests"
      git diff | hark send reviewer --wait completed --timeout 10m -
    """
    if is_answer and (goal != "completed" or is_group(session)):
        raise click.UsageError("--answer needs --wait completed, and one session")
    client = Client()
    body: dict[str, Any] = {"text": message_text(words), "delivery_mode": mode or "sequential"}
    body |= sender_fields(client, sender)
    if timeout_s is not None:
        body["timeout_seconds"] = timeout_s
    body |= {
        name: True
        for name, is_wanted in (("inbox", is_inbox), ("queue", is_kept), ("raw", is_raw), ("alone", is_answer))
        if is_wanted
    }
    if goal == "completed" and os.environ.get("HARK_SESSION"):
        body["waits"] = True
    if authority == "user":
        body["as_user"] = True
    body |= notify_fields(notify_on_delivery, notify_after_s, notify_on_failure, notify_on_stop)
    key = key or os.urandom(16).hex()
    if is_group(session):
        sent_list = client.post("/send", body | {"to": session.split(",")}, idempotency_key=key)
        return tell_group(client, sent_list, goal, timeout_s, quiet=quiet, is_json=is_json)
    sent = client.post(f"/sessions/{segment(session)}/send", body, idempotency_key=key)
    if goal is None:
        _print_sent(sent, session, quiet=quiet, is_json=is_json)
        return Exit.OK
    if quiet and not is_answer:
        show(sent["id"])
    elif not is_json and not quiet:
        say(sent_line(sent, session))
    message = wait_for(client, sent["id"], goal, timeout_s)
    if is_json:
        print_json(message)
    elif is_answer and message["status"] not in ENDS:
        print_answer(message["answer"], message["id"])
    elif not quiet:
        show(outcome_line(message, goal))
    return exit_code(message, goal)


def tell_group(
    client: Client, sent: dict[str, Any], goal: str | None, timeout_s: float | None, *, quiet: bool, is_json: bool
) -> int:
    """Print one line for each message and return the exit code of the worst outcome."""
    messages = sent["messages"]
    if goal is not None:
        messages = [wait_for(client, one["id"], goal, timeout_s) for one in messages]
    if is_json:
        print_json({"messages": messages})
    for one in messages if not is_json else ():
        line = sent_line(one, one["session_name"]) if goal is None else outcome_line(one, goal)
        show(one["id"] if quiet else line)
    return max((exit_code(one, goal) for one in messages if goal), default=Exit.OK)


def exit_code(message: dict[str, Any], goal: str) -> int:
    """Return the exit code of a wait that has ended: 0 if the message has reached the goal."""
    if _is_unfinished(message) and message.get(GOALS[goal]):
        return Exit.OK
    return Exit.FAILURE if _is_stranded(message) else ENDS.get(message["status"], Exit.OK)


def _is_unfinished(message: dict[str, Any]) -> bool:
    """Return True if the agent was given the message and will not complete it."""
    return message["status"] in ("interrupted", "failed")


def _is_stranded(message: dict[str, Any]) -> bool:
    return message["status"] == "held" and message["reason"] in ("session-gone", "loop")


def notify_fields(
    on_delivery: bool, after_s: float | None, on_failure: bool | None, on_stop: bool
) -> dict[str, bool | float]:
    """Return the fields for the notices that the options ask for."""
    wished: dict[str, bool | float | None] = {
        "notify_on_delivery": on_delivery or None,
        "notify_after_seconds": after_s,
        "notify_on_failure": on_failure,
        "notify_on_stop": on_stop or None,
    }
    return {name: wish for name, wish in wished.items() if wish is not None}


def message_text(words: tuple[str, ...]) -> str:
    text = _from_stdin() if words == ("-",) else " ".join(words)
    if not text.strip():
        raise HarkError("text-empty", "there is no text to send", 'write it after the name: hark send NAME "text"')
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise HarkError("request-invalid", "the text is not UTF-8") from error
    return text


def _from_stdin() -> str:
    try:
        text = sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        raise HarkError("request-invalid", "stdin does not hold UTF-8 text") from error
    plain = COLOURS.sub("", text)
    if plain != text:
        say("hark: the colours in the text are left out")
    return plain.removesuffix("\n").removesuffix("\r")


COLOURS = re.compile(r"\x1b\[[0-9;:]*[mK]|\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\)")
"""The sequences that programs write when they are told to colour words: they set colours, clear the rest of a line, or make links.
No other sequence is removed from a text."""


def wait_for(client: Client, message_id: str, goal: str, timeout_s: float | None) -> dict[str, Any]:
    """Return the message when it has reached the goal or has ended otherwise. The daemon waits at most LONGEST_POLL_S for each
    request, so repeat the request until then."""
    deadline = None if timeout_s is None else monotonic() + timeout_s + GRACE_S
    while True:
        slice_s = LONGEST_POLL_S if deadline is None else min(LONGEST_POLL_S, max(0.1, deadline - monotonic()))
        try:
            path = f"/messages/{message_id}?wait={goal}&wait_seconds={slice_s:.3f}"
            return dict(client.get(path, answer_s=slice_s + 10))
        except HarkError as error:
            if error.code != "wait-timeout":
                raise
            if deadline is not None and monotonic() >= deadline:
                detail = f"{message_id} was not {goal} within {format_duration(timeout_s or 0)}"
                raise HarkError("wait-timeout", detail, f"`hark show {message_id}` tells how far it got") from error


def sent_line(sent: dict[str, Any], session: str) -> str:
    if sent["estimated_delivery"] == "when_the_inbox_is_checked":
        return f"queued {sent['id']} in the inbox of {session}"
    if sent["queue_position"] == 0:
        interrupted = ", after its turn was interrupted" if sent.get("interrupted") else ""
        return f"{sent['status']} {sent['id']} to {session}{interrupted}"
    return f"queued {sent['id']} for {session} (position {sent['queue_position']}, {when(sent['estimated_delivery'])})"


def outcome_line(message: dict[str, Any], goal: str) -> str:
    """Say that the message reached the awaited status, or what became of the message instead."""
    status, at = goal, message.get(GOALS[goal])
    if at is None or (message["status"] in ENDS and not _is_unfinished(message)):
        status, at = message["status"], _last_instant(message)
    why = f": {_last_detail(message)}" if status in ("interrupted", "failed") or _is_stranded(message) else ""
    return f"{status} {message['id']} to {message['session_name']} after {between(message['queued_at'], at)}{why}"


def _last_detail(message: dict[str, Any]) -> str:
    return str(message["receipts"][-1]["detail"]) if message["receipts"] else "its session is gone"


def _last_instant(message: dict[str, Any]) -> str:
    fields = ("ended_at", "held_since", "completed_at", "acknowledged_at", "delivered_at")
    return next((str(message[field]) for field in fields if message.get(field)), str(message["queued_at"]))


def _print_sent(sent: dict[str, Any], session: str, *, quiet: bool, is_json: bool) -> None:
    if is_json:
        print_json(sent)
    else:
        show(sent["id"] if quiet else sent_line(sent, session))
