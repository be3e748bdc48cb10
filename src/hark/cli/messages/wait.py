"""hark wait: wait until agents are idle, or until something else that the user chooses."""

from time import monotonic
from typing import Any
from urllib.parse import urlencode

import click

from hark.cli.client import Client
from hark.cli.for_agents.signal import STATES
from hark.cli.parameters import complete_session, json_option, seconds
from hark.cli.text import print_json, say
from hark.model.errors import HarkError

SIGNALS = tuple(f"signal:{state}" for state in STATES)
GOALS = ("idle", "busy", "waiting", "completed", "working", "needs_input", "needs_testing", "error", *SIGNALS)
MEANINGS = {"completed": "completed (every message that was sent)"}
LONGEST_POLL_S = 30.0


@click.command()
@click.argument("names", metavar="NAME...", nargs=-1, required=True, shell_complete=complete_session)
@click.option(
    "--for",
    "goal",
    type=click.Choice(GOALS),
    metavar="GOAL",
    default="idle",
    show_default=True,
    help="What to wait for: idle, busy, waiting, completed (all messages), or signal:STATE.",
)
@click.option(
    "--timeout", "timeout_s", callback=seconds, default="5m", show_default=True, help="Give up after this time."
)
@click.option("--any", "is_any", is_flag=True, help="Wait until one of the agents has reached the goal.")
@click.option("--all", "is_all", is_flag=True, help="Wait until all agents have reached the goal; this is the default.")
@json_option
def command(names: tuple[str, ...], goal: str, timeout_s: float, is_any: bool, is_all: bool, is_json: bool) -> None:
    """Wait until the agents NAME reach a goal. Exit code 5 means that the --timeout ran out.

    An agent is idle when its turn has ended and nothing is on its way to it; the moment between two turns does not
    count.

    signal:STATE is what the agent announces from now on: signal:working, signal:completed, signal:needs_input,
    signal:needs_testing or signal:error. Without `signal:` the state means the same, except for completed: that means
    that every message that was sent to the agent has completed, whatever it announces.

    \b
    Example:
      hark wait reviewer
      hark wait crew/a crew/b --any --for waiting --timeout 10m
      hark wait reviewer --for signal:completed
    """
    if is_any and is_all:
        raise click.UsageError("--any and --all exclude each other")
    found = wait_for(Client(), names, goal, timeout_s, is_any=is_any)
    if is_json:
        print_json(found)
    else:
        say(f"{MEANINGS.get(goal, goal)}: {', '.join(session['name'] for session in found['sessions'])}")


def wait_for(client: Client, names: tuple[str, ...], goal: str, timeout_s: float, *, is_any: bool) -> dict[str, Any]:
    """Return the sessions that have reached the goal; raise `wait-timeout` when the time is over.

    The daemon waits at most LONGEST_POLL_S for each request, so repeat the request until then. A signal between two requests is not missed:
    every request counts signals from the event with which the wait began."""
    deadline, after = monotonic() + timeout_s, client.get("/healthz")["last_event_seq"]
    while True:
        slice_s = min(LONGEST_POLL_S, max(0.0, deadline - monotonic()))
        asked = {"sessions": ",".join(names), "for": goal, "any": int(is_any), "after": after, "wait_seconds": slice_s}
        try:
            return dict(client.get(f"/wait?{urlencode(asked)}", answer_s=slice_s + 10))
        except HarkError as error:
            if error.code != "wait-timeout" or monotonic() >= deadline:
                raise
