"""The manual tests of seed 003 and the test plan of seed 004, on real Claude Code. `tests/integration/end_to_end/test_plans.py` plays them on
the demo agent. Those that need more time are a part of `make agents` (*).

003, by hand                            here
    basic queue and delivery            test_003_a_message_to_a_busy_agent_is_queued_and_is_its_next_turn
    user input preserved                test_003_and_004_3_9_a_draft_is_carried...: at once, nobody waits for two minutes
    timeout                             test_003_a_message_that_is_too_late_is_dropped
    reminder                            test_003_a_reminder_wakes_an_idle_agent
003, its options
    important                           test_003_what_waits_goes_together_the_important_one_first; at a tool's end: test_handover.py (*)
    batches                             test_003_what_waits_goes_together_the_important_one_first
    --notify-on-delivery, -after        test_003_a_sender_is_told_of_the_delivery_and_reminded_later
    urgent                              test_urgent.py
004, the plan
    1  in mid-turn                      test_003_a_message_to_a_busy_agent_is_queued_and_is_its_next_turn; by hooks: test_handover.py
    2  idle                             test_004_2_6_an_idle_agent_gets_it_at_once_and_its_stop_is_told_of
    3  the human is typing              test_003_and_004_3_9_a_draft_is_carried...: the draft stays in the box, and can be submitted
    4  a burst                          test_004_4_a_burst_arrives_whole_and_in_order
    5  stop-notify in mid-turn          test_004_5_7_a_stop_is_told_of_after_the_right_turn[1.5]; by hooks: test_handover.py
    6  stop-notify when idle            test_004_2_6_an_idle_agent_gets_it_at_once_and_its_stop_is_told_of
    7  the same after more than 8 s     test_004_5_7_a_stop_is_told_of_after_the_right_turn[9] (*)
    8  waiting                          test_004_8_waiting_is_not_misled_by_the_moment_between_two_turns
    9  typing, and the hook fails       test_003_and_004_3_9_a_draft_is_carried...[no hooks] (*)
    10 urgent                           test_urgent.py
004, the traces
    normal                              test_004_5_7_a_stop_is_told_of_after_the_right_turn
    the hook of the task before is lost test_004_a_stop_is_told_of_once_when_the_one_before_it_was_lost (*)
    idle                                test_004_2_6_an_idle_agent_gets_it_at_once_and_its_stop_is_told_of
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import NamedTuple

import pytest

from hark.demo.human import Human
from tests.agents.delivering import Delivering, delivering
from tests.agents.running import DEADLINE_S
from tests.integration.end_to_end import agents as demo
from tests.support.terminals import wait_until

# `make agents` plays all of it.
needs_time = pytest.mark.skipif(not os.environ.get("HARK_TEST_MATRIX"), reason="`make agents` tries it")
STOPPED = "has stopped working on your message: its turn has ended"
DRAFT = "I am typing something"


class Plan(NamedTuple):
    agent: Delivering
    human: Human
    boss: demo.Agent


@pytest.fixture(scope="module", params=["claude"])
def stage(request: pytest.FixtureRequest) -> Iterator[Plan]:
    """Everything is typed, as the seeds have it: what goes by hooks is test_handover.py's."""
    with delivering(request.param, max_batch_size=10) as agent, agent.human() as human:
        human.wait_attached(DEADLINE_S)
        yield Plan(agent, human, demo.Agent(agent.hark, "boss"))


@pytest.fixture
def plan(stage: Plan) -> Plan:
    """With an idle agent and nothing on its way."""
    stage.agent.hark.ok("wait", "a", "--timeout", "20s")
    stage.agent.wait_ready()
    return stage


def at(agent: Delivering, message_id: str, field: str) -> datetime:
    return datetime.fromisoformat(str(agent.hark.message(message_id)[field]))


def busy(agent: Delivering, seconds: float) -> str:
    message_id = agent.send(f"[[busy={seconds}]] task X")
    agent.hark.wait_reached(message_id, "acknowledged")
    return message_id


def notices(plan: Plan, message_id: str) -> list[str]:
    """About that message: its text is quoted in them, and no two have the same."""
    text = plan.agent.hark.message(message_id)["text"]
    return [body for body in plan.boss.bodies() if body.startswith("[hark] ") and f'"{text}"' in body]


def wait_notice(plan: Plan, message_id: str, count: int = 1) -> list[str]:
    wait_until(lambda: len(notices(plan, message_id)) >= count, DEADLINE_S, "the notice", plan.boss.events)
    return notices(plan, message_id)


@contextmanager
def dialog(plan: Plan, name: str) -> Iterator[None]:
    """Open all the while, and then refused."""
    plan.agent.send(f"[[tool=touch {name}]]")
    plan.agent.wait_dialog()
    try:
        yield
        plan.agent.wait_dialog()
    finally:
        plan.human.press("Escape")


@contextmanager
def hooks_lost(agent: Delivering) -> Iterator[None]:
    """Whatever they say, nobody hears it."""
    door = agent.hark.home / "run/hooks.sock"
    door.rename(door.with_name("elsewhere.sock"))
    try:
        yield
    finally:
        door.with_name("elsewhere.sock").rename(door)


def test_003_a_message_to_a_busy_agent_is_queued_and_is_its_next_turn(plan: Plan) -> None:
    agent = plan.agent
    first = busy(agent, 2)

    sent = agent.hark.json("send", "a", "test message " + "whole " * 30)

    assert sent["status"] == "queued"
    agent.hark.wait_reached(sent["id"], "completed")
    assert at(agent, sent["id"], "completed_at") > at(agent, first, "completed_at")
    assert "interrupted" not in agent.hark.message(first)["receipts"][-1]["detail"]
    assert [text.count("whole") for text in agent.arrivals(sent["id"])] == [30]


@pytest.mark.parametrize("are_hooks_lost", [False, pytest.param(True, marks=needs_time)], ids=["hooks", "no hooks"])
def test_003_and_004_3_9_a_draft_is_carried_and_is_back_before_its_human_goes_on(
    plan: Plan, are_hooks_lost: bool
) -> None:
    agent, human = plan.agent, plan.human
    human.type(DRAFT)
    agent.wait_draft(DRAFT)

    if are_hooks_lost:
        with hooks_lost(agent):
            message_id = agent.deliver("interrupting message, no hooks")
            agent.wait_draft(DRAFT)
    else:
        message_id = agent.deliver("interrupting message")
        agent.wait_draft(DRAFT)

    wait_until(lambda: agent.arrivals(message_id), DEADLINE_S, "it at the model", agent.stand_in.submitted)
    before = agent.prompts().count(DRAFT)
    human.press("Enter")
    wait_until(lambda: agent.prompts().count(DRAFT) == before + 1, DEADLINE_S, "the draft at the model", agent.prompts)
    assert len(agent.arrivals(message_id)) == 1


def test_003_a_message_that_is_too_late_is_dropped(plan: Plan) -> None:
    with dialog(plan, "late"):
        message_id = plan.agent.send("too late", "--timeout", "1s")
        assert plan.agent.hark.wait_end(message_id) == "expired"

    plan.agent.hark.wait_reached(plan.agent.send("what comes after"), "completed")
    assert plan.agent.arrivals(message_id) == []


def test_003_a_reminder_wakes_an_idle_agent(plan: Plan) -> None:
    agent = plan.agent

    agent.hark.ok("remind", "1s", "test reminder", environment={"HARK_SESSION": agent.hark.session("a")["id"]})

    wanted = "[hark] Scheduled reminder:\ntest reminder"
    wait_until(lambda: agent.bodies().count(wanted) == 1, DEADLINE_S, "the reminder", agent.bodies)


def test_003_what_waits_goes_together_the_important_one_first(plan: Plan) -> None:
    agent = plan.agent
    with dialog(plan, "batch"):
        plain = [agent.send(f"waiting {number}") for number in range(2)]
        agent.hark.wait_status(plain[0], "held", "dialog")
        important = agent.send("first of all", "--important")

    for message_id in (*plain, important):
        agent.hark.wait_reached(message_id, "completed")
    [together] = {text for message_id in (*plain, important) for text in agent.arrivals(message_id)}
    places = [together.index(text) for text in ("first of all", "waiting 0", "waiting 1")]
    assert places == sorted(places)


def test_003_a_sender_is_told_of_the_delivery_and_reminded_later(plan: Plan) -> None:
    message_id = plan.agent.send("tell me", "--from", "boss", "--notify-on-delivery", "--notify-after", "1s")

    delivered, reminded = wait_notice(plan, message_id, 2)

    assert delivered.startswith("[hark] Message delivered to a (")
    assert reminded.startswith("[hark] Reminder: 1s since your message to a was delivered")
    told = [one for one in messages_to_boss(plan) if "Reminder" in one["text"]]
    assert datetime.fromisoformat(told[-1]["queued_at"]) - at(plan.agent, message_id, "delivered_at") >= timedelta(
        seconds=1
    )


def messages_to_boss(plan: Plan) -> list[dict[str, str]]:
    return list(plan.agent.hark.api("GET", "/sessions/boss/messages").json["messages"])


def test_004_2_6_an_idle_agent_gets_it_at_once_and_its_stop_is_told_of(plan: Plan) -> None:
    agent = plan.agent

    sent = agent.hark.json("send", "a", "to an idle one", "--from", "boss", "--notify-on-stop")

    assert sent["estimated_delivery"] == "now"
    [notice] = wait_notice(plan, sent["id"])
    assert STOPPED in notice
    statuses = [receipt["status"] for receipt in agent.hark.message(sent["id"])["receipts"]]
    assert "held" not in statuses
    assert statuses[-1] == "completed"


def test_004_4_a_burst_arrives_whole_and_in_order(plan: Plan) -> None:
    agent = plan.agent

    ids = [agent.send(f"number {number}") for number in range(3)]

    for message_id in ids:
        agent.hark.wait_reached(message_id, "completed")
    arrived = "\n".join(dict.fromkeys(text for message_id in ids for text in agent.arrivals(message_id)))
    assert [arrived.count(f"number {number}") for number in range(3)] == [1, 1, 1]
    places = [arrived.index(f"number {number}") for number in range(3)]
    assert places == sorted(places)


@pytest.mark.parametrize("seconds", [1.5, pytest.param(9, marks=needs_time)])
def test_004_5_7_a_stop_is_told_of_after_the_right_turn(plan: Plan, seconds: float) -> None:
    agent = plan.agent
    first = busy(agent, seconds)

    message_id = agent.send(f"[[busy=1]] task Y after {seconds}", "--from", "boss", "--notify-on-stop")

    agent.hark.wait_reached(first, "completed")
    [notice] = wait_notice(plan, message_id)
    assert STOPPED in notice
    [told] = [one for one in messages_to_boss(plan) if f"task Y after {seconds}" in one["text"]]
    assert datetime.fromisoformat(told["queued_at"]) >= at(agent, message_id, "completed_at")
    assert at(agent, message_id, "completed_at") - at(agent, first, "completed_at") >= timedelta(seconds=1)


def test_004_8_waiting_is_not_misled_by_the_moment_between_two_turns(plan: Plan) -> None:
    agent = plan.agent
    busy(agent, 1)
    behind = agent.send("[[busy=1]] task Y behind")

    agent.hark.ok("wait", "a", "--timeout", "20s")

    assert agent.hark.message(behind)["status"] == "completed"


@needs_time
def test_004_a_stop_is_told_of_once_when_the_one_before_it_was_lost(plan: Plan) -> None:
    agent = plan.agent
    busy(agent, 3)
    message_id = agent.send("[[busy=3]] task Y, and X was not heard", "--from", "boss", "--notify-on-stop")
    agent.hark.wait_reached(message_id, "submitted")

    with hooks_lost(agent):
        agent.stand_in.wait_received(lambda one: one.holds(message_id), DEADLINE_S)
        assert notices(plan, message_id) == []

    [notice] = wait_notice(plan, message_id)
    assert STOPPED in notice
    agent.hark.wait_reached(agent.send("task Z"), "completed")
    agent.hark.ok("wait", "boss", "--timeout", "20s")
    assert len(notices(plan, message_id)) == 1
