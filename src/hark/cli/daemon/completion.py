"""hark completion: print the script that lets a shell complete commands, options, session names and message ids."""

import click
from click.shell_completion import get_completion_class

from hark.cli.text import show

PROGRAMS = ("hark", "sm")


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script for SHELL, for `hark` and for `sm`.

    \b
    Example:
      eval "$(hark completion bash)"
      hark completion fish > ~/.config/fish/completions/hark.fish
    """
    for program in PROGRAMS:
        show(script(ctx.find_root().command, shell, program))


def script(root: click.Command, shell: str, program: str) -> str:
    found = get_completion_class(shell)
    if found is None:
        raise click.UsageError(f"click cannot complete in {shell}")
    return found(root, {}, program, f"_{program.upper()}_COMPLETE").source()
