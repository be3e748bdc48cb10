"""A daemon in which something breaks says so in its log; and one that cannot store anything any more does not go on."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.end_to_end import breaking
from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import DEADLINE_S, Fields, RunningHark
from tests.support.terminals import wait_until


@pytest.fixture
def broken() -> Iterator[RunningHark]:
    """As autostart starts it: with no stderr. What stands in its log is what the test is about."""
    hark = RunningHark()
    hark.environment["HARK_SERVE_COMMAND"] = shlex.join([sys.executable, str(Path(breaking.__file__))])
    hark.environment["PYTHONPATH"] = str(Path(breaking.__file__).parents[3])
    try:
        yield hark
    finally:
        hark.close()


def lines(hark: RunningHark, word: str) -> list[Fields]:
    return [line for line in hark.log() if word in str(line)]


def test_a_daemon_whose_store_has_broken_ends_and_the_next_command_starts_another(broken: RunningHark) -> None:
    agent = Agent(broken)
    agent.send_and_wait("before", "completed")
    pid = broken.daemon_pid()

    refusal = broken.refused("send", "a", breaking.STORE, "--idempotency-key", "k")

    wait_until(lambda: broken.daemon_pid() != pid, DEADLINE_S, "the daemon to end", broken.log)
    [line] = [line for line in broken.log() if line["message"] == "cannot go on"]
    assert line["level"] == "critical"
    assert "the database cannot be used any more: DiskOnFire: the disk is on fire" in line["detail"]
    assert refusal.code in ("store-closed", "daemon-unreachable", "daemon-not-started")
    broken.environment["HARK_SERVE_COMMAND"] = f"{sys.executable} -m hark.cli.main serve"
    agent.send_and_wait("after", "completed")
    assert agent.bodies() == ["before", "after"]


def test_a_message_that_makes_its_courier_fail_steps_aside(broken: RunningHark) -> None:
    broken.set(max_attempts="2")
    agent = Agent(broken)
    broken.ok("hold", "a")
    first, poisonous, last = (agent.send(text) for text in ("first", breaking.PAYLOAD, "last"))

    broken.ok("release", "a")

    assert [broken.wait_end(message_id) for message_id in (first, poisonous, last)] == [
        "completed",
        "dead",
        "completed",
    ]
    assert agent.bodies() == ["first", "last"]
    *_, held, dead = broken.message(poisonous)["receipts"]
    assert "unexpected ValueError" in dead["detail"]
    assert (held["status"], held["reason"]) == ("held", "internal")
    assert "'courier failed' in `hark logs`" in held["detail"]
    assert lines(broken, "courier failed")


def test_what_libraries_threads_and_lost_tasks_say_stands_in_the_log(broken: RunningHark) -> None:
    agent = Agent(broken)

    agent.send(breaking.SAY)

    library, task, thread, finalizer = breaking.WORDS
    wait_until(lambda: lines(broken, finalizer), DEADLINE_S, "the last of them", broken.log)
    said = {line["logger"]: line for line in lines(broken, library)}
    assert said.keys() == {"uvicorn.error", "mcp.server", "asyncio", "starlette"}
    assert {line["level"] for line in said.values()} == {"warning"}
    [of_thread] = lines(broken, thread)
    assert (of_thread["level"], of_thread["in_thread"]) == ("critical", "of-the-test")
    [of_task] = lines(broken, task)
    assert (of_task["logger"], "ValueError" in of_task["error"]) == ("asyncio", True)
    [of_finalizer] = lines(broken, finalizer)
    assert "Finalized.__del__" in of_finalizer["detail"]
