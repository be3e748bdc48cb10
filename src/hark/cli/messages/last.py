"""hark last: print the last answer of a session's agent."""

import click

from hark.cli.client import Client, segment
from hark.cli.messages.answers import print_answer
from hark.cli.parameters import json_option, session_argument
from hark.cli.text import print_json


@click.command()
@session_argument
@json_option
def command(session: str, is_json: bool) -> None:
    """Print what the agent of the session NAME answered to the last message that it has completed.

    \b
    Example:
      hark last reviewer
    """
    found = Client().get(f"/sessions/{segment(session)}/last-answer")
    if is_json:
        print_json(found)
    else:
        print_answer(found["answer"], found["message_id"])
