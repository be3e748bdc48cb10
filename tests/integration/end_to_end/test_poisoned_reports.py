"""Hook reports that name something else than a file, or are any JSON at all: they harm their own session at most, and no other."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hark.agents.registry import agents_with_hooks, find_agent
from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import DEADLINE_S, RunningHark
from tests.support.terminals import wait_until


def tell(hark: RunningHark, session: str, payload: object, agent: str, event: str) -> None:
    head = "\0".join((agent, event, repr(time.time()), session, "", "")).encode()
    text = json.dumps(payload).encode()
    with socket.socket(socket.AF_UNIX) as hook, suppress(BrokenPipeError, ConnectionResetError):
        hook.settimeout(DEADLINE_S)
        hook.connect(str(hark.home / "run/hooks.sock"))
        hook.sendall(b"hark-hook 1 %d %d\n" % (len(head), len(text)) + head + text)
        hook.recv(100)


@pytest.fixture(scope="module")
def both() -> Iterator[tuple[Agent, str]]:
    """An agent that nothing may happen to, and the id of a session that everything is said of."""
    with RunningHark() as hark:
        victim = hark.json("new", "-d", "-n", "victim", "--agent", "claude", "--", "cat")
        yield Agent(hark, "a"), victim["id"]


def test_a_transcript_that_is_no_file_stops_nobody(both: tuple[Agent, str]) -> None:
    agent, victim = both
    home = agent.hark.home
    os.mkfifo(home / "pipe")
    (home / "loop").symlink_to(home / "loop")
    with (home / "huge").open("wb") as file:
        file.truncate(10 * 2**30)
    deep = home / "deep"
    deep.write_text("[" * 100_000 + "\n" + '{"timestamp": "9999-12-31T23:59:59-14:00", "type": "user"}\n')
    paths = [str(home / name) for name in ("pipe", "loop", "huge", "deep", "", "nowhere")]
    paths += ["/dev/zero", "/dev/tty", "/proc/kmsg", "/proc/self/mem", "a\0b", "/\0", "/" + "x" * 100_000, "relative"]

    for number, path in enumerate(paths):
        for event in ("UserPromptSubmit", "Stop"):
            tell(agent.hark, victim, {"transcript_path": path, "session_id": "v", "prompt": "x"}, "claude", event)
        if number % 4 == 0:
            # Long enough for everybody who reads it to have done so.
            agent.send_and_wait(f"[[busy=1]] {number}", "completed")

    agent.send_and_wait("still there", "completed")
    assert not [line for line in agent.hark.log() if "worker failed" in line["message"]]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
FIELDS = (
    "session_id",
    "prompt",
    "transcript_path",
    "turn_id",
    "agent_id",
    "tool_input",
    "notification_type",
    "message",
)
REPORTS = st.dictionaries(st.sampled_from(FIELDS) | st.text(), JSON, max_size=6)
NAMES = [(agent, event) for agent in agents_with_hooks() for event in find_agent(agent).events]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(REPORTS, st.sampled_from(NAMES))
def test_any_report_harms_nobody_else(
    both: tuple[Agent, str], report: dict[str, object], name: tuple[str, str]
) -> None:
    agent, victim = both

    tell(agent.hark, victim, report, *name)

    assert agent.hark.api("GET", f"/sessions/{agent.name}").status == 200


def test_after_all_that_the_other_session_is_served_and_nothing_has_failed(both: tuple[Agent, str]) -> None:
    agent, _ = both

    message_id = agent.send("after all that")

    wait_until(lambda: agent.hark.message(message_id)["status"] == "completed", DEADLINE_S, "completed", agent.hark.log)
    failures = [line for line in agent.hark.log() if "failed" in line["message"] or "error" in line]
    assert not failures
