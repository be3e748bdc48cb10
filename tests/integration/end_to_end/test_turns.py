"""What an agent is doing, as its hooks tell it: seen in `hark ls`, waited for by `hark wait`, and in the way of messages."""

from __future__ import annotations

import json
import threading

import pytest

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import DEADLINE_S, RunningHark
from tests.support.terminals import wait_until


def phase(agent: Agent) -> str:
    return str(agent.hark.session(agent.name)["phase"])


def wait_phase(agent: Agent, wanted: str) -> None:
    wait_until(lambda: phase(agent) == wanted, DEADLINE_S, f"{wanted}, not {phase(agent)}", agent.screen)


def test_a_turn_is_seen_from_its_prompt_to_its_stop(hark: RunningHark) -> None:
    agent = Agent(hark, "a")
    assert phase(agent) == "unknown"

    message_id = agent.send("[[busy=60]]")

    wait_phase(agent, "busy")
    assert hark.ok("ls").splitlines()[1].split()[3] == "busy"
    assert hark.json("queue", "a")["is_idle"] is False
    hark.tmux("send-keys", "-t", agent.pane, "Escape")
    hark.wait_status(message_id, "completed")
    wait_phase(agent, "idle")


def test_a_question_is_seen_at_once_and_holds_messages_without_a_look_at_the_box(hark: RunningHark) -> None:
    agent = Agent(hark, "a")
    agent.send("[[ask=rm -rf /]]")
    agent.wait_event("asked")

    wait_phase(agent, "waiting")
    session = hark.session("a")
    assert session["waiting_for"] == "rm -rf /"
    behind = agent.send("1")
    held = hark.wait_status(behind, "held", "dialog")
    assert [receipt["detail"] for receipt in held["receipts"]][-1] == "the agent waits for a human's permission"

    hark.tmux("send-keys", "-t", agent.pane, "Escape")

    hark.wait_status(behind, "completed")
    assert agent.named("approved") == []


def test_an_interrupt_ends_the_turn_of_the_message(hark: RunningHark) -> None:
    agent = Agent(hark, "a")
    message_id = agent.send("[[busy=60]]")
    hark.wait_status(message_id, "acknowledged")

    hark.tmux("send-keys", "-t", agent.pane, "Escape")

    message = hark.wait_status(message_id, "completed")
    assert message["receipts"][-1]["detail"] == "its turn was interrupted"


def test_waiting_for_idle_is_not_misled_by_the_moment_between_two_turns(hark: RunningHark) -> None:
    agent = Agent(hark, "a")
    for number in range(3):
        agent.send(f"{number} [[busy=0.4]]")

    hark.ok("wait", "a", "--timeout", "20s")

    assert [event["event"] for event in agent.named("prompt", "stopped")] == ["prompt", "stopped"] * 3


def test_waiting_for_several_ends_with_the_last_or_with_the_first(hark: RunningHark) -> None:
    slow, fast = Agent(hark, "slow"), Agent(hark, "fast")
    for agent in (slow, fast):
        agent.send_and_wait("first", "completed")
    slow.send("[[busy=3]]")
    wait_phase(slow, "busy")

    found = hark.json("wait", "slow", "fast", "--any")
    assert [session["name"] for session in found["sessions"]] == ["fast"]
    found = hark.json("wait", "slow", "fast", "--all", "--timeout", "20s")
    assert [session["name"] for session in found["sessions"]] == ["slow", "fast"]


def test_a_wait_that_takes_too_long_says_what_the_agent_does(hark: RunningHark) -> None:
    agent = Agent(hark, "a")
    agent.send("[[busy=60]]")
    wait_phase(agent, "busy")

    refused = hark.run("wait", "a", "--timeout", "1s")

    assert refused.returncode == 5
    assert "not idle in time: a (busy)" in refused.stderr


@pytest.mark.parametrize("arguments", [("nobody",), ("a", "--for", "tea"), ("a", "--any", "--all")])
def test_bad_waits_are_refused(hark: RunningHark, arguments: tuple[str, ...]) -> None:
    Agent(hark, "a")

    assert hark.run("wait", *arguments).returncode in (2, 3)


def test_a_thousand_hooks_at_once_from_known_and_unknown_sessions_harm_nothing(hark: RunningHark) -> None:
    agent = Agent(hark, "a")
    report = {"agent": "claude", "emitted_at": "2026-01-01T00:00:00Z", "payload": {"prompt": "x" * 1000}}
    answers: list[int] = []

    def tell(number: int) -> None:
        for event in ("UserPromptSubmit", "PostToolUse", "Stop", "Nonsense"):
            for session in (agent.id, "nobody", None):
                body = report | {"event": event, "session_id": session}
                answers.append(hark.api("POST", "/hooks", body).status)

    threads = [threading.Thread(target=tell, args=(number,)) for number in range(84)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert answers == [202] * 84 * 12
    assert agent.send_and_wait("still there", "completed")


def test_hostile_hook_payloads_are_refused_or_ignored(hark: RunningHark) -> None:
    agent = Agent(hark, "a")
    deep: object = "x"
    for _ in range(500):
        deep = [deep]
    payloads: tuple[dict[str, object], ...] = (
        {"prompt": ["no text"]},
        {"tool_input": deep},
        {"prompt": "\x00\x1b[31m"},
        {"session_id": {}},
    )
    for payload in payloads:
        body = {"agent": "claude", "event": "Stop", "emitted_at": "2026-01-01T00:00:00Z", "session_id": agent.id}
        assert hark.api("POST", "/hooks", body | {"payload": payload}).status in (202, 413, 422)
    assert hark.api("POST", "/hooks", {"agent": 7}).status == 422
    assert json.loads(hark.ok("ls", "--json"))["sessions"][0]["state"] == "running"


def test_a_wait_for_what_the_agent_has_announced_already_ends_at_once(hark: RunningHark) -> None:
    agent = Agent(hark, "a")
    agent.send_and_wait("hello", "completed")
    hark.ok("signal", "needs_input", "which one?", environment={"HARK_SESSION": agent.id})

    found = hark.json("wait", "a", "--for", "needs_input", "--timeout", "20s")

    assert [session["name"] for session in found["sessions"]] == ["a"]
    assert hark.run("wait", "a", "--for", "error", "--timeout", "1s").returncode == 5


def test_a_release_wakes_the_queue_by_itself() -> None:
    """No poll would do it in time."""
    with RunningHark(input_poll_interval="3600") as hark:
        agent = Agent(hark, "a")
        for number in range(5):
            hark.ok("hold", "a")
            message_id = agent.send(f"while held {number}")
            hark.wait_status(message_id, "held", "do-not-disturb")

            hark.ok("release", "a")

            hark.wait_status(message_id, "completed")
