"""Messages that reach a busy agent through its own hooks: no key is pressed, each goes in once, and what is said of it is true."""

from __future__ import annotations

import os
import signal
from typing import Any

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import DEADLINE_S, RunningHark
from tests.support.terminals import wait_until

ON = "--take-answers"


def body(event: dict[str, Any]) -> list[str]:
    """The messages in what a hook has said, without their headers."""
    return [piece.partition("\n")[2] for piece in event["text"].split("\n\n")]


def story(hark: RunningHark, message_id: str) -> list[str]:
    return [receipt["status"] for receipt in hark.message(message_id)["receipts"]]


def busy_agent(hark: RunningHark, prompt: str) -> tuple[Agent, str]:
    agent = Agent(hark, "a", ON)
    first = agent.send(prompt)
    hark.wait_status(first, "acknowledged")
    return agent, first


def test_a_message_to_a_busy_agent_makes_it_go_on_when_its_turn_ends(hark: RunningHark) -> None:
    agent, first = busy_agent(hark, "[[busy=1]] first")

    second = agent.post("[[busy=0.3]] second")

    held = hark.wait_status(second, "held", "busy")
    assert held["receipts"][-1]["detail"] == "it goes in when the agent's turn ends"
    done = hark.wait_status(second, "completed")
    assert [body(event) for event in agent.named("continued")] == [["[[busy=0.3]] second"]]
    assert len(agent.prompts()) == 1
    assert story(hark, second) == ["queued", "held", "queued", "staged", "acknowledged", "completed"]
    assert (done["channel"], done["authority"]) == ("hook", "notice")
    assert hark.message(first)["completed_at"] <= done["acknowledged_at"] < done["completed_at"]


def test_an_important_one_goes_in_between_two_tools(hark: RunningHark) -> None:
    agent, first = busy_agent(hark, "[[tool=1]] [[tool=1]] first")

    second = agent.post("second", delivery_mode="important")

    hark.wait_status(second, "completed")
    agent.wait_event("stopped")
    assert [body(event) for event in agent.named("told")] == [["second"]]
    names = [event["event"] for event in agent.named("prompt", "tool", "told", "stopped")]
    assert names == ["prompt", "tool", "told", "tool", "stopped"]
    # Both belong to the one turn.
    assert hark.message(first)["completed_at"] == hark.message(second)["completed_at"]


def test_all_that_waits_goes_in_together_and_in_order(hark: RunningHark) -> None:
    agent, _ = busy_agent(hark, "[[busy=3]]")
    modes = {"0": "sequential", "1": "sequential", "2": "sequential", "first of all": "important"}

    sent = [agent.post(text, delivery_mode=mode) for text, mode in modes.items()]

    for message_id in sent:
        hark.wait_status(message_id, "completed")
    assert [body(event) for event in agent.named("continued")] == [["first of all", "0", "1", "2"]]


def test_what_shall_have_a_users_authority_is_typed(hark: RunningHark) -> None:
    agent, _ = busy_agent(hark, "[[busy=1]]")

    message_id = agent.post("as a user", as_user=True)

    done = hark.wait_status(message_id, "completed")
    assert (done["channel"], done["authority"]) == ("terminal", "user")
    assert agent.bodies()[-1] == "as a user"
    assert not agent.named("continued")


def test_with_the_setting_off_messages_are_typed(hark: RunningHark) -> None:
    hark.set(hook_messages="false")
    agent, _ = busy_agent(hark, "[[busy=1]]")

    message_id = agent.post("second")

    assert hark.wait_status(message_id, "completed")["channel"] == "terminal"
    assert not agent.named("continued")


def test_an_agent_is_left_to_rest_after_some_continuations_and_nothing_is_lost(hark: RunningHark) -> None:
    agent, _ = busy_agent(hark, "[[busy=0.8]]")

    sent: list[str] = []
    for number in range(7):
        sent.append(agent.post(f"{number} [[busy=0.8]]"))
        wait_until(
            lambda: hark.message(sent[-1])["status"] in ("acknowledged", "completed", "staged"),
            DEADLINE_S,
            "it to go in",
        )

    for message_id in sent:
        hark.wait_status(message_id, "completed")
    channels = [hark.message(message_id)["channel"] for message_id in sent]
    assert channels[:5] == ["hook"] * 5
    assert channels[5] == "terminal"
    got = [text for event in agent.named("continued") for text in body(event)] + agent.bodies()[1:]
    assert sorted(got) == sorted(f"{number} [[busy=0.8]]" for number in range(7))


def test_an_interrupted_turn_gives_back_what_waited_for_its_end(hark: RunningHark) -> None:
    agent, _ = busy_agent(hark, "[[busy=60]]")
    message_id = agent.post("second")
    hark.wait_status(message_id, "held", "busy")

    hark.tmux("send-keys", "-t", agent.pane, "Escape")

    assert hark.wait_status(message_id, "completed")["channel"] == "terminal"
    assert agent.bodies()[1:] == ["second"]


def test_who_does_not_want_to_be_disturbed_is_not(hark: RunningHark) -> None:
    agent, _ = busy_agent(hark, "[[busy=1]]")
    hark.ok("hold", "a")
    message_id = agent.post("second")

    agent.wait_event("stopped")

    hark.wait_status(message_id, "held", "do-not-disturb")
    assert not agent.named("continued")


def test_a_frozen_daemon_costs_the_agent_nothing_and_the_message_comes_later(hark: RunningHark) -> None:
    agent, _ = busy_agent(hark, "[[busy=1.5]]")
    message_id = agent.post("second")
    hark.wait_status(message_id, "held", "busy")
    pid = hark.daemon_pid()
    assert pid

    os.kill(pid, signal.SIGSTOP)
    try:
        agent.wait_event("stopped")
    finally:
        os.kill(pid, signal.SIGCONT)

    hark.wait_status(message_id, "completed")
    assert not agent.named("continued")
    assert agent.bodies()[1:] == ["second"]


def test_a_daemon_killed_after_the_hook_got_it_does_not_send_it_again(hark: RunningHark) -> None:
    agent, _ = busy_agent(hark, "[[busy=1]]")
    message_id = agent.post("[[busy=3]] second")
    hark.wait_status(message_id, "staged")
    agent.wait_event("continued")

    hark.kill_daemon()
    hark.ok("daemon", "start")

    # The demo agent's record tells that it has it.
    hark.wait_status(message_id, "completed")
    assert len(agent.named("continued")) == 1
    assert len(agent.prompts()) == 1
