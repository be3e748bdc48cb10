"""A real agent that runs another one with its shell tool, in a pane that hark has adopted: messages are for the outer one."""

from __future__ import annotations

import json
from pathlib import Path

from tests.agents.delivering import delivering
from tests.agents.launch import Launch
from tests.agents.running import DEADLINE_S, Agent
from tests.agents.test_hooks import with_installed_hooks
from tests.support.terminals import wait_until


def with_free_shell(launch: Launch) -> Launch:
    """Its shell tool asks nobody."""
    settings = Path(launch.environment["HOME"]) / ".claude/settings.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(json.dumps({"permissions": {"allow": ["Bash"]}}))
    return with_installed_hooks(launch)


def test_claude_code_in_claude_codes_own_shell_takes_none_of_its_messages() -> None:
    with delivering("claude", is_adopted=True, by_hook=True, change=with_free_shell) as agent:
        human = Agent(agent.launch, agent.pane, agent.tmux, agent.stand_in)
        human.wait_quiet()
        printed = agent.launch.directory / "printed"
        human.submit(f"[[tool=sleep 5; {agent.launch.command[0]} -p 'inner task' > {printed}; sleep 2]] outer task")
        wait_until(lambda: agent.hark.session("a")["phase"] == "busy", DEADLINE_S, "the turn", agent.hark.log)

        message_id = agent.send("for the outer one")
        agent.hark.wait_status(message_id, "held", "busy")
        wait_until(lambda: printed.exists() and printed.read_text().strip(), DEADLINE_S, "the nested agent")

        message = agent.hark.wait_status(message_id, "completed")
        assert (message["channel"], message["authority"]) == ("hook", "notice")
        inner = [turn for turn in agent.stand_in.received() if turn.texts and "inner task" in turn.texts[-1]]
        assert inner
        assert not [turn for turn in inner if any(message_id in text for text in (*turn.context, *turn.texts))]
        assert len(agent.arrivals(message_id)) == 1
        turned_away = {
            line["event"] for line in agent.hark.log() if line["message"].startswith("hook of another agent")
        }
        # Claude Code does not wait for its hook of a prompt: an inner agent that has ended may have taken it along.
        assert "Stop" in turned_away
