"""What agents say while nobody listens is lost: still every message ends as it should, and who asked to be told is told."""

from __future__ import annotations

import sqlite3

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import DEADLINE_S, RunningHark
from tests.integration.end_to_end.test_turns import wait_phase
from tests.support.terminals import wait_until


def test_a_prompt_and_a_stop_that_came_while_the_daemon_was_down_are_settled(hark: RunningHark) -> None:
    boss, agent = Agent(hark, "boss"), Agent(hark, "a")
    agent.send_and_wait("hello", "completed")
    agent.send("first [[busy=4]]")
    wait_phase(agent, "busy")
    second = hark.ok("send", "-q", "--from", "boss", "--notify-on-stop", "--", "a", "second").strip()
    hark.wait_reached(second, "submitted")

    hark.kill_daemon()
    agent.wait_event("stopped", 3)
    hark.ok("daemon", "start")

    message = hark.wait_status(second, "completed")
    assert [receipt["status"] for receipt in message["receipts"]] == ["queued", "staged", "submitted", "completed"]
    assert message["receipts"][-1]["detail"] == "its agent has fallen silent"
    assert "has stopped working on your message" in boss.wait_event("prompt")["text"]


def test_a_restart_with_nothing_under_way_does_not_forget_that_the_agent_speaks(hark: RunningHark) -> None:
    agent = Agent(hark, "a")
    agent.send_and_wait("hello", "completed")

    hark.kill_daemon()
    hark.ok("daemon", "start")

    found = hark.json("wait", "a", "--timeout", "30s")
    assert [session["name"] for session in found["sessions"]] == ["a"]


def test_the_next_message_settles_one_whose_hooks_were_lost(hark: RunningHark) -> None:
    agent = Agent(hark, "a")
    agent.send_and_wait("hello", "completed")
    door = hark.home / "run/hooks.sock"
    agent.send("first [[busy=3]]")
    wait_phase(agent, "busy")
    second = agent.send("second [[busy=3]]")
    hark.wait_status(second, "submitted")

    door.rename(door.with_suffix(".away"))
    agent.wait_event("prompt", 3)
    third = agent.send("third")
    hark.wait_status(third, "submitted")
    door.with_suffix(".away").rename(door)

    for message_id in (second, third):
        hark.wait_status(message_id, "completed")
    assert [receipt["detail"] for receipt in hark.message(second)["receipts"]][-1] == "its turn has ended"


def test_an_end_that_cannot_be_written_down_is_written_down_later(hark: RunningHark) -> None:
    agent = Agent(hark, "a")
    agent.send_and_wait("hello", "completed")
    message_id = agent.send("[[busy=2]]")
    hark.wait_status(message_id, "acknowledged")

    other = sqlite3.connect(hark.database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        agent.wait_event("stopped", 2)
        refusals = lambda: [line for line in hark.log() if line["message"] == "not written yet"]  # noqa: E731
        wait_until(refusals, DEADLINE_S, "the store to refuse it", hark.log)
    finally:
        other.close()

    message = hark.wait_status(message_id, "completed")
    assert [receipt["status"] for receipt in message["receipts"]][-2:] == ["acknowledged", "completed"]
    wait_phase(agent, "idle")
