"""hark down: end the sessions of a team."""

from typing import Any

import click

from hark.cli.client import Client, segment
from hark.cli.parameters import json_option
from hark.cli.sessions.kill import ended_line
from hark.cli.starting_agents.crew_file import load_crew
from hark.cli.text import print_json, say, show


@click.command()
@click.argument("file", metavar="FILE", type=click.Path())
@json_option
def command(file: str, is_json: bool) -> None:
    """End the sessions that the crew file FILE names, the last one first. Sessions that do not run are no failure.

    Messages that wait for a session stay in its queue: `hark up FILE` starts the sessions again and delivers them.

    \b
    Example:
      hark down crew.toml
    """
    client = Client()
    names = [member.name for member in load_crew(file)]
    running = {session["name"]: session for session in client.get("/sessions")["sessions"]}
    ended: list[dict[str, Any]] = []
    for name in reversed([name for name in names if name in running]):
        ended.append(client.delete(f"/sessions/{segment(running[name]['id'])}"))
        if not is_json:
            show(ended_line(ended[-1]))
    if is_json:
        print_json({"sessions": ended})
    elif not ended:
        say("no session of the crew runs")
