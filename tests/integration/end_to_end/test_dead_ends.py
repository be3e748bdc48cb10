"""An agent that ends in the middle of its turn: everybody who waits for its messages hears of it, and so does every message."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import pytest

from tests.agents.running import processes
from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import DEADLINE_S, RunningHark
from tests.support.terminals import wait_until


def kill_process(agent: Agent) -> None:
    """Kill the agent's own process, as the kernel does when memory runs out."""
    airlock = agent.hark.session(agent.name)["pane_pid"]
    (pid,) = [int(pid) for pid, parent in map(str.split, processes("pid=,ppid=")) if int(parent) == airlock]
    os.kill(pid, signal.SIGKILL)


def kill_pane(agent: Agent) -> None:
    agent.hark.tmux("kill-pane", "-t", agent.pane)


def kill_session(agent: Agent) -> None:
    agent.hark.ok("kill", agent.name)


WAYS = (kill_process, kill_pane, kill_session)


def ids(hark: RunningHark) -> list[str]:
    return [one["id"] for one in hark.api("GET", "/sessions/a/messages").json["messages"]]


@pytest.mark.parametrize("end", WAYS)
def test_the_end_of_an_agent_ends_the_wait_for_the_message_that_it_works_on(
    hark: RunningHark, end: Callable[[Agent], None]
) -> None:
    agent = Agent(hark)
    Agent(hark, "other")
    with hark.follow("send", "a", "[[busy=600]] work", "--wait", "completed") as waiting:
        wait_until(lambda: ids(hark), DEADLINE_S, "the message", waiting.printed)
        (message_id,) = ids(hark)
        hark.wait_status(message_id, "acknowledged")

        end(agent)

        assert waiting.wait_ended() == 1
        printed = waiting.printed()
    message = hark.message(message_id)
    assert f"failed {message_id} to a after " in printed
    assert printed.rstrip().endswith(": the agent ended")
    assert (message["status"], message["receipts"][-1]["detail"]) == ("failed", "the agent ended")
    assert message["ended_at"]
    assert "was not finished (the agent ended)" in hark.ok("show", message_id)


def test_the_end_of_an_agent_ends_the_wait_for_the_message_that_waits_behind(hark: RunningHark) -> None:
    agent = Agent(hark)
    working = agent.post("[[busy=600]] work")
    hark.wait_status(working, "acknowledged")
    hark.ok("hold", "a")
    with hark.follow("send", "a", "behind", "--wait", "completed") as waiting:
        wait_until(lambda: len(ids(hark)) == 2, DEADLINE_S, "the message", waiting.printed)
        behind = next(one for one in ids(hark) if one != working)
        hark.wait_status(behind, "held", "do-not-disturb")

        kill_pane(agent)

        assert waiting.wait_ended() == 1
        assert f"held {behind} to a after " in waiting.printed()
    hark.wait_status(working, "failed")
    hark.wait_status(behind, "held", "session-gone")


def test_what_was_reached_before_the_agent_ended_is_a_success(hark: RunningHark) -> None:
    agent = Agent(hark)
    message_id = agent.post("[[busy=600]] work")
    hark.wait_status(message_id, "acknowledged")
    kill_pane(agent)
    hark.wait_status(message_id, "failed")

    told = {
        goal: hark.api("GET", f"/messages/{message_id}?wait={goal}&wait_seconds=5")
        for goal in ("submitted", "completed")
    }

    assert {goal: answer.status for goal, answer in told.items()} == {"submitted": 200, "completed": 200}
    assert told["completed"].json["status"] == "failed"
    assert told["completed"].json["acknowledged_at"]


def test_a_sender_that_wants_to_hear_of_the_stop_hears_of_the_failure(hark: RunningHark) -> None:
    boss, worker = Agent(hark, "boss"), Agent(hark, "worker")
    options = ("--from", "boss", "--notify-on-stop", "--no-notify-on-failure")
    hark.wait_status(worker.send("[[busy=600]] work", *options), "acknowledged")

    kill_process(worker)

    wait_until(lambda: boss.bodies(), DEADLINE_S, "the notice", boss.prompts)
    assert boss.bodies()[0].startswith(f"[hark] Message to worker ({worker.id}) was not finished: the agent ended")


def test_an_agent_that_ended_while_no_daemon_ran_is_noticed_by_the_next_daemon(hark: RunningHark) -> None:
    agent = Agent(hark)
    message_id = agent.post("[[busy=600]] work")
    hark.wait_status(message_id, "acknowledged")
    hark.kill_daemon()
    kill_pane(agent)

    hark.ok("daemon", "start")

    hark.wait_status(message_id, "failed")


def test_a_message_to_a_session_that_is_gone_is_refused_unless_it_is_to_be_kept(hark: RunningHark) -> None:
    agent = Agent(hark)
    first = hark.json("send", "--idempotency-key", "k1", "a", "hello")
    hark.wait_status(first["id"], "completed")
    kill_session(agent)
    hark.wait_gone("a")

    refusal = hark.refused("send", "a", "anybody there?")
    answer = hark.api("POST", "/sessions/a/send", {"text": "anybody there?"})
    kept = hark.json("send", "--queue", "a", "anybody there?")
    again = hark.json("send", "--idempotency-key", "k1", "a", "hello")

    assert (refusal.exit_code, refusal.code) == (3, "session-gone")
    assert "--queue" in refusal.hint
    assert (answer.status, answer.json["code"]) == (410, "session-gone")
    assert answer.headers["content-type"] == "application/problem+json"
    hark.wait_status(kept["id"], "held", "session-gone")
    assert again["id"] == first["id"]


def test_a_session_that_comes_back_gets_what_was_kept_and_not_what_its_last_agent_had(hark: RunningHark) -> None:
    agent = Agent(hark)
    lost = agent.post("[[busy=600]] lost")
    hark.wait_status(lost, "acknowledged")
    kill_pane(agent)
    hark.wait_gone("a")
    kept = hark.json("send", "--queue", "a", "kept")["id"]

    hark.ok("restart", "-d", "a")

    hark.wait_status(kept, "completed")
    hark.wait_status(lost, "failed")
    assert agent.bodies() == ["[[busy=600]] lost", "kept"]
