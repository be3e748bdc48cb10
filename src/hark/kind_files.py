"""The data files of agents as plain tables, one in each folder of `agents/`. Stdlib only: commands, and programs that run inside agents,
read a word or two from them and start sooner than with `hark.agents.kinds`, which reads and checks everything."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).with_name("agents")
DATA_FILE = "kind.toml"
"""The name of the data file in the folder of each agent."""


@cache
def data_files() -> tuple[Path, ...]:
    """Return the paths of all data files, in the order of their agents' names."""
    return tuple(sorted(FOLDER.glob(f"*/{DATA_FILE}")))


@cache
def kind_tables() -> dict[str, dict[str, Any]]:
    """Return the data of all agents, by name: first the agents that hark offers, in the order of preference, then the others."""
    tables = [tomllib.loads(path.read_text(encoding="utf-8")) for path in data_files()]
    in_order = sorted(tables, key=lambda table: (table.get("preference", len(tables) + 1), table["name"]))
    return {table["name"]: table for table in in_order}


def offered_agents() -> list[str]:
    """Return the names of the agents that hark offers to start and to install hooks into, the preferred ones first."""
    return [name for name, table in kind_tables().items() if "preference" in table]


def programs(name: str) -> tuple[str, ...]:
    """Return the names of the programs that are this agent."""
    return tuple(kind_tables().get(name, {}).get("commands", ()))


def packages(name: str) -> tuple[str, ...]:
    """Return the words in a path by which this agent is known when an interpreter runs it."""
    return tuple(kind_tables().get(name, {}).get("packages", ()))


def plain_commands(name: str) -> frozenset[str]:
    """Return the subcommands of this agent that open no session."""
    return frozenset(kind_tables().get(name, {}).get("plain", {}).get("commands", ()))


def own_variables() -> frozenset[str]:
    """Return the variables by which agents tell their child processes about themselves."""
    return frozenset(variable for table in kind_tables().values() for variable in table.get("own_variables", ()))
