"""What the folder of an agent says about its installation: where its settings are, how hooks stand in them, and how it gets hooks for one
run. `hark.installing` does the rest, which is the same for all agents."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

HookGroups = dict[str, list[dict[str, Any]]]
"""Our hooks as they stand in settings: by event, groups of handlers."""


class Place(Struct, frozen=True):
    """The place of a file of an agent's."""

    variable: str
    """The environment variable that names another directory, if the user has set it; empty if there is none."""
    default: str
    """The default directory, below the home directory."""
    file: str
    levels: int = 1
    """How many levels the file is below the agent's own directory; if that directory exists, the agent was used."""


class OffSwitch(Struct, frozen=True):
    """The setting by which a user switches all hooks off."""

    path: tuple[str, ...]
    value: bool
    """The value that switches the hooks off."""


class HookEntries(Struct, frozen=True, kw_only=True):
    """How our hooks stand in an agent's settings: `hooks` → event → groups → `hooks` → handlers with a `command`."""

    timeout: int
    """How long a hook may take, in the agent's own unit."""
    timeouts: Mapping[str, int] = {}
    """How long the hooks of single events may take, where that differs."""
    fields: Mapping[str, str] = {}
    """Fields that a handler has beside its type, command and timeout; they stand before them."""
    left_out: frozenset[str] = frozenset()
    """Events that hark understands, and does not subscribe to."""
    beside: frozenset[str] = frozenset()
    """Events whose hooks run beside the agent, which does not wait for them."""
    waiter: Mapping[str, Any] | None = None
    """The fields of a handler that stays beside an idle agent until there is a message, and then wakes the agent with it; None if the
    agent cannot be woken so."""
    waits_from: tuple[str, ...] = ()
    """The events at which a waiter begins to wait. A waiter that finds another one waiting ends at once."""
    off_switch: OffSwitch | None = None


class Call(Struct, frozen=True, kw_only=True):
    """A command that starts an agent, cut behind the agent's own program."""

    program: tuple[str, ...]
    arguments: tuple[str, ...]
    environment: Mapping[str, str]
    """The environment that the agent will run in."""
    file: Path
    """The place for a file of hark's."""

    @property
    def command(self) -> tuple[str, ...]:
        return (*self.program, *self.arguments)

    def with_options(self, *options: str) -> tuple[str, ...]:
        """Return the command with more options, right behind the program."""
        return (*self.program, *options, *self.arguments)


class Injection(Struct, frozen=True):
    command: tuple[str, ...]
    environment: dict[str, str] = {}
    """Variables that are added to the agent's environment."""
    files: dict[Path, str] = {}
    """Files that are written before the agent starts, with their texts."""


class InstalledHook(Struct, frozen=True, kw_only=True):
    """A hook of ours in an agent's settings."""

    event: str
    group: int
    """The number of its group among the groups of the event."""
    place: int
    """Its number in the group."""
    handler: dict[str, Any]


def settings_text(groups: HookGroups) -> str:
    """Return the text of a settings file that holds these hooks and nothing else."""
    return json.dumps({"hooks": groups}, ensure_ascii=False, indent=2) + "\n"
