"""hark show: tell the story of a message, or of a session."""

from typing import Any

import click

from hark.cli.client import Client, segment
from hark.cli.messages.answers import print_answer
from hark.cli.parameters import json_option, message_argument
from hark.cli.text import between, clock, one_line, paint_status, print_json, show, table, terminal_columns
from hark.model.errors import HarkError

HEADINGS = ("AT", "AFTER", "STATUS", "BY", "WHAT HAPPENED")


@click.command()
@message_argument
@click.option("--answer", "is_answer", is_flag=True, help="Print only the agent's answer.")
@json_option
def command(message: str, is_answer: bool, is_json: bool) -> None:
    """Show the message ID: its text, every receipt with the times since it was queued, and the agent's answer. With the name
    of a session instead, show what is known of the session: why it is gone, whether hark starts it again, the draft that
    hark keeps of it, and its agent's last words.

    \b
    Example:
      hark show 4f1c
      hark show --answer 4f1c
      hark show backend
    """
    client = Client()
    try:
        found = client.get(f"/messages/{segment(message)}")
    except HarkError as failure:
        if failure.code != "message-not-found" or is_answer or not _show_session(client, message, is_json=is_json):
            raise
        return
    # A short name may also be the beginning of an id: then the session is meant.
    is_prefix = found["id"] != message
    if is_prefix and not is_answer and _show_session(client, message, is_json=is_json, by_name_only=True):
        return
    if is_json:
        print_json(found["answer"] if is_answer else found)
    elif is_answer:
        print_answer(found["answer"], found["id"])
    else:
        show(story(found, terminal_columns()))


def _show_session(client: Client, name: str, *, is_json: bool, by_name_only: bool = False) -> bool:
    """Show the session of this name, or of this id unless `by_name_only`. Return False if there is none."""
    from hark.cli.sessions.draft import find_draft
    from hark.cli.sessions.story import session_story

    try:
        session = client.get(f"/sessions/{segment(name)}")
    except HarkError as failure:
        if failure.code != "session-not-found" and not by_name_only:
            raise
        return False
    if by_name_only and session["name"] != name:
        return False
    if is_json:
        print_json(session)
        return True
    show(session_story(session, find_draft(client, session["id"])))
    return True


def story(message: dict[str, Any], columns: int | None = None) -> str:
    receipts = table(HEADINGS, _rows(message), columns=columns)
    return "\n".join([*_head(message), "", *_text(message["text"]), "", receipts, *_answer(message)])


def _answer(message: dict[str, Any]) -> list[str]:
    answer = message.get("answer")
    if not answer:
        return []
    if answer["source"] == "none":
        return ["", f"no answer: {one_line(answer['reason'])}"]
    beside = [one_line(answer["reason"])] if answer["reason"] else []
    beside += ["cut after 256 KiB"] if answer["is_cut"] else []
    return ["", ", ".join([f"answer (by {answer['source']})", *beside]), *_text(answer["text"])]


def _head(message: dict[str, Any]) -> list[str]:
    sender = f" from {one_line(message['sender'])}" if message["sender"] else ""
    held = f" ({message['reason']} since {clock(message['held_since'])})" if message["reason"] else ""
    lines = [
        f"message {message['id']} to {message['session_name']}{sender}",
        f"status  {paint_status(message['status'])}{held}",
        f"mode    {message['delivery_mode']}",
        f"queued  {clock(message['queued_at'])}",
    ]
    if message.get("in_reply_to"):
        lines.append(f"reply   to {message['in_reply_to']}")
    if message.get("attempts", 0) > 1:
        lines.append(f"tried   {message['attempts']} times")
    if message["timeout_at"]:
        lines.append(f"expires {clock(message['timeout_at'])}")
    return lines


def _text(text: str) -> list[str]:
    return [f"  {one_line(line)}".rstrip() for line in text.split("\n")]


def _rows(message: dict[str, Any]) -> list[tuple[str, ...]]:
    receipts = message["receipts"]
    return [
        (
            clock(receipt["at"])[11:],
            between(receipts[0]["at"], receipt["at"]),
            receipt["status"],
            _way(receipt),
            in_words(receipt, is_first=receipt is receipts[0]),
        )
        for receipt in receipts
    ]


WORDS = {
    "queued": "is ready to be delivered",
    "staged": "is in the input box, verified",
    "submitted": "left the input box",
    "acknowledged": "the agent has taken it",
    "completed": "is done",
    "interrupted": "was not finished: its turn was told to end",
    "failed": "was not finished",
    "expired": "was not delivered in time",
    "cancelled": "was taken back",
    "uncertain": "may or may not have arrived",
    "dead": "was given up",
}
REASONS = {
    "session-gone": "waits: its session is gone",
    "agent-not-running": "waits: no agent runs in the pane",
    "do-not-disturb": "waits: a human does not want to be disturbed",
    "copy-mode": "waits: a human scrolls back in tmux",
    "human-typing": "waits for a pause in a human's typing",
    "dialog": "waits: the agent asks its human something",
    "draft": "waits: a human's draft is in the input box",
    "busy": "waits until the agent can take it",
    "unreachable": "waits until the agent can be reached",
    "called-off": "waits for the next attempt",
    "loop": "waits: it looks like a loop between agents, and a human has to release it",
    "internal": "waits: something failed",
}
ELSEWHERE = {"native": "was handed to the agent's own API", "hook": "was given to the agent's hook", "inbox": "was fetched by the agent"}  # fmt: skip


def in_words(receipt: dict[str, Any], *, is_first: bool) -> str:
    """Tell a receipt in plain words, with its detail if it has one."""
    status, channel = receipt["status"], receipt["channel"]
    words = REASONS[receipt["reason"]] if receipt["reason"] else WORDS[status]
    if is_first:
        words = "was queued"
    elif status == "staged" and receipt.get("had_draft"):
        words += "; the draft that stood there is kept"
    elif status in ("staged", "submitted") and channel in ELSEWHERE:
        words = ELSEWHERE[channel]
    return f"{words} ({receipt['detail']})" if receipt["detail"] else words


def _way(receipt: dict[str, Any]) -> str:
    """Return the channel, with the carrier if it may have carried a draft, and `notice` if the agent received only a notice."""
    carrier = None if receipt.get("had_draft") is False else receipt.get("carrier")
    authority = receipt.get("authority")
    beside = [word for word in (carrier, authority) if word not in (None, "none", "user")]
    return (receipt["channel"] or "-") + (f" ({', '.join(beside)})" if beside else "")
