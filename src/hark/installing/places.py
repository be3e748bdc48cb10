"""The places of agents' own files: settings, into which our hooks go, and instructions."""

import os
from collections.abc import Mapping
from pathlib import Path

from hark.agents.installation import Place
from hark.agents.registry import agent_names, find_agent

BACKUP = ".hark-backup"


def agents_with_settings() -> list[str]:
    """Return the agents into whose settings our hooks can be installed."""
    return [name for name in agent_names() if find_agent(name).settings]


def agents_with_instructions() -> list[str]:
    """Return the agents that read a file of instructions, which can teach them to signal."""
    return [name for name in agent_names() if find_agent(name).instructions]


def settings_path(agent: str, environment: Mapping[str, str]) -> Path:
    return _path(agent, find_agent(agent).settings, environment)


def instructions_path(agent: str, environment: Mapping[str, str]) -> Path:
    return _path(agent, find_agent(agent).instructions, environment)


def own_directory(agent: str, environment: Mapping[str, str]) -> Path:
    """Return the agent's own directory; if it exists, the agent was used."""
    place = find_agent(agent).settings
    return _path(agent, place, environment).parents[place.levels - 1 if place else 0]


def backup_path(path: Path) -> Path:
    """Return the path of the copy. It is beside the path that the agent reads, even if that path is a link to somewhere else."""
    return path.with_name(path.name + BACKUP)


def _path(agent: str, place: Place | None, environment: Mapping[str, str]) -> Path:
    if place is None:
        raise ValueError(f"{agent} has no such file")
    if moved := environment.get(place.variable):
        return Path(os.path.abspath(moved)) / place.file
    return Path(environment.get("HOME") or Path.home()) / place.default / place.file
