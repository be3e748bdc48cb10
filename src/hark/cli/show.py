"""hark show: the story of a message."""

from typing import Any

import click

from hark.cli.client import Client, segment
from hark.cli.parameters import json_option, message_argument
from hark.cli.text import between, clock, one_line, paint_status, print_json, table, terminal_columns

HEADINGS = ("AFTER", "STATUS", "WHY", "BY", "DETAIL")


@click.command()
@message_argument
@json_option
def command(message: str, is_json: bool) -> None:
    """Tell the story of the message ID: its text and every receipt, with times since it was queued.

    \b
    Example:
      hark show 4f1c
    """
    found = Client().get(f"/messages/{segment(message)}")
    if is_json:
        print_json(found)
    else:
        click.echo(story(found, terminal_columns()))


def story(message: dict[str, Any], columns: int | None = None) -> str:
    return "\n".join(
        [*_head(message), "", *_text(message["text"]), "", table(HEADINGS, _rows(message), columns=columns)]
    )


def _head(message: dict[str, Any]) -> list[str]:
    sender = f" from {one_line(message['sender'])}" if message["sender"] else ""
    held = f" ({message['reason']} since {clock(message['held_since'])})" if message["reason"] else ""
    lines = [
        f"message {message['id']} to {message['session_name']}{sender}",
        f"status  {paint_status(message['status'])}{held}",
        f"mode    {message['delivery_mode']}",
        f"queued  {clock(message['queued_at'])}",
    ]
    if message["timeout_at"]:
        lines.append(f"expires {clock(message['timeout_at'])}")
    return lines


def _text(text: str) -> list[str]:
    return [f"  {one_line(line)}".rstrip() for line in text.split("\n")]


def _rows(message: dict[str, Any]) -> list[tuple[str, ...]]:
    receipts = message["receipts"]
    return [
        (
            between(receipts[0]["at"], receipt["at"]),
            receipt["status"],
            receipt["reason"] or "-",
            _way(receipt),
            receipt["detail"],
        )
        for receipt in receipts
    ]


def _way(receipt: dict[str, Any]) -> str:
    """The channel, how it carried a draft, and whether the agent was only told in passing."""
    carrier, authority = receipt.get("carrier"), receipt.get("authority")
    beside = [word for word in (carrier, authority) if word not in (None, "none", "user")]
    return (receipt["channel"] or "-") + (f" ({', '.join(beside)})" if beside else "")
