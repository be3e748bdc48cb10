"""The registry finds the folders of agents, and what each of them offers."""

from __future__ import annotations

import subprocess
import sys

import pytest

from hark.agents.protocol import Agent
from hark.agents.registry import agent_names, agents_with_hooks, find_agent
from hark.kind_files import data_files, kind_tables, offered_agents, own_variables


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


def test_a_folder_has_the_name_of_its_agent() -> None:
    assert sorted(agent_names()) == [file.parent.name for file in data_files()]


def test_no_two_agents_have_the_same_place_in_the_order() -> None:
    places = [table["preference"] for table in kind_tables().values() if "preference" in table]

    assert places == list(range(1, len(places) + 1))
    assert offered_agents() == list(agent_names())[: len(places)]


def test_only_the_folder_that_is_asked_for_is_loaded_and_no_client_of_an_api_with_it() -> None:
    program = (
        "import sys\n"
        "from hark.agents.registry import find_agent\n"
        "assert find_agent('codex').native\n"
        "print(*sorted(name for name in sys.modules if name.startswith(('hark.agents.', 'websockets'))))"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    loaded = done.stdout.split()
    assert "hark.agents.codex.agent" in loaded
    assert not {"hark.agents.claude.agent", "hark.agents.codex.channel", "hark.agents.kinds", "websockets"} & set(
        loaded
    )


def test_the_variables_by_which_agents_tell_their_children_about_themselves_are_known() -> None:
    assert own_variables() == {
        "CLAUDECODE",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_SSE_PORT",
        "CODEX_SANDBOX",
        "CODEX_SANDBOX_NETWORK_DISABLED",
        "GEMINI_CLI",
        "OPENCODE",
    }
