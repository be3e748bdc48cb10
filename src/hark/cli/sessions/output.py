"""hark output: print what a session shows."""

import click

from hark.cli.client import Client, segment
from hark.cli.parameters import json_option, session_argument
from hark.cli.signals.plain_output import Words
from hark.cli.text import print_json, show, show_bytes


@click.command()
@session_argument
@click.option(
    "-n", "--lines", default=50, show_default=True, type=click.IntRange(min=1), help="Number of lines to print."
)
@click.option("-f", "--follow", is_flag=True, help="Go on printing what the terminal prints.")
@click.option(
    "--raw",
    is_flag=True,
    help="With -f: print every byte unchanged. Only for files: in a terminal the bytes can do anything.",
)
@json_option
def command(session: str, lines: int, follow: bool, raw: bool, is_json: bool) -> None:
    """Print the last lines of the session NAME as its terminal shows them, with wrapped lines joined.

    With -f, go on printing the text of everything that the terminal prints, without colours and other control
    sequences.

    \b
    Example:
      hark output backend -n 100
      hark output backend -f
    """
    if follow and is_json:
        raise click.UsageError("--follow and --json exclude each other, because --follow never ends")
    if raw and not follow:
        raise click.UsageError("--raw needs --follow")
    client, path = Client(), f"/sessions/{segment(session)}/output"
    # The stream is opened first: what is printed between the two requests comes twice rather than never.
    pieces = client.stream(f"{path}/stream") if follow else iter(())
    shown = client.get(f"{path}?lines={lines}")
    if is_json:
        print_json(shown)
        return
    for line in shown["lines"]:
        show(line)
    words = Words()
    for piece in pieces:
        show_bytes(piece) if raw else show(words.of(piece), nl=False)
