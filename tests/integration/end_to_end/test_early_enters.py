"""An agent may take an Enter that comes too soon after a paste for a new line. The message is submitted all the same, once, and by what
the screen shows: no editor is opened to find out what stands there to be read."""

from __future__ import annotations

import pytest

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import RunningHark

# An agent whose drafts the editor carries, as Gemini CLI's: its editor key works, and nothing else puts a draft aside.
EDITOR_ONLY = '[editor]\nkey = ["C-g"]\n\n[stop]\nkey = ["Escape"]\n'


@pytest.mark.parametrize("newlines", [1, 2])
def test_a_message_whose_enter_made_a_new_line_is_submitted_by_another_enter(hark: RunningHark, newlines: int) -> None:
    hark.describe_demo(EDITOR_ONLY)
    agent = Agent(hark, "a", "--newlines-after-paste", str(newlines))

    agent.send_and_wait("two lines\nof a message")

    assert [body.rstrip("\n") for body in agent.bodies()] == ["two lines\nof a message"]
    assert agent.named("editor") == []
