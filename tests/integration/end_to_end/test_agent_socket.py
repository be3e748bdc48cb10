"""`agent.sock`: what runs in a session has the rights of that session, and a sandbox can be given that socket alone."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.calling import UnixConnection, call
from tests.integration.end_to_end.running import DEADLINE_S, RunningHark
from tests.support.terminals import wait_until

HOOK = str(Path(sys.executable).with_name("hark-hook"))


@pytest.fixture
def hark() -> Iterator[RunningHark]:
    with RunningHark() as running:
        yield running


def environment_of(agent: Agent) -> dict[str, str]:
    """What the session's agent has in its own environment, as /proc tells it."""
    pid = int(agent.hark.tmux("display-message", "-p", "-t", agent.pane, "#{pane_pid}"))
    words = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    pairs = (os.fsdecode(word).partition("=") for word in words)
    wanted = ("HARK_SESSION", "HARK_TOKEN", "HARK_AGENT_SOCKET")
    return {name: value for name, _, value in pairs if name in wanted}


def test_a_session_has_a_token_and_a_private_socket(hark: RunningHark) -> None:
    agent = Agent(hark, "alpha")

    inside = environment_of(agent)

    assert inside["HARK_SESSION"] == agent.id
    assert inside["HARK_TOKEN"].startswith(f"{agent.id}.")
    facts = os.stat(inside["HARK_AGENT_SOCKET"])
    assert stat.S_ISSOCK(facts.st_mode)
    assert stat.S_IMODE(facts.st_mode) == 0o600
    assert stat.S_IMODE(os.stat(hark.state / "agent-secret").st_mode) == 0o600


def test_an_agent_sends_as_itself_whatever_it_says(hark: RunningHark) -> None:
    alpha, beta = Agent(hark, "alpha"), Agent(hark, "beta")
    inside = environment_of(alpha)

    sent = hark.json("send", "--from", "beta", "beta", "who am I?", environment=inside)

    hark.wait_reached(sent["id"], "submitted")
    message = hark.message(sent["id"])
    assert message["sender_session_id"] == alpha.id
    assert beta.prompts()[0].startswith(f"[Input from: alpha ({alpha.id}) via hark send · ")


ALLOWED = (
    ("ls",),
    ("queue", "alpha"),
    ("output", "alpha"),
    ("inbox",),
    ("signal", "working", "on it"),
    ("remind", "1h", "look again"),
    ("reminders",),
    ("hold", "alpha"),
)
REFUSED = (
    ("new", "-d", "-n", "gamma", "--", "sh"),
    ("spawn", "-n", "gamma", "--agent", "demo", "a task"),
    ("kill", "beta"),
    ("rename", "beta", "gamma"),
    ("hold", "beta"),
    ("release", "beta"),
    ("send", "--raw", "beta", "/compact"),
    ("queue", "beta"),
    ("history", "beta"),
    ("last", "beta"),
    ("output", "beta"),
    ("events",),
    ("stats",),
    ("daemon", "stop"),
)


def test_an_agent_may_do_what_concerns_its_own_session_and_no_more(hark: RunningHark) -> None:
    alpha, beta = Agent(hark, "alpha"), Agent(hark, "beta")
    theirs = hark.json("send", "beta", "a secret", "--from", "boss")["id"]
    hark.wait_reached(theirs, "submitted")
    inside = environment_of(alpha)

    for words in ALLOWED:
        hark.ok(*words, environment=inside)
    refusals = {
        words: hark.run(*words, environment=inside) for words in (*REFUSED, ("show", theirs), ("cancel", theirs))
    }

    assert {words: finished.returncode for words, finished in refusals.items()} == dict.fromkeys(refusals, 4)
    assert all("docs/security.md" in finished.stderr for finished in refusals.values())
    assert {session["name"] for session in hark.json("ls")["sessions"]} == {"alpha", "beta"}
    assert beta.prompts() != []


def test_a_right_that_is_granted_counts(hark: RunningHark) -> None:
    hark.set(agent_rights="spawn,kill")
    inside = environment_of(Agent(hark, "alpha"))

    hark.ok("new", "-d", "-n", "gamma", "--", "sh", environment=inside)
    hark.ok("kill", "gamma", environment=inside)

    assert hark.run("rename", "alpha", "delta", environment=inside).returncode == 4


def test_an_unknown_right_is_refused_when_the_daemon_starts(hark: RunningHark) -> None:
    hark.set(agent_rights="spwan")

    refusal = hark.refused("ls")

    assert refusal.code == "config-invalid"
    assert "spawn" in refusal.hint


def test_no_other_token_opens_the_socket(hark: RunningHark) -> None:
    agent, other = Agent(hark, "alpha"), Agent(hark, "beta")
    inside = environment_of(agent)
    proof = inside["HARK_TOKEN"].partition(".")[2]
    bad = ("", "x", f"{agent.id}.", f"{agent.id}.0000", f"{other.id}.{proof}", f"{agent.id}.{proof}0", f".{proof}")

    for token in bad:
        socket = UnixConnection(Path(inside["HARK_AGENT_SOCKET"]))
        answer = call(socket, "GET", "/sessions", None, {"Authorization": f"Bearer {token}"})

        assert (answer.status, answer.json["code"]) == (401, "token-wrong"), token


def test_the_token_of_a_session_that_has_ended_opens_nothing(hark: RunningHark) -> None:
    agent = Agent(hark, "alpha")
    inside = environment_of(agent)
    hark.ok("kill", "alpha")
    wait_until(lambda: hark.json("ls")["sessions"] == [], DEADLINE_S, "the session to be gone")

    refusal = hark.refused("ls", environment=inside)

    assert (refusal.exit_code, refusal.code) == (4, "token-wrong")


def test_a_token_outlives_the_daemon(hark: RunningHark) -> None:
    inside = environment_of(Agent(hark, "alpha"))
    hark.ok("daemon", "stop")
    hark.ok("daemon", "start")

    hark.ok("signal", "working", "still here", environment=inside)

    [session] = hark.json("ls")["sessions"]
    assert session["signal_text"] == "still here"


def test_a_sandbox_with_that_socket_alone_can_send_and_report(hark: RunningHark, tmp_path: Path) -> None:
    """Another home, no runtime directory: nothing but the socket and the token."""
    alpha, beta = Agent(hark, "alpha"), Agent(hark, "beta")
    inside = environment_of(alpha)
    bare = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path), **inside}

    sent = json.loads(_run([sys.executable, "-m", "hark.cli.main", "send", "--json", "beta", "from the sandbox"], bare))
    _run([HOOK, "demo", "SessionStart"], bare, b'{"session_id": "x"}')

    hark.wait_reached(sent["id"], "submitted")
    assert beta.bodies() == ["from the sandbox"]
    counts = hark.json("stats")["hooks"]
    assert any(name.startswith("demo ") for name in counts)


def _run(words: list[str], environment: dict[str, str], stdin: bytes = b"") -> bytes:
    return subprocess.run(
        words, env=environment, input=stdin, stdout=subprocess.PIPE, timeout=DEADLINE_S, check=True
    ).stdout


def test_an_agent_can_ask_the_doctor(hark: RunningHark) -> None:
    alpha = Agent(hark, "alpha")

    told = hark.json("doctor", environment=environment_of(alpha))

    assert told["has_problems"] is False
    assert {one["check"] for one in told["findings"]} >= {"tmux", "daemon", "sessions"}
