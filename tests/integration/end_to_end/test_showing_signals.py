"""What agents announce, where people and scripts look for it: in the list of sessions, in JSON, at the end of a wait."""

from __future__ import annotations

import os
import pty
import subprocess

import pytest

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import DEADLINE_S, HARK, RunningHark
from tests.integration.end_to_end.test_agent_socket import environment_of
from tests.support.terminals import wait_until

STATES = ("working", "completed", "needs_input", "needs_testing", "error")


def announce(hark: RunningHark, state: str, text: str = "", session: str = "a") -> None:
    assert hark.api("POST", f"/sessions/{session}/signal", {"state": state, "text": text}).status == 200


def announced(hark: RunningHark, state: str) -> bool:
    announce(hark, state)
    return True


def test_the_list_of_sessions_shows_who_needs_something_and_what(agent: Agent) -> None:
    before = agent.hark.ok("ls")
    announce(agent.hark, "needs_input", "Which of the two?")

    head, row = agent.hark.ok("ls").splitlines()

    assert head.split()[4] == "SIGNAL"
    assert "needs_input: Which of the two?" in row
    assert "needs_input" not in before


def test_the_list_of_sessions_shows_the_last_words_of_an_agent_that_announces_nothing(agent: Agent) -> None:
    other = Agent(agent.hark, "other")
    agent.send_and_wait("hello", "completed")
    said = " ".join(agent.hark.ok("last", "a").split())

    rows = agent.hark.ok("ls").splitlines()
    announce(agent.hark, "needs_input", "Which of the two?")
    later = agent.hark.ok("ls").splitlines()

    assert f"“{said}”" in rows[1]
    assert "“" not in rows[2]
    assert said not in later[1]
    # An agent sees only its own words.
    assert words_seen_by(other) == {"a": "", "other": ""}
    assert words_seen_by(agent)["a"]


def words_seen_by(agent: Agent) -> dict[str, str]:
    listed = agent.hark.json("ls", environment=environment_of(agent))["sessions"]
    return {one["name"]: one["last_words"] for one in listed}


def test_a_long_announcement_leaves_room_for_the_rest_of_its_row_on_a_terminal(agent: Agent) -> None:
    announce(agent.hark, "error", "a very long text " * 20)

    shown = on_a_terminal(agent.hark, "ls")

    assert max(len(line) for line in shown.splitlines()) <= 120, shown
    assert "error: a very long text" in shown
    assert "COMMAND" in shown


def test_the_state_has_both_its_names_in_sessions_and_in_events(agent: Agent) -> None:
    announce(agent.hark, "needs_testing", "try it")
    announce(agent.hark, "working")
    session = agent.hark.session("a")
    agent.send_and_wait("go on", "completed")

    events = agent.hark.api("GET", "/events?limit=1000").json["events"]
    told = [event["data"] for event in events if event["kind"].startswith("signal")]
    assert (session["nudge_state"], session["signal_state"], session["nudge_seq"]) == ("working", "working", 2)
    assert [(one["state"], one["nudge_state"]) for one in told] == [
        ("needs_testing", "needs_testing"),
        ("working", "working"),
        ("working", None),
    ]


@pytest.mark.parametrize("state", STATES)
def test_every_signal_can_be_waited_for(agent: Agent, state: str) -> None:
    with agent.hark.follow("wait", "a", "--for", f"signal:{state}", "--timeout", "30s") as waiting:
        # What is announced before the wait has begun does not count, and nobody can see when it begins.
        wait_until(lambda: announced(agent.hark, state) and f"signal:{state}: a" in waiting.printed(), 30, "its end")

        assert waiting.wait_ended() == 0


@pytest.mark.parametrize("state", STATES)
def test_a_wait_for_one_signal_is_not_ended_by_the_others(agent: Agent, state: str) -> None:
    for other in STATES:
        if other != state:
            announce(agent.hark, other)

    asked = f"/wait?sessions=a&for=signal:{state}&after=0&wait_seconds=1"
    before = agent.hark.api("GET", asked)
    announce(agent.hark, state)

    assert before.json["code"] == "wait-timeout"
    assert agent.hark.api("GET", asked).status == 200


def test_completed_means_the_messages_and_signal_completed_means_the_announcement(agent: Agent) -> None:
    agent.send_and_wait("do it", "completed")

    done = agent.hark.run("wait", "a", "--for", "completed", "--timeout", "20s")
    announced = agent.hark.run("wait", "a", "--for", "signal:completed", "--timeout", "1s")

    assert (done.returncode, announced.returncode) == (0, 5)
    assert "completed (every message that was sent): a" in done.stderr
    assert "not signal:completed in time" in announced.stderr


def test_the_help_says_which_completed_is_which(hark: RunningHark) -> None:
    told = " ".join(hark.ok("wait", "--help").split())

    assert "signal:completed" in told
    assert "except for completed: that means that every message that was sent to the agent has completed" in told


def on_a_terminal(hark: RunningHark, *arguments: str) -> str:
    """What a command prints on a terminal of 120 columns."""
    ours, theirs = pty.openpty()
    try:
        size = ["stty", "rows", "30", "cols", "120"]
        subprocess.run(size, stdin=theirs, check=True)
        done = subprocess.run(
            [HARK, *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=hark.environment | {"NO_COLOR": "1", "COLUMNS": "120"},
            timeout=DEADLINE_S,
        )
        assert done.returncode == 0
        return os.read(ours, 65536).decode().replace("\r\n", "\n")
    finally:
        os.close(theirs)
        os.close(ours)
