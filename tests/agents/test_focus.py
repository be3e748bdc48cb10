"""Gemini CLI shows its cursor only while its terminal has the focus, so hark lends it one: never in a way that answers a question."""

from __future__ import annotations

import pytest

from tests.agents.delivering import delivering
from tests.agents.running import DEADLINE_S


@pytest.mark.parametrize("is_adopted", [False, True], ids=["started by hark", "adopted"])
def test_a_dialog_that_nobody_looks_at_is_left_alone(is_adopted: bool) -> None:
    with delivering("gemini", is_adopted=is_adopted) as agent:
        made = agent.launch.directory / "made"
        agent.wait_ready()
        with agent.human() as human:
            human.wait_attached(DEADLINE_S)
            agent.wait_ready()
            human.paste(f"[[tool=touch {made}]]")
            agent.wait_draft(f"{made}]]")
            human.type(" ", keys_per_second=5)
            human.press("Enter")
            agent.wait_dialog()

        message_ids = [agent.send(str(number)) for number in (1, 2)]
        agent.hark.wait_status(message_ids[0], "held", "dialog")
        agent.hark.ok("release", agent.hark.json("ls")["sessions"][0]["name"])
        agent.hark.wait_status(message_ids[0], "held", "dialog")

        agent.wait_dialog()
        assert not made.exists()
        with agent.human() as human:
            human.wait_attached(DEADLINE_S)
            agent.wait_dialog()
            human.press("Escape")
            agent.wait_ready()
            for message_id in message_ids:
                agent.hark.wait_reached(message_id, "submitted")
        assert not made.exists()
