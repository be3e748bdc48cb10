"""Agents that fail are started again by themselves, if the session wants that, and nobody starts an agent again that a human ended."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.agents.running import processes
from tests.integration.end_to_end.agents import PROGRAM, Agent
from tests.integration.end_to_end.running import DEADLINE_S, RunningHark
from tests.integration.end_to_end.test_dead_ends import kill_pane, kill_process, kill_session
from tests.support.terminals import wait_until

Fields = dict[str, Any]


def restarting(hark: RunningHark, name: str = "a") -> Agent:
    """A demo agent that starts again when it fails."""
    hark.set(restart="on-failure")
    return Agent(hark, name)


def events(hark: RunningHark, kind: str) -> list[Fields]:
    return [one for one in hark.api("GET", "/events?limit=1000").json["events"] if one["kind"] == kind]


def wait_restarted(hark: RunningHark, count: int = 1) -> None:
    wait_until(lambda: len(events(hark, "session.restarted")) >= count, DEADLINE_S, "a restart", hark.log)


def kill_airlock(agent: Agent) -> None:
    os.kill(agent.hark.session(agent.name)["pane_pid"], signal.SIGKILL)


@pytest.mark.parametrize(
    ("fail", "why"), [(kill_process, "its agent was killed by SIGKILL"), (kill_airlock, "its airlock was killed")]
)
def test_an_agent_that_is_killed_comes_back_and_gets_its_queue_once(
    hark: RunningHark, fail: Callable[[Agent], None], why: str
) -> None:
    agent = restarting(hark)
    lost = agent.post("[[busy=600]] lost")
    hark.wait_status(lost, "acknowledged")
    hark.ok("hold", "a")
    waiting = agent.post("for later")
    before = hark.session("a")

    fail(agent)

    wait_restarted(hark)
    after = hark.session("a")
    assert (after["id"], after["name"], after["state"]) == (before["id"], "a", "running")
    assert (after["failures"], after["restart_at"], after["has_given_up"]) == (1, None, False)
    assert after["do_not_disturb_since"]
    hark.ok("release", "a")
    hark.wait_reached(waiting, "completed")
    hark.wait_status(lost, "failed")
    assert agent.bodies() == ["[[busy=600]] lost", "for later"]
    (gone,) = events(hark, "session.gone")
    assert gone["data"]["why"] == why
    assert gone["data"]["restart_at"]


def end_by_itself(agent: Agent) -> None:
    """End the demo agent as its human does, with Ctrl-D in its empty box."""
    agent.hark.tmux("send-keys", "-t", agent.pane, "C-d")


@pytest.mark.parametrize("end", [kill_pane, kill_session, end_by_itself])
def test_an_agent_that_a_human_ends_stays_gone(hark: RunningHark, end: Callable[[Agent], None]) -> None:
    agent = restarting(hark)
    Agent(hark, "other")

    end(agent)

    gone = hark.wait_gone("a")
    assert (gone["failures"], gone["restart_at"], gone["has_given_up"]) == (0, None, False)
    # Its environment is not kept any longer.
    wait_until(lambda: len(kept(hark)) == 1, DEADLINE_S, "the file of the other session alone")
    assert events(hark, "session.restarted") == []


def kept(hark: RunningHark) -> list[Path]:
    return sorted((hark.home / "run/starts").glob("*"))


def test_an_agent_without_the_wish_stays_gone_and_its_end_is_told(hark: RunningHark) -> None:
    hark.ok("new", "-d", "-n", "a", "--", "sh", "-c", "exit 3")

    gone = hark.wait_gone("a")

    assert (gone["gone_because"], gone["restart"]) == ("its agent ended with exit status 3", "no")
    assert gone["restart_at"] is None
    assert kept(hark) == []


def test_an_agent_that_keeps_failing_is_given_up_and_a_human_is_told(hark: RunningHark) -> None:
    hark.set(max_restarts="2")
    hark.ok("new", "-d", "-n", "a", "--restart", "on-failure", "--", "sh", "-c", "exit 3")

    wait_until(lambda: hark.session("a")["signal_state"] == "error", DEADLINE_S, "the signal", hark.log)

    session = hark.session("a")
    assert (session["state"], session["has_given_up"], session["failures"]) == ("gone", True, 3)
    assert session["signal_text"] == (
        "hark does not start this agent again: it has failed 3 times in a row (its agent ended with exit status 3); "
        "`hark restart a` starts it"
    )
    assert len(events(hark, "session.restarted")) == 2
    (given_up,) = events(hark, "session.given_up")
    assert given_up["data"]["failures"] == 3
    assert "gave up" in hark.ok("ls")
    assert "hark does not start this agent again" in hark.ok("ls")
    hark.ok("kill", "a")
    assert "gave up" not in hark.run("ls").stdout


def test_a_restart_by_hand_counts_from_the_beginning(hark: RunningHark) -> None:
    hark.set(max_restarts="1")
    log = hark.home / "a.log"
    script = f"test -e {hark.home}/well || exit 3; exec {PROGRAM} --log {log}"
    hark.ok("new", "-d", "-n", "a", "--restart", "on-failure", "--", "sh", "-c", script)
    wait_until(lambda: hark.session("a")["signal_state"] == "error", DEADLINE_S, "the signal", hark.log)
    (hark.home / "well").touch()

    made = hark.json("restart", "a")["session"]

    assert (made["state"], made["failures"], made["has_given_up"]) == ("running", 0, False)
    assert (made["signal_state"], made["restart"]) == (None, "on-failure")
    assert len(kept(hark)) == 1


def test_a_session_that_waits_for_its_restart_can_be_ended(hark: RunningHark) -> None:
    hark.ok("new", "-d", "-n", "a", "--restart", "on-failure", "--", "sh", "-c", "exit 3")
    wait_until(lambda: hark.session("a")["failures"] >= 4, DEADLINE_S, "some failures", hark.log)
    wait_until(lambda: hark.session("a")["restart_at"], DEADLINE_S, "the next pause", hark.log)
    assert "restarts in" in hark.ok("ls")

    hark.ok("kill", "a")

    gone = hark.session("a")
    assert (gone["state"], gone["gone_because"], gone["restart_at"]) == ("gone", "killed", None)
    assert hark.run("ls").stdout == ""


def test_an_agent_that_fails_while_no_daemon_runs_comes_back_with_the_next_daemon(hark: RunningHark) -> None:
    agent = restarting(hark)
    Agent(hark, "other")
    (pid,) = [
        int(pid)
        for pid, parent in map(str.split, processes("pid=,ppid="))
        if int(parent) == hark.session("a")["pane_pid"]
    ]
    hark.kill_daemon()
    os.kill(pid, signal.SIGKILL)

    hark.ok("daemon", "start")

    wait_restarted(hark)
    agent.wait_event("ready", 2)


def test_a_pause_goes_on_across_a_restart_of_the_daemon(hark: RunningHark) -> None:
    agent = restarting(hark)
    kill_process(agent)
    wait_until(lambda: hark.session("a")["restart_at"], DEADLINE_S, "the pause", hark.log)
    hark.kill_daemon()

    hark.ok("daemon", "start")

    agent.wait_event("ready", 2)
    wait_restarted(hark)
    assert len(events(hark, "session.restarted")) == 1


def test_a_start_that_cannot_succeed_any_more_is_given_up(hark: RunningHark) -> None:
    agent = restarting(hark)
    for file in kept(hark):
        file.unlink()

    kill_process(agent)

    wait_until(lambda: hark.session("a")["has_given_up"], DEADLINE_S, "hark to give up", hark.log)
    wait_until(lambda: hark.session("a")["signal_text"], DEADLINE_S, "the signal", hark.log)
    assert "the environment that it was started with is not on record" in hark.session("a")["signal_text"]


def test_a_crew_file_says_when_its_agents_start_again(hark: RunningHark) -> None:
    crew = hark.home / "crew.toml"
    crew.write_text(
        f'[[session]]\nname = "a"\ncommand = ["{PROGRAM}"]\nrestart = "on-failure"\n'
        f'[[session]]\nname = "b"\ncommand = ["{PROGRAM}"]\n'
    )

    hark.ok("up", str(crew))

    assert {name: hark.session(name)["restart"] for name in "ab"} == {"a": "on-failure", "b": "no"}
    hark.ok("down", str(crew))
    assert {name: hark.session(name)["restart_at"] for name in "ab"} == {"a": None, "b": None}


def test_the_kept_environment_can_be_read_by_its_user_alone(hark: RunningHark) -> None:
    restarting(hark)

    (file,) = kept(hark)

    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert b"HARK_TOKEN" not in file.read_bytes()
