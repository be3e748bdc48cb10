"""The protocols in use today, on a real terminal with a draft in the box: the storm must call them bad."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.campaigns.storm import peers
from tests.campaigns.storm.judge import judge
from tests.campaigns.storm.person import Prompt
from tests.integration.demo.running import RunningAgent
from tests.support.terminals import PrivateTmux

DRAFT = Prompt("qaaaaq please look")
MESSAGE = "MAAAAM BUILD IS GREEN"


@pytest.fixture
def agent() -> Iterator[RunningAgent]:
    with PrivateTmux() as tmux:
        yield RunningAgent(tmux)


def prompts(agent: RunningAgent, count: int) -> list[str]:
    agent.wait_event("prompt", count)
    return [event["text"] for event in agent.named("prompt")]


@pytest.mark.parametrize("name", [name for name in peers.PEERS if name != "clear"])
def test_a_message_typed_behind_a_draft_is_garbled_and_so_is_the_prompt(agent: RunningAgent, name: str) -> None:
    agent.type("qaaaaq pl")
    agent.wait_box("qaaaaq pl")

    peers.send(agent.tmux, agent.pane, name, MESSAGE)
    prompts(agent, 1)
    agent.wait_box("")
    agent.type("ease look")
    agent.press("Enter")

    verdict = judge([MESSAGE], [DRAFT], prompts(agent, 2))
    assert verdict.garbled == (MESSAGE,)
    assert verdict.prompts_garbled == (DRAFT.text,)
    assert verdict.keys_lost == 0


def test_a_draft_that_is_deleted_first_is_lost_keys(agent: RunningAgent) -> None:
    agent.type(DRAFT.text)
    agent.wait_box(DRAFT.text)

    peers.send(agent.tmux, agent.pane, "clear", MESSAGE)

    verdict = judge([MESSAGE], [DRAFT], prompts(agent, 1))
    assert verdict.exact == (MESSAGE,)
    assert verdict.prompts_lost == (DRAFT.text,)
    assert verdict.keys_lost == len("qaaaaqpleaselook")


@pytest.mark.parametrize("name", peers.PEERS)
def test_into_an_empty_box_they_are_right(agent: RunningAgent, name: str) -> None:
    peers.send(agent.tmux, agent.pane, name, MESSAGE)

    assert judge([MESSAGE], [], prompts(agent, 1)).is_clean
