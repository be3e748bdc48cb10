"""What waits for the same session goes as one payload; what must go alone does."""

from __future__ import annotations

import re

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import RunningHark


def held_agent(hark: RunningHark, *options: str) -> Agent:
    agent = Agent(hark, "a", *options)
    hark.ok("hold", "a")
    return agent


def test_three_that_wait_are_one_prompt_each_under_its_own_header_with_its_own_receipts(hark: RunningHark) -> None:
    agent = held_agent(hark)
    ids = [agent.send(f"number {number}", "--from", f"sender-{number}") for number in range(3)]

    hark.ok("release", "a")

    for message_id in ids:
        message = hark.wait_reached(message_id, "completed")
        statuses = [receipt["status"] for receipt in message["receipts"]]
        assert statuses[-4:] == ["staged", "submitted", "acknowledged", "completed"]
    (prompt,) = agent.prompts()
    assert re.findall(r"\[Input from: (.*) via hark send · (.*)\]", prompt) == [
        (f"sender-{number}", message_id) for number, message_id in enumerate(ids)
    ]
    assert agent.bodies() == ["number 0", "number 1", "number 2"]


def test_no_more_than_the_setting_says_go_together(hark: RunningHark) -> None:
    hark.set(max_batch_size="2")
    agent = held_agent(hark)
    ids = [agent.send(str(number)) for number in range(5)]

    hark.ok("release", "a")

    for message_id in ids:
        hark.wait_reached(message_id, "completed")
    assert [text.count("[Input from: ") for text in agent.prompts()] == [2, 2, 1]
    assert agent.bodies() == ["0", "1", "2", "3", "4"]


def test_what_one_paste_cannot_hold_goes_in_several(hark: RunningHark) -> None:
    agent = held_agent(hark)
    texts = [f"{number} " + "words " * 4000 for number in range(6)]
    ids = [agent.send(text) for text in texts]

    hark.ok("release", "a")

    for message_id in ids:
        hark.wait_reached(message_id, "completed")
    assert 1 < len(agent.prompts()) < 6
    assert [body.split()[0] for body in agent.bodies()] == ["0", "1", "2", "3", "4", "5"]


def test_a_raw_text_goes_alone_without_a_header_and_in_its_place(hark: RunningHark) -> None:
    agent = held_agent(hark)
    ids = [agent.send("before"), agent.send("/compact now", "--raw"), agent.send("after")]

    hark.ok("release", "a")

    for message_id in ids:
        hark.wait_reached(message_id, "submitted")
    agent.wait_event("prompt", 3)
    assert agent.prompts()[1] == "/compact now"
    assert agent.bodies() == ["before", "after"]


def test_a_raw_text_of_several_lines_is_refused(hark: RunningHark) -> None:
    Agent(hark, "a")

    assert hark.refused("send", "a", "/one\n/two", "--raw").code == "request-invalid"


def test_the_daemon_killed_with_a_batch_on_its_way_sends_nothing_twice(hark: RunningHark) -> None:
    agent = held_agent(hark, "--busy", "0.1")
    ids = [agent.send(f"number {number}") for number in range(6)]

    hark.ok("release", "a")
    hark.kill_daemon()
    hark.ok("ls")

    ends = [hark.wait_end(message_id) for message_id in ids]
    assert set(ends) <= {"completed", "uncertain"}
    received = agent.bodies()
    assert len(received) == len(set(received))
    for number, end in enumerate(ends):
        assert (f"number {number}" in received) or end == "uncertain"
