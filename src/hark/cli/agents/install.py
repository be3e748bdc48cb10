"""hark install: put hark's hooks into the settings of agents, so that agents report when they take a prompt and end a turn."""

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hark.cli.parameters import json_option
from hark.cli.text import print_json, say, show
from hark.kind_files import offered_agents
from hark.model.errors import HarkError

if TYPE_CHECKING:
    from hark.installing.change import Change

agent_argument = click.argument("agent", metavar="AGENT", type=click.Choice([*offered_agents(), "all"]))
dry_run_option = click.option("--dry-run", is_flag=True, help="Show the difference; change nothing.")


@click.command()
@agent_argument
@dry_run_option
@click.option("--signals", is_flag=True, help="Also teach the agent to signal, in its own instruction file.")
@json_option
def command(agent: str, dry_run: bool, signals: bool, is_json: bool) -> None:
    """Put hark's hooks into the settings of AGENT: claude, codex, gemini, opencode, or all agents on this machine.

    With --signals, also teach the agent to signal, by a few marked lines in its instruction file. This works for qwen,
    copilot and amp too, which have no hooks.

    Agents that hark starts get their hooks without this command, where the agent allows it. This command is for agents
    that you start yourself.

    \b
    Example:
      hark install claude --dry-run
      hark install all --signals
    """
    from hark.installing.change import apply, installation
    from hark.installing.instructions import teaching
    from hark.installing.places import agents_with_instructions

    _check_agent(agent, has_signals=signals)
    program = hook_program()
    changes = [installation(one, os.environ, program) for one in wanted_agents(agent)]
    if signals:
        here = (one for one in agents_with_instructions() if shutil.which(one) or one in wanted_agents(agent))
        changes += [teaching(one, os.environ) for one in ([agent] if agent != "all" else here)]
    for change in changes:
        if not dry_run:
            apply(change)
    tell(agent, [report(change, _words(change)) for change in changes], changes, dry_run=dry_run, is_json=is_json)


def wanted_agents(agent: str) -> list[str]:
    """Return the agents whose hooks to install; `all` means every agent whose program or settings are on this machine."""
    from hark.installing.places import agents_with_settings, own_directory

    if agent != "all":
        return [agent] if agent in agents_with_settings() else []
    return [one for one in agents_with_settings() if shutil.which(one) or own_directory(one, os.environ).is_dir()]


def _check_agent(agent: str, *, has_signals: bool) -> None:
    from hark.installing.places import agents_with_instructions, agents_with_settings

    if agent == "all" or agent in agents_with_settings():
        return
    if agent not in agents_with_instructions():
        hint = f"`hark new --signals -- {agent}` tells it by a first message"
        raise HarkError("not-available", f"{agent} has neither hooks nor an instruction file of its own", hint)
    if not has_signals:
        hint = f"`hark install {agent} --signals` teaches it to signal"
        raise HarkError("not-available", f"{agent} has no hooks that hark knows", hint)


def hook_program() -> str:
    program = Path(sys.executable).parent / "hark-hook"
    if not os.access(program, os.X_OK):
        raise HarkError("not-available", f"there is no program {program}", "install hark again, with its programs")
    return str(program)


def tell(agent: str, reports: list[dict[str, Any]], changes: list["Change"], *, dry_run: bool, is_json: bool) -> None:
    from hark.installing.change import diff

    if is_json:
        print_json({"changes": reports, "notes": [], "is_dry_run": dry_run})
        return
    if dry_run:
        show("".join(diff(change) for change in changes), nl=False)
    else:
        for one in reports:
            show(f"{one['agent']:<8} {one['action']:<10} {one['path']}")
    for note in [note for one in reports for note in one["notes"]]:
        say(note)
    if agent == "all" and not changes:
        say("no agent with hooks is on this machine")


def report(change: "Change", notes: list[str], done: str = "installed") -> dict[str, Any]:
    has_copy = change.backup.exists()
    return {
        "agent": change.agent,
        "path": str(change.path),
        "action": done if change.is_change else "unchanged",
        "backup": str(change.backup) if has_copy else None,
        "notes": notes,
    }


def _words(change: "Change") -> list[str]:
    off = f"hooks are switched off in {change.path} ({change.switched_off}); hark's hooks run when you switch them on"
    notes = [change.note] if change.note else []
    return notes + ([off] if change.switched_off else [])
