"""Finds the folders of agents: each folder beside this file that has a data file. The code of a folder is loaded when somebody asks for
that agent."""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from hark.agents.protocol import Agent

DATA_FILE = "kind.toml"
"""The name of the data file in the folder of each agent."""
CODE = "agent"
"""The module in the folder of an agent that holds its `AGENT`."""


class DataOnly(Agent):
    """An agent of which hark has a data file and nothing else."""


@cache
def agent_names() -> tuple[str, ...]:
    """Return the names of all agents that have a folder."""
    return tuple(sorted(file.parent.name for file in Path(__file__).parent.glob(f"*/{DATA_FILE}")))


def find_agent(name: str) -> Agent:
    """Return what the folder of an agent offers: the defaults if the agent has no code or no folder, as a user's own kind has none."""
    return _load(name) if name in agent_names() else _DATA_ONLY


def agents_with_hooks() -> list[str]:
    return [name for name in agent_names() if find_agent(name).events]


def data_files() -> list[Path]:
    return [Path(__file__).parent / name / DATA_FILE for name in agent_names()]


@cache
def _load(name: str) -> Agent:
    module = f"{__package__}.{name}.{CODE}"
    if find_spec(module) is None:
        return _DATA_ONLY
    agent: Agent = import_module(module).AGENT
    return agent


_DATA_ONLY = DataOnly()
