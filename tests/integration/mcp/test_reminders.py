"""Reminders across restarts."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import apsw
import pytest

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import RunningHark
from tests.support.terminals import wait_until

DEADLINE_S = 90.0


@pytest.fixture
def hark() -> Iterator[RunningHark]:
    with RunningHark() as running:
        yield running


def change(hark: RunningHark, sql: str) -> None:
    connection = apsw.Connection(str(hark.database))
    connection.execute(sql)
    connection.close()


def reminded(agent: Agent) -> list[str]:
    return [body for body in agent.bodies() if body.startswith("[hark] Scheduled reminder")]


def test_one_that_was_missed_fires_at_the_start_and_says_that_it_is_late(hark: RunningHark) -> None:
    agent = Agent(hark)
    hark.ok("remind", "--to", agent.name, "1h", "look")
    hark.kill_daemon(signal.SIGTERM)
    due_at = datetime.now(UTC) - timedelta(minutes=5)
    change(hark, f"UPDATE reminders SET fire_at = {round(due_at.timestamp() * 1_000_000)}")

    hark.ok("daemon", "start")

    wait_until(lambda: reminded(agent), DEADLINE_S, "the reminder", agent.bodies)
    assert reminded(agent) == [f"[hark] Scheduled reminder (late: it was due at {due_at:%Y-%m-%d %H:%M:%S} UTC):\nlook"]


def test_one_whose_daemon_died_before_it_could_say_that_it_fired_fires_no_second_time(hark: RunningHark) -> None:
    agent = Agent(hark)
    hark.ok("remind", "--to", agent.name, "1s", "look")
    wait_until(lambda: reminded(agent), DEADLINE_S, "the reminder", agent.bodies)
    wait_until(lambda: not hark.json("reminders")["reminders"], DEADLINE_S, "it to be marked")
    hark.kill_daemon()
    # As it was before the mark; and so long ago that its words would be others now.
    change(hark, "UPDATE reminders SET fired_at = NULL, fire_at = fire_at - 600000000")

    hark.ok("daemon", "start")

    wait_until(lambda: not hark.json("reminders")["reminders"], DEADLINE_S, "it to be marked again")
    hark.ok("send", "--wait", "completed", agent.name, "what comes after")
    assert reminded(agent) == ["[hark] Scheduled reminder:\nlook"]
