"""hark uninstall: take hark's hooks out of the settings of agents."""

import os
from typing import TYPE_CHECKING

import click

from hark.cli.agents.install import agent_argument, dry_run_option, report, tell
from hark.cli.parameters import json_option

if TYPE_CHECKING:
    from hark.installing.change import Change


@click.command()
@agent_argument
@dry_run_option
@json_option
def command(agent: str, dry_run: bool, is_json: bool) -> None:
    """Take hark's hooks, and the lines that teach signals, out of the settings of AGENT (claude, codex, gemini,
    opencode, qwen, copilot, amp, or all).

    hark restores a file that was not changed since `hark install`. From any other file it removes only its own entries.

    \b
    Example:
      hark uninstall all --dry-run
    """
    from hark.installing.change import apply, removal
    from hark.installing.instructions import unteaching
    from hark.installing.places import agents_with_instructions, agents_with_settings

    agents = [one for one in agents_with_settings() if agent in (one, "all")]
    changes = [removal(one, os.environ) for one in agents]
    taught = (unteaching(one, os.environ) for one in agents_with_instructions() if agent in (one, "all"))
    changes += [change for change in taught if change.is_change]
    for change in changes:
        if not dry_run:
            apply(change)
    reports = [report(change, _words(change), "removed") for change in changes]
    tell(agent, reports, changes, dry_run=dry_run, is_json=is_json)


def _words(change: "Change") -> list[str]:
    if not (change.is_change and change.backup.exists()):
        return []
    return [f"{change.path} was changed since then; the copy from before hark's hooks stays: {change.backup}"]
