"""What a new user tries first: an agent without a word about which, a task, an end of several, colours in a pipe."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.end_to_end.agents import PROGRAM, Agent
from tests.integration.end_to_end.running import RunningHark

FRESH = {"PATH": "/usr/bin:/bin"}


def installed(hark: RunningHark, *names: str) -> dict[str, str]:
    """An environment in which these programs are on the PATH, each of them the demo agent."""
    directory = hark.home / "bin"
    directory.mkdir(parents=True, exist_ok=True)
    for name in names:
        (directory / name).symlink_to(PROGRAM)
    return {"PATH": f"{directory}:{FRESH['PATH']}"}


def test_the_first_known_agent_that_is_installed_is_started(hark: RunningHark) -> None:
    environment = installed(hark, "gemini", "codex")
    hark.set(native="false", hooks="false")

    made = hark.json("new", environment=environment)
    spawned = hark.json("spawn", "look around", environment=environment)

    assert made["command"] == ["codex"]
    assert (spawned["session"]["agent"], spawned["session"]["command"]) == ("codex", ["codex"])
    assert hark.message(spawned["message"]["id"])["text"] == "look around"


def test_a_setting_says_which(hark: RunningHark) -> None:
    hark.set(default_agent="gemini", native="false", hooks="false")

    assert hark.json("new", environment=installed(hark, "gemini", "codex"))["command"] == ["gemini"]


def test_a_kind_alone_is_enough(hark: RunningHark) -> None:
    hark.set(native="false", hooks="false")

    assert hark.json("new", "--agent", "gemini", environment=installed(hark, "gemini"))["command"] == ["gemini"]


def test_without_any_agent_the_hint_says_what_helps(hark: RunningHark) -> None:
    refusal = hark.refused("new", environment=FRESH)

    assert (refusal.exit_code, refusal.code) == (2, "request-invalid")
    assert "default_agent" in refusal.hint


def test_a_wrong_default_is_told_with_the_kinds_there_are(hark: RunningHark) -> None:
    hark.set(default_agent="hal")

    refusal = hark.refused("spawn", "open the doors")

    assert refusal.code == "agent-unknown"
    assert "claude" in refusal.hint


def test_everything_is_checked_before_an_agent_is_started(hark: RunningHark) -> None:
    """Outside of a session nobody can be told that it has stopped."""
    refusal = hark.refused("spawn", "--agent", "demo", "--command", PROGRAM, "--notify-on-stop", "text")

    assert refusal.code == "request-invalid"
    assert "--from NAME" in refusal.hint
    assert hark.json("ls", "-a")["sessions"] == []


def test_reminding_outside_of_a_session_needs_a_name(hark: RunningHark) -> None:
    assert "--to NAME" in hark.refused("remind", "5m", "stand-up").hint


def test_several_sessions_are_ended_at_once_and_twice_is_no_failure(hark: RunningHark) -> None:
    for name in ("a", "b", "crew/one", "crew/two", "left"):
        hark.ok("new", "-d", "-n", name, "--", "cat")

    ended = hark.json("kill", "a", "crew/*", "b", "a")
    again = hark.run("kill", "a")

    assert sorted(one["name"] for one in ended["sessions"]) == ["a", "b", "crew/one", "crew/two"]
    assert [one["name"] for one in hark.json("ls")["sessions"]] == ["left"]
    assert (again.returncode, again.stdout) == (0, "")
    assert "is gone already" in again.stderr
    assert hark.json("kill", "a")["state"] == "gone"


def test_a_name_that_fits_nobody_ends_nothing(hark: RunningHark) -> None:
    hark.ok("new", "-d", "-n", "a", "--", "cat")

    for names in (("a", "nobody"), ("a", "crew/*")):
        assert hark.refused("kill", *names).code == "session-not-found"

    assert [one["name"] for one in hark.json("ls")["sessions"]] == ["a"]


def test_a_pattern_never_ends_the_session_that_says_it(hark: RunningHark) -> None:
    ids = [hark.json("new", "-d", "-n", name, "--", "cat")["id"] for name in ("crew/one", "crew/two")]

    hark.ok("kill", "crew/*", environment={"HARK_SESSION": ids[0]})

    assert [one["id"] for one in hark.json("ls")["sessions"]] == [ids[0]]


def test_colours_in_a_pipe_are_left_out_and_that_is_said(agent: Agent) -> None:
    coloured = (
        b"\x1b[1m\x1b[31mFAILED\x1b[0m test_x\x1b[K\n\x1b]8;;http://x\x1b\\link\x1b]8;;\x07 \x1b[38;5;9mred\x1b[m\n"
    )

    sent = agent.hark.run("send", "--wait", "completed", "a", "-", stdin=coloured)

    assert sent.returncode == 0
    assert "colours" in sent.stderr
    assert agent.bodies() == ["FAILED test_x\nlink red"]


def test_settings_of_the_first_design_are_refused_with_their_translation(hark: RunningHark) -> None:
    directory = Path(hark.home / "config")
    directory.mkdir(parents=True)
    (directory / "config.yaml").write_text("sm_send:\n  input_poll_interval: 7  # seconds\n  max_batch_size: 3\n")

    refusal = hark.refused("ls")
    looked = hark.run("doctor").stdout

    assert refusal.code == "config-invalid"
    assert "input_poll_interval = 7 | max_batch_size = 3" in refusal.hint
    assert "input_poll_interval = 7" in looked


@pytest.mark.parametrize("estimate", ["busy", "held"])
def test_why_a_message_waits_is_said_in_words(agent: Agent, estimate: str) -> None:
    hark = agent.hark
    if estimate == "held":
        hark.ok("hold", "a")

        assert "held: a human does not want to be disturbed" in hark.ok("send", "a", "later")
        return
    agent.send("[[busy=30]]")
    agent.wait_event("prompt")

    line = hark.ok("send", "a", "later")

    assert "waiting_for_" not in line
    assert "position 1, " in line
