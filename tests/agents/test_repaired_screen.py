"""Codex and tmux disagree about the width of some texts, and then a part of Codex's box is missing on the screen. hark makes Codex draw
its screen anew, and delivers."""

from __future__ import annotations

from tests.agents.delivering import delivering
from tests.agents.running import DEADLINE_S
from tests.support.terminals import wait_until

DAMAGING = "–\u200dis green\u200edeplo"
PROMPT = "› Ask Codex"


def test_a_message_arrives_after_a_text_that_has_damaged_the_screen() -> None:
    with delivering("codex") as agent:
        agent.send("warm up", "--wait", "submitted")
        agent.wait_bodies("warm up")
        agent.wait_ready()
        agent.send(DAMAGING)
        agent.wait_bodies("warm up", DAMAGING)

        agent.send("after it")

        agent.wait_bodies("warm up", DAMAGING, "after it")
        wait_until(lambda: PROMPT in agent.screen().text, DEADLINE_S, "the prompt", lambda: agent.screen().text)
