"""hark version: print the version of hark."""

import sys

import click

from hark import __version__
from hark.cli.parameters import json_option
from hark.cli.text import print_json, show


@click.command()
@json_option
def command(is_json: bool) -> None:
    """Print the version of hark and of the Python it runs on.

    \b
    Example:
      hark version --json
    """
    python = ".".join(str(part) for part in sys.version_info[:3])
    if is_json:
        print_json({"version": __version__, "python": python, "executable": sys.executable})
    else:
        show(f"hark {__version__} (Python {python})")
