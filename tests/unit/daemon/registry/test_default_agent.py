"""Which command starts when somebody names a command, an agent, or nothing."""

from pathlib import Path

import pytest

from hark.agents.kinds import GENERIC, Kinds, load_kinds
from hark.daemon.registry.default_agent import command_for
from hark.kind_files import offered_agents
from tests.integration.contract.samples import refused


@pytest.fixture(scope="module")
def kinds() -> Kinds:
    return load_kinds()


def put_program(directory: Path, name: str) -> None:
    (directory / name).write_text("#!/bin/sh\n")
    (directory / name).chmod(0o755)


def test_a_given_command_is_started_as_it_is(kinds: Kinds) -> None:
    assert command_for(kinds, "claude", ["my-claude", "-c"], {}, "codex") == ["my-claude", "-c"]


def test_a_named_agent_is_started_by_its_own_program(kinds: Kinds) -> None:
    assert command_for(kinds, "codex", [], {}, "claude") == [kinds.get("codex").commands[0]]


def test_the_setting_counts_where_nobody_names_an_agent(kinds: Kinds) -> None:
    assert command_for(kinds, None, [], {"PATH": ""}, "gemini") == [kinds.get("gemini").commands[0]]


def test_else_the_first_installed_agent_in_harks_order_is_started(kinds: Kinds, tmp_path: Path) -> None:
    first, second = offered_agents()[1], offered_agents()[2]
    for name in (second, first):
        put_program(tmp_path, kinds.get(name).commands[0])

    assert command_for(kinds, None, [], {"PATH": str(tmp_path)}, "") == [kinds.get(first).commands[0]]


def test_where_no_agent_is_installed_somebody_has_to_say_what_to_start(kinds: Kinds, tmp_path: Path) -> None:
    with refused("request-invalid"):
        command_for(kinds, None, [], {"PATH": str(tmp_path)}, "")


def test_a_kind_without_a_program_and_an_unknown_kind_are_refused(kinds: Kinds) -> None:
    with refused("request-invalid"):
        command_for(kinds, GENERIC, [], {}, "")
    with refused("agent-unknown"):
        command_for(kinds, "nobody", [], {}, "")
