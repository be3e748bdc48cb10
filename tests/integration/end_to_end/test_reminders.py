"""Reminders from the command line: later, at a time, again and again; for oneself and for others."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import apsw
import pytest

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import DEADLINE_S, RunningHark
from tests.support.terminals import wait_until


@pytest.fixture(scope="module")
def idle() -> Iterator[Agent]:
    """An agent for all tests that send it nothing."""
    with RunningHark() as running:
        yield Agent(running)


def reminded(agent: Agent) -> list[str]:
    return [body for body in agent.bodies() if body.startswith("[hark] Scheduled reminder")]


def wait_reminded(agent: Agent, count: int = 1) -> list[str]:
    wait_until(lambda: len(reminded(agent)) >= count, DEADLINE_S, f"{count} reminders", agent.bodies)
    return reminded(agent)


def set_due(hark: RunningHark, ago: timedelta) -> None:
    """As if so much time had passed since it was due, with no daemon there."""
    hark.kill_daemon(signal.SIGTERM)
    connection = apsw.Connection(str(hark.database))
    micros = round((datetime.now(UTC) - ago).timestamp() * 1_000_000)
    connection.execute("UPDATE reminders SET fire_at = ?", (micros,))
    connection.close()
    hark.ok("daemon", "start")


def test_wake_is_remind_and_the_own_session_is_the_default(hark: RunningHark) -> None:
    agent = Agent(hark, "a")

    hark.ok("wake", "1s", "time to review", environment={"HARK_SESSION": agent.id})

    assert wait_reminded(agent) == ["[hark] Scheduled reminder:\ntime to review"]


def test_a_time_of_day_is_the_next_one_that_comes(hark: RunningHark) -> None:
    Agent(hark, "a")
    at = datetime.now() + timedelta(hours=2)

    made = hark.json("remind", "--to", "a", "--at", f"{at:%H:%M}", "stand-up")

    fire_at = datetime.fromisoformat(made["fire_at"])
    assert timedelta(hours=1, minutes=58) < fire_at - datetime.now(UTC) <= timedelta(hours=2)
    assert hark.json("reminders")["reminders"][0]["message"] == "stand-up"


def test_a_repeated_one_that_was_missed_for_hours_fires_once_and_goes_on(hark: RunningHark) -> None:
    agent = Agent(hark, "a")
    made = hark.json("remind", "--to", "a", "--every", "30m", "anything new?")
    assert made["repeat"] == "every 1800"

    set_due(hark, timedelta(hours=5))

    (late,) = wait_reminded(agent)
    assert late.startswith("[hark] Scheduled reminder (late: ")
    (waiting,) = hark.json("reminders")["reminders"]
    assert timedelta(0) < datetime.fromisoformat(waiting["fire_at"]) - datetime.now(UTC) <= timedelta(minutes=30)
    hark.ok("send", "--wait", "completed", "a", "what comes after")
    assert len(reminded(agent)) == 1


def test_repeated_ones_do_not_pile_up_before_a_held_session(hark: RunningHark) -> None:
    agent = Agent(hark, "a")
    hark.ok("remind", "--to", "a", "--every", "10m", "look")
    hark.ok("hold", "a")
    for _ in range(3):
        set_due(hark, timedelta(minutes=1))
        wait_until(lambda: hark.json("queue", "a")["pending_count"], DEADLINE_S, "one in the queue")

    hark.ok("release", "a")

    wait_reminded(agent)
    hark.ok("send", "--wait", "completed", "a", "what comes after")
    assert len(reminded(agent)) == 1


def test_a_cron_line_is_kept_until_it_is_cancelled(hark: RunningHark) -> None:
    agent = Agent(hark, "a")
    made = hark.json("remind", "--to", "a", "--cron", "0 9 * * 1-5", "good morning")
    assert made["repeat"] == "cron 0 9 * * 1-5"

    set_due(hark, timedelta(seconds=1))
    wait_reminded(agent)

    assert hark.json("reminders", "--cancel", made["id"])["cancelled_at"]
    assert hark.json("reminders")["reminders"] == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("--at", "25:99", "x"),
        ("--at", "2020-01-01 10:00", "x"),
        ("--cron", "* * *", "x"),
        ("--every", "1s", "x"),
        ("--at", "14:30", "--cron", "* * * * *", "x"),
        ("soon", "x"),
    ],
    ids=str,
)
def test_times_that_make_no_sense_are_refused(idle: Agent, arguments: tuple[str, ...]) -> None:
    hark = idle.hark

    assert hark.refused("remind", "--to", "a", *arguments).exit_code == 2
    assert hark.json("reminders")["reminders"] == []


def test_a_poisoned_reminder_stops_no_other_one_and_says_why(hark: RunningHark) -> None:
    agent = Agent(hark, "a")
    poisoned = hark.json("remind", "--to", "a", "1h", "too long soon")["id"]
    hark.ok("remind", "--to", "a", "1h", "the good one")
    hark.kill_daemon(signal.SIGTERM)
    connection = apsw.Connection(str(hark.database))
    connection.execute("UPDATE reminders SET text = ?, failures = 4 WHERE id = ?", ("x" * 2_000_000, poisoned))
    connection.close()
    hark.ok("daemon", "start")

    set_due(hark, timedelta(seconds=5))

    assert wait_reminded(agent) == ["[hark] Scheduled reminder:\nthe good one"]
    wait_until(lambda: hark.json("reminders")["reminders"][0]["set_aside_at"], DEADLINE_S, "it to be set aside")
    (left,) = hark.json("reminders")["reminders"]
    assert (left["id"], left["failures"]) == (poisoned, 5)
    assert left["failure"].startswith("text-too-long: ")
    shown = hark.run("reminders")
    assert "set aside" in shown.stdout
    assert f"{poisoned} failed 5 times and is not tried again: text-too-long" in shown.stderr
    hark.ok("reminders", "--cancel", poisoned)
    assert hark.json("reminders")["reminders"] == []


def test_a_delay_follows_elapsed_time_and_a_time_of_day_the_clock(hark: RunningHark) -> None:
    Agent(hark, "a")

    delay = hark.json("remind", "--to", "a", "1h", "x")
    interval = hark.json("remind", "--to", "a", "--every", "1h", "x")
    by_clock = hark.json("remind", "--to", "a", "--at", "14:30", "x")
    cron = hark.json("remind", "--to", "a", "--cron", "0 9 * * *", "x")

    follows = [one["follows"] for one in (delay, interval, by_clock, cron)]
    assert follows == ["elapsed", "elapsed", "clock", "clock"]
