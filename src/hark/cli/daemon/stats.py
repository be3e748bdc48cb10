"""hark stats: print the numbers of the daemon."""

from typing import Any

import click

from hark.cli.client import Client
from hark.cli.parameters import json_option
from hark.cli.text import print_json, show, table, terminal_columns
from hark.model.text.duration import format_duration


@click.command()
@json_option
def command(is_json: bool) -> None:
    """Print what hark has delivered and by which way, and what it has held and for how long, since the daemon started.

    \b
    Example:
      hark stats
    """
    found = Client().get("/stats")
    print_json(found) if is_json else show("\n".join(lines(found, terminal_columns())))


def lines(stats: dict[str, Any], columns: int | None = None) -> list[str]:
    waiting = sum(stats["messages"].get(status, 0) for status in ("queued", "held", "staged"))
    told = [f"{stats['sessions']} sessions, {waiting} messages waiting, {sum(stats['messages'].values())} kept"]
    latency = stats["latency"]
    if latency["count"]:
        told.append(
            f"{latency['count']} delivered since the daemon started; from queued to submitted: mean "
            f"{_duration(latency['mean_s'])}, half within {_duration(latency['p50_s'])}, 95 % within {_duration(latency['p95_s'])}"
        )
    if stats["deliveries"]:
        rows = [(one["channel"], one["carrier"], str(one["count"])) for one in stats["deliveries"]]
        told += ["", table(("CHANNEL", "CARRIER", "DELIVERED"), rows, columns=columns)]
    if stats["holds"]:
        rows = [(one["reason"], str(one["count"]), _duration(one["seconds"])) for one in stats["holds"]]
        told += ["", table(("HELD FOR", "TIMES", "FOR"), rows, columns=columns)]
    for heading, counts in (("OUTCOME", "outcomes"), ("HOOK", "hooks"), ("SIGNAL", "signals")):
        if stats[counts]:
            pairs = [(name, str(count)) for name, count in stats[counts].items()]
            told += ["", table((heading, "COUNT"), pairs, columns=columns)]
    return told


def _duration(seconds: float | None) -> str:
    return "longer" if seconds is None else format_duration(seconds) or "0s"
