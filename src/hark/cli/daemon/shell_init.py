"""hark shell-init: print shell functions that start agents behind an airlock when a human calls them by their own names."""

import click

from hark.cli.text import show

AGENTS = ("claude", "codex", "gemini", "opencode", "amp", "aider", "copilot", "qwen")

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
    for name in AGENTS:
        show(form.format(name=name))
