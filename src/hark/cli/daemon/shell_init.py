"""hark shell-init: print shell functions that start agents behind an airlock when a human calls them by their own names."""

import click

from hark.cli.text import show
from hark.kind_files import offered_agents, programs

_POSIX = '{name}() {{ command hark run -- {name} "$@"; }}'
_FISH = "function {name}; command hark run -- {name} $argv; end"


@click.command("shell-init")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print shell functions that start each known agent through `hark run`.

    \b
    Example:
      eval "$(hark shell-init bash)"          # in ~/.bashrc
      hark shell-init fish | source           # in config.fish
    """
    form = _FISH if shell == "fish" else _POSIX
    for agent in offered_agents():
        for name in programs(agent):
            show(form.format(name=name))
