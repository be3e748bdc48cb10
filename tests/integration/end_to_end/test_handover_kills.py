"""The daemon killed at every point of a hand-over through a hook: the agent gets the message once, and hark says so."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.end_to_end import dying_in_handover
from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import DEADLINE_S, RunningHark
from tests.support.terminals import wait_until

_SERVE = 'exec "$0" -W default "$@" 2>>"$HARK_HOME/stderr"'


@pytest.fixture
def mortal() -> Iterator[tuple[RunningHark, Path]]:
    with RunningHark() as hark:
        plan = hark.home / "plan"
        words = ["sh", "-c", _SERVE, sys.executable, str(Path(dying_in_handover.__file__)), str(plan)]
        hark.environment["HARK_SERVE_COMMAND"] = shlex.join(words)
        hark.environment["PYTHONPATH"] = str(Path(__file__).parents[3])
        yield hark, plan


def arrivals(agent: Agent, message_id: str) -> int:
    return sum(event["text"].count(message_id) for event in agent.named("prompt", "continued", "told"))


# `make agents` tries both.
BOUNDARIES = ("stop", "tool") if os.environ.get("HARK_TEST_MATRIX") else ("stop",)


@pytest.mark.parametrize("boundary", BOUNDARIES)
@pytest.mark.parametrize("point", dying_in_handover.POINTS)
def test_the_message_arrives_once_and_is_completed(mortal: tuple[RunningHark, Path], point: str, boundary: str) -> None:
    hark, plan = mortal
    agent = Agent(hark, "a", "--take-answers")
    hark.wait_reached(agent.post("[[tool=0.7]] [[tool=0.7]] [[busy=0.7]] first"), "acknowledged")
    plan.write_text(point)

    message_id = agent.post("second", delivery_mode="important" if boundary == "tool" else "sequential")
    wait_until(lambda: not plan.exists() and hark.daemon_pid() is None, DEADLINE_S, "the daemon to die", hark.log)
    hark.ok("daemon", "start")

    # Something must be heard of the agent, or nobody knows that it has stopped.
    wait_until(lambda: agent.named("stopped"), DEADLINE_S, "the end of its turn", agent.events)
    hark.tmux("send-keys", "-t", agent.pane, "hello", "Enter")
    hark.wait_status(message_id, "completed")
    assert arrivals(agent, message_id) == 1, agent.events()
