"""Fairness: a session that cannot take its message, or hangs while it takes it, keeps nobody else waiting; and an agent that is
never idle gets its messages all the same. What came before what is told by the daemon's own events and by the agents' records,
not by a clock."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.integration.end_to_end.agents import PROGRAM, Agent
from tests.integration.end_to_end.running import DEADLINE_S, HARK, RunningHark
from tests.support.terminals import PrivateTmux, wait_until

ROUNDS = 4
"""A delivery is quick; on a machine that is not, one of so many is."""
PARENT = "import subprocess, sys; subprocess.run(sys.argv[1:])"
"""Of an agent that can be frozen: tmux and the airlock let their own children go on at once."""
NEVER_S = "600"
"""For the poll below all events: what happens in these tests happens without it."""


@pytest.fixture
def hark() -> Iterator[RunningHark]:
    with RunningHark(input_poll_interval=NEVER_S) as running:
        yield running


@contextmanager
def frozen(pids: Sequence[int]) -> Iterator[Callable[[], None]]:
    """What is yielded lets them go on."""

    def let_go() -> None:
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield let_go
    finally:
        let_go()


def post(hark: RunningHark, name: str, text: str) -> str:
    return str(hark.api("POST", f"/sessions/{name}/send", {"text": text}).json["id"])


def first_seq(hark: RunningHark, message_id: str, status: str) -> int:
    """When it first had that status, in the order of all events."""
    events = hark.api("GET", "/events?limit=10000").json["events"]
    ours = [event for event in events if event["message_id"] == message_id and event["data"]["status"] == status]
    return int(ours[0]["seq"])


@contextmanager
def session_that_hangs(hark: RunningHark, part: str) -> Iterator[Callable[[], None]]:
    """It is called `slow`, lives on a tmux server of its own, and a part of it does not answer any more until it is let go."""
    log = hark.home / "slow.log"
    agent = [PROGRAM, "--log", str(log)]
    started = [HARK, "run", "-n", "slow", "--", *agent] if part == "airlock" else agent
    with PrivateTmux() as tmux:
        pane = tmux.new([sys.executable, "-c", PARENT, *started], environment={"HARK_HOME": str(hark.home)})
        wait_until(lambda: log.exists() and '"ready"' in log.read_text(), DEADLINE_S, "the agent")
        if part != "airlock":
            hark.ok("adopt", "-S", str(tmux.socket), "-n", "slow", "--agent", "demo", pane)
        pane_pid, server_pid = tmux.read(pane, "#{pane_pid} #{pid}").split()
        with frozen([int(server_pid)] if part == "tmux server" else children(pane_pid)) as let_go:
            yield let_go


def children(pid: str) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def overtaken(hark: RunningHark, free: Agent) -> str | None:
    """The id of a message to `slow` that came to nothing, if a later one to `free` was submitted before that was known."""
    slow_id = post(hark, "slow", "it will be a while")
    free_id = free.post("at once")
    hark.wait_reached(free_id, "submitted")
    wait_until(lambda: hark.message(slow_id)["status"] == "held", DEADLINE_S, "the slow one to be held")
    if first_seq(hark, free_id, "submitted") < first_seq(hark, slow_id, "held"):
        return slow_id
    hark.run("cancel", slow_id)
    return None


def test_a_message_to_an_airlock_that_is_stopped_is_held_at_once_and_arrives_once_when_it_goes_on() -> None:
    with RunningHark(input_poll_interval="0.5") as hark:
        free = Agent(hark, "free")
        with session_that_hangs(hark, "airlock") as let_go:
            slow_id = post(hark, "slow", "it will be a while")
            hark.wait_status(slow_id, "held", "agent-not-running")
            hark.wait_reached(free.post("at once"), "submitted")

            let_go()

            hark.wait_reached(slow_id, "submitted")
        assert (hark.home / "slow.log").read_text().count(slow_id) == 1


@pytest.mark.parametrize(("part", "reason"), [("agent", "busy"), ("tmux server", "unreachable")])
def test_a_delivery_that_hangs_is_overtaken_by_one_to_another_session_and_arrives_once(part: str, reason: str) -> None:
    with RunningHark(input_poll_interval="0.5") as hark:
        free = Agent(hark, "free")
        with session_that_hangs(hark, part) as let_go:
            slow_id = next(filter(None, (overtaken(hark, free) for _ in range(ROUNDS))))
            # Looked at again, it is left alone: what an agent has not read yet is not pasted a second time.
            hark.wait_status(slow_id, "held", reason)

            let_go()

            hark.wait_reached(slow_id, "submitted")
        assert (hark.home / "slow.log").read_text().count(slow_id) == 1


def test_sessions_that_are_held_stay_held_and_keep_nobody_waiting(hark: RunningHark) -> None:
    hark.describe_demo(carriers="")
    asking = [Agent(hark, f"asking{number}", "--ask-at-start", "rm -rf /") for number in range(3)]
    drafting = [Agent(hark, f"drafting{number}") for number in range(3)]
    for agent in drafting:
        hark.tmux("send-keys", "-l", "-t", agent.pane, "half a thou")
        agent.wait_box("half a thou")
    away = Agent(hark, "away")
    hark.ok("hold", "away")
    free = Agent(hark, "free")
    reasons = {"dialog": asking, "draft": drafting, "do-not-disturb": [away]}
    held = {agent.post("later"): reason for reason, agents in reasons.items() for agent in agents}
    for message_id, reason in held.items():
        hark.wait_status(message_id, "held", reason)

    for number in range(5):
        hark.wait_reached(free.post(str(number)), "submitted")

    free.wait_event("prompt", 5)
    assert free.bodies() == ["0", "1", "2", "3", "4"]
    for message_id, reason in held.items():
        message = hark.message(message_id)
        assert (message["status"], message["reason"]) == ("held", reason)
    assert [agent.box() for agent in drafting] == [["half a thou"]] * 3
    assert [agent.prompts() for agent in (*asking, *drafting, away)] == [[]] * 7
    assert not any(agent.named("approved", "denied") for agent in asking)


def keep_busy(agent: Agent, turns: range) -> None:
    """Prompts that a human has typed ahead: the agent goes from one to the next without a pause."""
    with agent.human() as human:
        human.wait_attached(DEADLINE_S)
        for number in turns:
            human.type(f"[[busy=1]] turn {number}\n", keys_per_second=200)
        agent.wait_event("prompt", 1)
        wait_until(lambda: len(agent.named("prompt", "queued")) >= len(turns), DEADLINE_S, "the last prompt")


def positions(agent: Agent, *words: str) -> list[int]:
    """Where these stand first in the agent's record."""
    texts = [event.get("text", "") if event["event"] in ("prompt", "continued") else "" for event in agent.events()]
    return [next(place for place, text in enumerate(texts) if word in text) for word in words]


@pytest.mark.parametrize("options", [(), ("--take-answers",)], ids=["typed", "by its stop hook"])
def test_an_agent_that_is_never_idle_gets_its_message_between_two_turns(
    hark: RunningHark, options: tuple[str, ...]
) -> None:
    agent = Agent(hark, "a", *options)
    keep_busy(agent, range(4))

    message_id = agent.post("ours")

    hark.wait_reached(message_id, "completed")
    agent.wait_event("stopped", 4 + (not options))
    names = [event["event"] for event in agent.named("prompt", "stopped")]
    # Never two stops in a row: there was always a prompt left.
    assert names == ["prompt", "stopped"] * (len(names) // 2)
    (ours,) = positions(agent, "ours")
    before = sum(place < ours for place in positions(agent, *(f"turn {number}" for number in range(4))))
    # Typed, it is in the agent's own queue, behind what was there; at a stop it goes before what waits.
    assert before <= (3 if options else 4)
    assert agent.bodies() == ([] if options else ["ours"])


def test_an_agent_that_takes_nothing_while_it_works_gets_its_message_in_the_first_pause(hark: RunningHark) -> None:
    hark.describe_demo(more="idle_only = true\n")
    agent = Agent(hark, "a")
    with agent.human() as human:
        human.wait_attached(DEADLINE_S)
        human.type("[[busy=2]] turn\n", keys_per_second=200)
        agent.wait_event("prompt")
        message_id = agent.post("ours")
        hark.wait_status(message_id, "held", "busy")
        turns = 1
        while turns < 8 and not agent.bodies():
            agent.wait_event("stopped", turns)
            with suppress(AssertionError):
                wait_until(lambda: bool(agent.bodies()), 1.0, "the message, before the human goes on")
            human.type("[[busy=1]] turn\n", keys_per_second=200)
            turns += 1
        agent.wait_event("prompt", turns + 1)

    hark.wait_reached(message_id, "submitted")
    # A human went on after it: it was in a pause between two turns, not behind them all.
    assert "turn" in agent.prompts()[-1]
    assert agent.bodies() == ["ours"]
