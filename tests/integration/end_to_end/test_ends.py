"""Messages that are not delivered: expired, taken back, or waiting with a reason."""

from __future__ import annotations

import pytest

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import RunningHark


@pytest.fixture
def asking(hark: RunningHark) -> Agent:
    """An agent with an open dialog: nothing can be delivered to it."""
    return Agent(hark, "a", "--ask-at-start", "make")


def answer_dialog(agent: Agent) -> None:
    agent.hark.tmux("send-keys", "-t", agent.pane, "2")
    agent.wait_event("denied")


def test_an_expired_message_is_never_typed(asking: Agent) -> None:
    expiring = asking.send("too late", "--timeout", "300ms")
    waiting = asking.send("not too late")

    asking.hark.wait_status(expiring, "expired")

    answer_dialog(asking)
    asking.hark.wait_status(waiting, "completed")
    assert asking.bodies() == ["not too late"]
    assert asking.hark.message(expiring)["delivered_at"] is None


def test_waiting_for_a_message_that_expires_ends_with_the_code_for_that(asking: Agent) -> None:
    waited = asking.hark.run("send", "--timeout", "300ms", "--wait", "submitted", "a", "too late")

    assert waited.returncode == 5
    assert waited.stdout.startswith("expired ")


def test_a_message_expires_while_no_daemon_is_there(asking: Agent) -> None:
    message_id = asking.send("too late", "--timeout", "100ms")
    asking.hark.kill_daemon()
    answer_dialog(asking)

    asking.hark.ok("daemon", "start")

    asking.hark.wait_status(message_id, "expired")
    assert asking.bodies() == []


def test_a_default_timeout_applies_to_all(hark: RunningHark) -> None:
    hark.set(default_timeout="0.3")
    agent = Agent(hark, "a", "--ask-at-start", "make")

    message_id = agent.send("too late")

    hark.wait_status(message_id, "expired")


def test_a_cancelled_message_is_never_typed(asking: Agent) -> None:
    cancelled, waiting = asking.send("never mind"), asking.send("go on")

    said = asking.hark.ok("cancel", cancelled[:8])

    assert said == f"cancelled {cancelled} to a\n"
    answer_dialog(asking)
    asking.hark.wait_status(waiting, "completed")
    assert asking.bodies() == ["go on"]
    assert asking.hark.message(cancelled)["status"] == "cancelled"


def test_what_was_delivered_cannot_be_taken_back(agent: Agent) -> None:
    message_id = agent.send_and_wait("done", "completed")

    refusal = agent.hark.refused("cancel", message_id)

    assert (refusal.exit_code, refusal.code) == (1, "transition-illegal")
    assert "hark show" in refusal.hint
    assert agent.hark.message(message_id)["status"] == "completed"


def test_a_waiting_message_is_listed_with_its_reason(asking: Agent) -> None:
    message_id = asking.send("hello\nthere")
    asking.hark.wait_status(message_id, "held", "dialog")

    listed = asking.hark.ok("queue", "a")
    sessions = asking.hark.ok("ls")

    row = next(line for line in listed.splitlines() if message_id in line)
    assert "held" in row
    assert "dialog" in row
    assert row.endswith("hello there")
    assert "1 (dialog)" in sessions
