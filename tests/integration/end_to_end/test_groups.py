"""One wish, several sessions: each gets a message of its own. And a session that is started with its first task."""

from __future__ import annotations

from tests.integration.end_to_end.agents import PROGRAM, Agent
from tests.integration.end_to_end.running import RunningHark


def crew(hark: RunningHark) -> dict[str, Agent]:
    return {name: Agent(hark, name) for name in ("crew/a", "crew/b", "boss")}


def test_names_patterns_and_everyone_reach_whom_they_mean(hark: RunningHark) -> None:
    agents = crew(hark)

    for wanted, text in (("crew/a,boss", "two"), ("crew/*", "the crew"), ("*", "everyone"), ("boss,*", "each once")):
        hark.ok("send", wanted, text, "--wait", "completed")

    assert agents["crew/a"].bodies() == ["two", "the crew", "everyone", "each once"]
    assert agents["crew/b"].bodies() == ["the crew", "everyone", "each once"]
    assert agents["boss"].bodies() == ["two", "everyone", "each once"]


def test_a_pattern_does_not_mean_the_sender_itself(hark: RunningHark) -> None:
    agents = crew(hark)

    sent = hark.json("send", "*", "hello", "--from", "boss")

    assert sorted(one["session_name"] for one in sent["messages"]) == ["crew/a", "crew/b"]
    assert len({one["id"] for one in sent["messages"]}) == 2
    for one in sent["messages"]:
        hark.wait_reached(one["id"], "completed")
    assert agents["boss"].bodies() == []


def test_the_same_key_sends_nothing_twice(hark: RunningHark) -> None:
    agents = crew(hark)

    first = hark.json("send", "crew/*", "once", "--idempotency-key", "k")
    again = hark.json("send", "crew/*", "once", "--idempotency-key", "k")

    assert [one["id"] for one in first["messages"]] == [one["id"] for one in again["messages"]]
    for one in first["messages"]:
        hark.wait_reached(one["id"], "completed")
    assert agents["crew/a"].bodies() == agents["crew/b"].bodies() == ["once"]


def test_a_pattern_that_fits_nobody_is_refused_and_nothing_is_sent(hark: RunningHark) -> None:
    agents = crew(hark)

    assert hark.refused("send", "boss,nobody/*", "hi").code == "session-not-found"
    assert hark.refused("send", "boss,nobody", "hi").code == "session-not-found"
    assert agents["boss"].bodies() == []
    assert hark.json("queue", "boss")["pending_count"] == 0


def test_a_spawned_agent_gets_its_first_task_when_it_is_ready(hark: RunningHark) -> None:
    log = hark.home / "spawned.log"

    made = hark.json(
        "spawn", "-n", "new", "--agent", "demo", "--command", f"{PROGRAM} --log {log}", "implement", "the login page"
    )

    assert made["session"]["name"] == "new"
    hark.wait_reached(made["message"]["id"], "completed")
    assert "implement the login page" in log.read_text()


def test_nothing_is_started_for_a_task_that_cannot_be_sent(hark: RunningHark) -> None:
    assert hark.refused("spawn", "-n", "new", "--agent", "demo", "\x07").code == "text-control-bytes"
    assert hark.refused("spawn", "-n", "new", "--agent", "nothing", "x").code == "agent-unknown"
    assert hark.json("ls")["sessions"] == []
