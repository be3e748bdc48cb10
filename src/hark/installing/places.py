"""The places of the settings files into which our hooks go, for each agent."""

import os
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

BACKUP = ".hark-backup"


class Place(Struct, frozen=True):
    variable: str
    """The environment variable that names another directory, if the user has set it."""
    default: str
    """The default directory, below the home directory."""
    file: str


PLACES = {
    "claude": Place("CLAUDE_CONFIG_DIR", ".claude", "settings.json"),
    "codex": Place("CODEX_HOME", ".codex", "hooks.json"),
    "gemini": Place("GEMINI_CLI_HOME", "", ".gemini/settings.json"),
    # OPENCODE_CONFIG_DIR does not count here: OpenCode reads that directory beside this one.
    "opencode": Place("XDG_CONFIG_HOME", ".config", "opencode/plugin/hark.js"),
}


def settings_path(agent: str, environment: Mapping[str, str]) -> Path:
    place = PLACES[agent]
    if moved := environment.get(place.variable):
        return Path(os.path.abspath(moved)) / place.file
    return home(environment) / place.default / place.file


def own_directory(agent: str, environment: Mapping[str, str]) -> Path:
    """Return the agent's own directory; if it exists, the agent was used."""
    path = settings_path(agent, environment)
    return path.parent.parent if agent == "opencode" else path.parent


def backup_path(path: Path) -> Path:
    """Return the path of the copy. It is beside the path that the agent reads, even if that path is a link to somewhere else."""
    return path.with_name(path.name + BACKUP)


def home(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("HOME") or Path.home())
