"""hark remind: a message to this session, later."""

import click

from hark.cli.client import Client
from hark.cli.parameters import complete_session, json_option, own_session, seconds
from hark.cli.send import message_text
from hark.cli.text import clock, print_json


@click.command()
@click.argument("after_s", metavar="DURATION", callback=seconds)
@click.argument("words", metavar="TEXT", nargs=-1, required=True)
@click.option("--to", "session", metavar="NAME", shell_complete=complete_session, help="Remind another session. [default: $HARK_SESSION]")  # fmt: skip
@json_option
def command(after_s: float, words: tuple[str, ...], session: str | None, is_json: bool) -> None:
    """Send TEXT to this session after DURATION, once. It survives a restart of the daemon.

    \b
    Example:
      hark remind 5m "look whether the build is green"
    """
    text = message_text(words)
    body = {"session_id": session or own_session(), "delay_seconds": after_s, "message": text}
    made = Client().post("/scheduler/remind", body)
    print_json(made) if is_json else click.echo(f"reminder {made['id']} at {clock(made['fire_at'])}")
