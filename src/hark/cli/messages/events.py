"""hark events: print what happens, from the daemon's record of events."""

import json
from collections.abc import Iterator
from typing import Any

import click

from hark.cli.client import ANSWER_S, Client, ConnectionDropped
from hark.cli.parameters import json_option
from hark.cli.text import clock, key_values, print_json_line, show
from hark.model.errors import HarkError

PAGE = 500


@click.command()
@click.option("-f", "--follow", is_flag=True, help="Go on printing events as they happen.")
@click.option("--after", metavar="SEQ", type=click.IntRange(min=0), help="Start after the event with this number.")
@click.option(
    "-n",
    "--last",
    default=50,
    show_default=True,
    type=click.IntRange(min=0),
    help="Without --after: number of past events to print.",
)
@json_option
def command(follow: bool, after: int | None, last: int, is_json: bool) -> None:
    """Print events in order; with --json, print one object per line.

    The number in front of an event is its place in the record. Give the last number you saw to --after, and you miss no
    event.

    \b
    Example:
      hark events -f
      hark events --after 1200 --json
    """
    client = Client()
    start = after if after is not None else max(0, client.get("/healthz")["last_event_seq"] - last)
    for event in followed(client, start) if follow else recorded(client, start):
        if is_json:
            print_json_line(event)
        else:
            show(event_line(event))


def recorded(client: Client, after: int) -> Iterator[dict[str, Any]]:
    while page := client.get(f"/events?after={after}&limit={PAGE}")["events"]:
        yield from page
        after = page[-1]["seq"]


def followed(client: Client, after: int) -> Iterator[dict[str, Any]]:
    """Yield every event after the one with the number `after`, as it happens."""
    return (event for event in followed_with_ticks(client, after, None) if event)


def followed_with_ticks(client: Client, after: int, tick_s: float | None) -> Iterator[dict[str, Any] | None]:
    """Yield every event as it happens, and None whenever no event has come for `tick_s` seconds."""
    from websockets.exceptions import ConnectionClosed, ConnectionClosedOK, InvalidHandshake
    from websockets.sync.client import unix_connect

    connection = client.connect()
    connection.settimeout(None)
    try:
        uri = f"ws://localhost/events?after={after}"
        with unix_connect(sock=connection, uri=uri, open_timeout=ANSWER_S, compression=None) as channel:
            while True:
                try:
                    yield json.loads(channel.recv(tick_s))
                except TimeoutError:
                    yield None
    except ConnectionClosedOK as error:
        raise HarkError("daemon-unreachable", "the daemon has stopped", "`hark daemon start` starts it") from error
    except (ConnectionClosed, InvalidHandshake) as error:
        raise ConnectionDropped from error
    finally:
        connection.close()


def event_line(event: dict[str, Any]) -> str:
    known = {"session": event["session_id"], "message": event["message_id"], **event["data"]}
    told = {name: value for name, value in known.items() if value not in (None, "")}
    return f"{event['seq']} {clock(event['at'])} {event['kind']} {key_values(told)}".rstrip()
