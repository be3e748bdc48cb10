"""Finds the folders of agents: each folder beside this file that has a data file. The code of a folder is loaded when somebody asks for
that agent."""

from functools import cache
from importlib import import_module
from importlib.util import find_spec

from hark.agents.protocol import Agent
from hark.kind_files import kind_tables

CODE = "agent"
"""The module in the folder of an agent that holds its `AGENT`."""


class DataOnly(Agent):
    """An agent of which hark has a data file and nothing else."""


@cache
def agent_names() -> tuple[str, ...]:
    """Return the names of all agents that have a folder, those first that hark prefers."""
    return tuple(kind_tables())


def find_agent(name: str) -> Agent:
    """Return what the folder of an agent offers: the defaults if the agent has no code or no folder, as a user's own kind has none."""
    return _load(name) if name in agent_names() else _DATA_ONLY


def agents_with_hooks() -> list[str]:
    """Return the names of the agents whose hooks hark understands."""
    return [name for name in agent_names() if find_agent(name).events]


@cache
def _load(name: str) -> Agent:
    module = f"{__package__}.{name}.{CODE}"
    if find_spec(module) is None:
        return _DATA_ONLY
    agent: Agent = import_module(module).AGENT
    return agent


_DATA_ONLY = DataOnly()
