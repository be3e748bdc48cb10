"""hark status-line: print how many sessions need a human. Without options `hark.start` runs `hark.inside.status_line` instead."""

import click

from hark.cli.client import Client
from hark.cli.parameters import json_option
from hark.cli.text import print_json, show
from hark.model.errors import HarkError

NOTHING = {"needs": [], "working": 0, "segment": ""}


@click.command()
@json_option
def command(is_json: bool) -> None:
    """Print how many sessions need you and how many work, such as "2 need you · 5 working", for the status line of tmux or
    for a prompt. Print nothing if there is nothing to say, or if no daemon runs. This command never starts the daemon.

    \b
    Example:
      hark status-line
      tmux set -g status-interval 1
      tmux set -g status-right '#(hark status-line)'
    """
    try:
        found = Client(starts_daemon=False).get("/needs")
    except HarkError as failure:
        if failure.code != "daemon-unreachable":
            raise
        found = NOTHING
    if is_json:
        print_json(found)
    elif found["segment"]:
        show(found["segment"])
