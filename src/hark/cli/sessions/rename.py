"""hark rename: give a session another name."""

import click

from hark.cli.client import Client, segment
from hark.cli.parameters import json_option, session_argument
from hark.cli.text import print_json, show
from hark.model.ids import check_name


@click.command()
@session_argument
@click.argument("new_name", metavar="NEW")
@json_option
def command(session: str, new_name: str, is_json: bool) -> None:
    """Give the session NAME the name NEW. Its id and its queue stay.

    \b
    Example:
      hark rename backend api
    """
    renamed = Client().patch(f"/sessions/{segment(session)}", {"name": check_name(new_name)})
    if is_json:
        print_json(renamed)
    else:
        show(f"{renamed['name']} {renamed['id']}")
