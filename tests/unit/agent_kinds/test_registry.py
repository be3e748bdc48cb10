"""The registry finds the folders of agents, and what each of them offers."""

from __future__ import annotations

import pytest

from hark.agents.protocol import Agent
from hark.agents.registry import agent_names, agents_with_hooks, find_agent


def test_every_folder_with_a_data_file_is_an_agent() -> None:
    assert {"claude", "codex", "demo", "generic"} <= set(agent_names())
    assert "native" not in agent_names()


@pytest.mark.parametrize("name", agent_names())
def test_every_folder_offers_an_agent(name: str) -> None:
    assert Agent in type(find_agent(name)).__mro__


@pytest.mark.parametrize("name", ["somebody", "native", "", ".", "../agents/claude", "claude.files", "a\0b"])
def test_an_unknown_agent_offers_nothing(name: str) -> None:
    agent = find_agent(name)

    assert not agent.events
    assert not agent.answers
    assert not agent.has_record
    assert agent.own_files is None


def test_agents_with_hooks_are_those_whose_folders_name_events() -> None:
    assert agents_with_hooks() == ["claude", "codex", "gemini", "opencode", "demo"]
