"""The manual tests of seed 003 and the test plan of seed 004, on a real daemon, a real tmux and the demo agent.

Where hark goes further than a seed (a draft is carried at once instead of waited for), the plan is played both with the usual
agent and with one whose drafts cannot be carried.
"""

from __future__ import annotations

from datetime import datetime

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import DEADLINE_S, RunningHark
from tests.support.terminals import wait_until

STOPPED = "has stopped working on your message"


def at(message: dict[str, object], field: str) -> datetime:
    return datetime.fromisoformat(str(message[field]))


def busy(agent: Agent, seconds: float) -> str:
    message_id = agent.send(f"[[busy={seconds}]] task X")
    agent.hark.wait_reached(message_id, "acknowledged")
    return message_id


def notices(agent: Agent) -> list[str]:
    return [text for text in agent.bodies() if text.startswith("[hark] ")]


# seed 003


def test_003_a_message_to_a_busy_recipient_is_queued_and_arrives_when_it_is_idle(hark: RunningHark) -> None:
    hark.describe_demo(more="idle_only = true\n")
    agent = Agent(hark, "a")
    first = busy(agent, 8)  # A busy machine needs seconds to start the two commands that follow.

    sent = hark.json("send", "a", "test message")

    assert sent["status"] == "queued"
    assert sent["estimated_delivery"] in ("waiting_for_idle", "waiting_for_busy")
    assert hark.json("queue", "a")["is_idle"] is False
    hark.wait_reached(sent["id"], "completed")
    assert hark.message(first)["status"] == "completed"
    assert [event["event"] for event in agent.named("prompt", "stopped")] == ["prompt", "stopped"] * 2


def test_003_stale_input_is_put_aside_and_comes_back(hark: RunningHark) -> None:
    """Line keys of which nothing is known: such a draft is carried only when nobody has touched it for a while."""
    hark.describe_demo("[sentinel]\n", lines="unknown")
    hark.set(input_stale_timeout="2", human_pause="0.2")
    agent = Agent(hark, "a")
    with agent.human() as human:
        human.type("I am typing something")
        agent.wait_box("I am typing something")

        message_id = agent.send("interrupting message")

        held = hark.wait_status(message_id, "held", "draft")
        message = hark.wait_reached(message_id, "submitted")
        assert (at(message, "delivered_at") - at(held, "queued_at")).total_seconds() >= 1.5
        agent.wait_box("I am typing something")


def test_003_a_message_that_is_too_late_is_dropped(hark: RunningHark) -> None:
    hark.describe_demo(more="idle_only = true\n")
    agent = Agent(hark, "a")
    busy(agent, 60)

    message_id = agent.send("urgent", "--timeout", "1s")

    assert hark.wait_end(message_id) == "expired"
    hark.tmux("send-keys", "-t", agent.pane, "Escape")
    agent.send_and_wait("what comes after", "completed")
    assert "urgent" not in agent.bodies()


def test_003_a_reminder_wakes_an_idle_agent(hark: RunningHark) -> None:
    agent = Agent(hark, "a")

    hark.ok("remind", "1s", "test reminder", environment={"HARK_SESSION": agent.id})

    wait_until(lambda: agent.bodies(), DEADLINE_S, "the reminder", agent.events)
    assert agent.bodies() == ["[hark] Scheduled reminder:\ntest reminder"]


# seed 004


def test_004_1_a_message_in_mid_turn_is_the_next_input_and_interrupts_nothing(hark: RunningHark) -> None:
    agent = Agent(hark, "a")
    busy(agent, 1.5)

    agent.send_and_wait("whole " * 30, "completed")

    assert [event["event"] for event in agent.named("prompt", "stopped", "interrupted")] == ["prompt", "stopped"] * 2
    assert agent.bodies()[1] == ("whole " * 30)


def test_004_2_an_idle_agent_gets_it_at_once(hark: RunningHark) -> None:
    agent = Agent(hark, "a")

    sent = hark.json("send", "a", "now")

    assert sent["estimated_delivery"] == "now"
    message = hark.wait_reached(sent["id"], "completed")
    assert [receipt["status"] for receipt in message["receipts"]][:3] == ["queued", "staged", "submitted"]
    assert agent.bodies() == ["now"]


def test_004_3_beside_a_draft_that_cannot_be_carried_it_waits_until_that_is_submitted(hark: RunningHark) -> None:
    hark.describe_demo("")
    hark.set(human_pause="0.2")
    agent = Agent(hark, "a")
    with agent.human() as human:
        human.type("mine")
        agent.wait_box("mine")
        message_id = agent.send("theirs")
        hark.wait_status(message_id, "held", "draft")

        human.press("Enter")

        hark.wait_reached(message_id, "completed")
    assert [text.rpartition("\n")[2] for text in agent.prompts()] == ["mine", "theirs"]


def test_004_4_a_burst_arrives_whole_and_in_order(hark: RunningHark) -> None:
    agent = Agent(hark, "a")

    ids = [agent.send(f"number {number}") for number in range(3)]

    for message_id in ids:
        hark.wait_reached(message_id, "completed")
    assert agent.bodies() == ["number 0", "number 1", "number 2"]


def test_004_5_6_7_a_stop_is_told_of_after_the_right_turn_however_long_the_one_before_it(hark: RunningHark) -> None:
    sender, target = Agent(hark, "boss"), Agent(hark, "worker")
    first = busy(target, 9)

    message_id = target.send("[[busy=0.5]] task Y", "--from", "boss", "--notify-on-stop")

    hark.wait_reached(first, "completed")
    assert notices(sender) == []
    wait_until(lambda: notices(sender), DEADLINE_S, "the notice", sender.events)
    assert STOPPED in notices(sender)[0]
    assert hark.message(message_id)["status"] == "completed"
    # an idle one
    target.send("task Z", "--from", "boss", "--notify-on-stop")
    wait_until(lambda: len(notices(sender)) == 2, DEADLINE_S, "the second notice", sender.events)


def test_004_8_waiting_is_not_misled_by_the_moment_between_two_turns(hark: RunningHark) -> None:
    agent = Agent(hark, "a")
    busy(agent, 1)
    behind = agent.send("[[busy=0.5]] task Y")

    hark.ok("wait", "a", "--timeout", "20s")

    assert hark.message(behind)["status"] == "completed"


def test_004_9_stale_input_is_noticed_also_where_no_hook_tells(hark: RunningHark) -> None:
    hark.describe_demo("[sentinel]\n", lines="unknown")
    hark.set(input_stale_timeout="1.5", human_pause="0.2")
    agent = Agent(hark, "a", "--no-hooks")
    with agent.human() as human:
        human.type("left behind")
        agent.wait_box("left behind")

        hark.wait_reached(agent.send("meanwhile"), "submitted")

        agent.wait_box("left behind")
    assert agent.bodies() == ["meanwhile"]


def test_004_10_urgent_still_interrupts(hark: RunningHark) -> None:
    agent = Agent(hark, "a")
    busy(agent, 60)

    assert hark.json("send", "a", "STOP", "--urgent")["interrupted"] is True
    assert len(agent.named("interrupted")) == 1
