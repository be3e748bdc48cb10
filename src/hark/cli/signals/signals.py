"""hark signals: print what agents have announced."""

from typing import Any
from urllib.parse import quote

import click

from hark.cli.client import Client
from hark.cli.messages.events import followed
from hark.cli.parameters import json_option
from hark.cli.text import clock, print_json, print_json_line, say, show, table, terminal_columns

HEADINGS = ("WHEN", "SESSION", "NUMBER", "STATE", "BY", "TEXT")


@click.command()
@click.argument("name", metavar="[NAME]", required=False)
@click.option("-f", "--follow", is_flag=True, help="Go on printing signals as they come.")
@click.option(
    "-n", "--last", default=20, show_default=True, type=click.IntRange(min=1), help="Number of past signals to print."
)
@json_option
def command(name: str | None, follow: bool, last: int, is_json: bool) -> None:
    """Print what the agents of all sessions, or of NAME, have announced: working, completed, needs_input, needs_testing
    or error.

    BY says how hark heard the signal: command, record, terminal, hook, or inferred, which is a model's guess.

    \b
    Example:
      hark signals
      hark signals backend -f
    """
    client = Client()
    wanted = f"&session={quote(name, safe='')}" if name else ""
    found = client.get(f"/signals?limit={last}{wanted}")
    names = {one["id"]: one["name"] for one in client.get("/sessions?all=1")["sessions"]}
    if is_json and not follow:
        print_json(found)
        return
    _print_all(found["events"], names, is_json=is_json, is_followed=follow)
    if follow:
        known = max((event["seq"] for event in found["events"]), default=0)
        _follow(client, name, names, max(known, found["last_seq"]), is_json=is_json)


def _print_all(
    events: list[dict[str, Any]], names: dict[str, str], *, is_json: bool, is_followed: bool = False
) -> None:
    if is_json:
        for event in events:
            print_json_line(event)
    elif events:
        show(table(HEADINGS, [signal_row(event, names) for event in events], columns=terminal_columns()))
    elif not is_followed:
        say("no agent has announced anything")


def _follow(client: Client, name: str | None, names: dict[str, str], after: int, *, is_json: bool) -> None:
    only = client.get(f"/sessions/{quote(name, safe='')}")["id"] if name else None
    for event in followed(client, after):
        if event["kind"] == "session.created":
            names[event["session_id"]] = event["data"]["name"]
        if event["kind"] != "signal" or (only and event["session_id"] != only):
            continue
        if is_json:
            print_json_line(event)
        else:
            show("  ".join(signal_row(event, names)))


def signal_row(event: dict[str, Any], names: dict[str, str]) -> tuple[str, ...]:
    data = event["data"]
    name = names.get(event["session_id"], event["session_id"])
    return (clock(event["at"]), name, str(data["nudge_seq"]), data["state"], data.get("source", ""), data["text"])
