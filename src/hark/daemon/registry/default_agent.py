"""Chooses the agent to start when nobody names one: the setting `default_agent`, else the first known agent that is installed."""

import os
import shutil
from collections.abc import Mapping, Sequence

from hark.agents.kinds import AgentKind, Kinds
from hark.kind_files import offered_agents
from hark.model.errors import HarkError


def command_for(
    kinds: Kinds, agent: str | None, command: Sequence[str], environment: Mapping[str, str], default_agent: str
) -> list[str]:
    """Return the command to start: the given command, else the program of the named agent kind, else that of the default agent."""
    if command:
        return list(command)
    kind = kinds.get(agent) if agent else default_kind(kinds, environment, default_agent)
    if not kind.commands:
        raise HarkError(
            "request-invalid", f"{kind.name} has no program of its own", "say how to start it: `hark new -- CMD`, or `hark spawn --command CMD`"
        )  # fmt: skip
    return list(kind.commands[:1])


def default_kind(kinds: Kinds, environment: Mapping[str, str], default_agent: str) -> AgentKind:
    if default_agent:
        return kinds.get(default_agent)
    path = environment.get("PATH", os.defpath)
    for name in offered_agents():
        kind = kinds.get(name)
        if any(shutil.which(program, path=path) for program in kind.commands):
            return kind
    raise HarkError(
        "request-invalid",
        f"no agent that hark knows is on your PATH ({', '.join(offered_agents())})",
        "say what to start, as in `hark new -- CMD`, or set default_agent in config.toml",
    )
