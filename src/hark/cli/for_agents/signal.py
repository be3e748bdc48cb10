"""hark signal: announce a state, as the agent of this session."""

import click

from hark.cli.client import Client, segment
from hark.cli.parameters import json_option, own_session
from hark.cli.text import print_json, show

STATES = ("working", "completed", "needs_input", "needs_testing", "error")


@click.command()
@click.argument("state", metavar="STATE", type=click.Choice(STATES))
@click.argument("words", metavar="[TEXT]", nargs=-1)
@json_option
def command(state: str, words: tuple[str, ...], is_json: bool) -> None:
    """Announce STATE (working, completed, needs_input, needs_testing or error), with TEXT for whoever watches.

    For agents, inside a session.

    \b
    Example:
      hark signal needs_input "Which of the two databases?"
    """
    session = Client().post(f"/sessions/{segment(own_session())}/signal", {"state": state, "text": " ".join(words)})
    print_json(session) if is_json else show(f"signal {session['nudge_seq']} of {session['name']}: {state}")
