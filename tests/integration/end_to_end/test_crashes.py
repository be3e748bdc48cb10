"""The daemon dies at the worst moment. Agents and their sessions go on, and every message arrives once or says that it
cannot tell."""

from __future__ import annotations

import random
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import apsw
import pytest

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import DEADLINE_S, RunningHark
from tests.support.terminals import wait_until

PENDING = ("queued", "held", "staged")
# Shows the box of the demo agent, and takes no notice of what is pasted into it.
DEAF = r"stty raw -echo; printf '────────\r\n❯ \r\n────────\033[A\r\033[2C'; exec cat > /dev/null"


def wait_none_pending(hark: RunningHark, ids: list[str]) -> dict[str, str]:
    """The status of each message, once none of them waits any more."""

    def statuses() -> dict[str, str]:
        return {message_id: hark.message(message_id)["status"] for message_id in ids}

    wait_until(lambda: not set(PENDING) & set(statuses().values()), 2 * DEADLINE_S, "all to be delivered", statuses)
    return statuses()


def arrivals(agent: Agent, ids: list[str]) -> list[str]:
    """The ids of the messages in the order in which the agent received them, as often as it received them."""
    wait_until(lambda: "· idle" in agent.screen(), DEADLINE_S, "the agent to be idle", agent.screen)
    return [message_id for text in agent.prompts() for message_id in ids if message_id in text]


def test_messages_that_waited_when_the_daemon_was_killed_arrive_once_after_its_restart(hark: RunningHark) -> None:
    agent = Agent(hark, "a", "--ask-at-start", "make")
    ids = [agent.send(f"number {number}") for number in range(5)]
    hark.wait_status(ids[0], "held", "dialog")
    hark.kill_daemon()
    hark.tmux("send-keys", "-t", agent.pane, "2")
    agent.wait_event("denied")

    hark.ok("daemon", "start")

    for message_id in ids:
        hark.wait_status(message_id, "completed")
    assert arrivals(agent, ids) == ids


@pytest.mark.parametrize("seed", range(3))
def test_a_daemon_killed_again_and_again_loses_nothing_and_repeats_nothing(hark: RunningHark, seed: int) -> None:
    agent = Agent(hark, "a", "--busy", "0.01")
    chance = random.Random(seed)
    ids: list[str] = []
    killed = threading.Event()

    def send_all() -> None:
        while not killed.is_set():
            ids.append(agent.send(f"number {len(ids)}"))

    with ThreadPoolExecutor(1) as sender:
        sending = sender.submit(send_all)
        for _ in range(5):
            received = len(agent.prompts())
            wait_until(lambda: len(agent.prompts()) > received, DEADLINE_S, "a message to arrive", hark.log)  # noqa: B023
            time.sleep(chance.uniform(0, 0.2))
            hark.kill_daemon()
            hark.ok("ls")
        killed.set()
        sending.result()

    statuses = wait_none_pending(hark, ids)
    arrived = arrivals(agent, ids)
    assert len(arrived) == len(set(arrived))
    assert {i for i in ids if i not in arrived} <= {i for i in ids if statuses[i] == "uncertain"}
    assert arrived == [i for i in ids if i in arrived]


def test_a_daemon_told_to_end_in_the_middle_finishes_what_it_began(hark: RunningHark) -> None:
    agent = Agent(hark, "a", "--busy", "0.01")
    ids: list[str] = []
    sender = threading.Thread(target=lambda: ids.extend(agent.send(f"number {number}") for number in range(15)))

    sender.start()
    for count in (2, 6, 10):
        wait_until(lambda: len(agent.prompts()) >= count, DEADLINE_S, "messages to arrive")  # noqa: B023
        hark.kill_daemon(signal.SIGTERM)
        hark.ok("ls")
    sender.join()

    statuses = wait_none_pending(hark, ids)
    assert "uncertain" not in statuses.values()
    assert arrivals(agent, ids) == ids


def test_sessions_outlive_the_daemon(agent: Agent) -> None:
    before = agent.hark.json("ls")["sessions"]
    agent.hark.ok("daemon", "stop")
    assert agent.hark.daemon_pid() is None

    after = agent.hark.json("ls")["sessions"]

    assert after == before
    agent.send_and_wait("still there?", "completed")
    assert agent.bodies() == ["still there?"]


def test_who_waits_for_a_message_waits_on_across_a_restart_and_does_not_hold_it_up(hark: RunningHark) -> None:
    agent = Agent(hark, "a", "--ask-at-start", "make")
    with hark.follow("send", "--wait", "completed", "a", "hello") as sending:
        sending.wait_printed("queued")
        wait_until(lambda: hark.json("queue", "a")["pending_count"] == 1, DEADLINE_S, "the message to wait")

        hark.ok("daemon", "stop")

        assert all(line["message"] != "request failed" for line in hark.log())
        hark.tmux("send-keys", "-t", agent.pane, "2")
        assert sending.wait_ended() == 0
        assert "completed" in sending.printed()
    assert agent.bodies() == ["hello"]


def test_what_ended_while_no_daemon_was_there_is_gone_from_the_first_answer_on(hark: RunningHark) -> None:
    agents = [Agent(hark, name) for name in ("ends", "stays")]
    hark.ok("daemon", "stop")
    hark.tmux("kill-pane", "-t", agents[0].pane)

    sessions = hark.json("ls", "-a")["sessions"]

    assert [(session["name"], session["state"]) for session in sessions] == [("ends", "gone"), ("stays", "running")]


def test_a_daemon_goes_on_with_the_lease_that_its_killed_predecessor_left(hark: RunningHark) -> None:
    hark.ok("new", "-d", "-n", "deaf", "--agent", "demo", "--", "sh", "-c", DEAF)
    message_id = hark.ok("send", "-q", "deaf", "hello").strip()
    wait_until(lambda: hark.message(message_id)["attempts"] == 1, DEADLINE_S, "a delivery to begin")
    hark.kill_daemon()
    with closing(apsw.Connection(str(hark.database))) as database:
        database.execute("UPDATE leases SET expires_at = expires_at + 3600000000 WHERE owner IS NOT NULL")
        assert database.changes() == 1
        known = database.execute("SELECT count(*) FROM receipts").get

    hark.ok("daemon", "start")

    wait_until(lambda: len(hark.message(message_id)["receipts"]) > known, DEADLINE_S, "the next receipt")
