"""Agents that ask each other: a reply finds its way back, and a thread can be read as a whole."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hark.delivery.wording import HOW_TO_REPLY
from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import RunningHark
from tests.integration.end_to_end.test_agent_socket import environment_of


@pytest.fixture
def hark() -> Iterator[RunningHark]:
    with RunningHark() as running:
        yield running


def test_an_agent_is_told_how_to_reply_and_its_reply_arrives(hark: RunningHark) -> None:
    boss, worker = Agent(hark, "boss"), Agent(hark, "worker")
    asked = worker.send("which branch?", "--from", "boss")
    hark.wait_reached(asked, "submitted")
    assert worker.prompts() == [
        f"[Input from: boss ({boss.id}) via hark send · {asked}]\n{HOW_TO_REPLY}\nwhich branch?"
    ]

    replied = hark.ok("reply", "-q", asked, "main,", "as always", environment=environment_of(worker)).strip()

    hark.wait_reached(replied, "submitted")
    assert boss.prompts() == [
        f"[Input from: worker ({worker.id}, reply to {asked}) via hark send · {replied}]\nmain, as always"
    ]
    reply = hark.message(replied)
    assert (reply["in_reply_to"], reply["thread_id"], reply["hops"]) == (asked, asked, 1)
    hark.wait_reached(replied, "completed")


def test_a_thread_is_shown_as_a_whole_whichever_message_is_named(hark: RunningHark) -> None:
    boss, worker = Agent(hark, "boss"), Agent(hark, "worker")
    asked = worker.send("which branch?", "--from", "boss")
    replied = hark.json("reply", asked, "main", "--from", "worker")["id"]
    again = hark.json("reply", replied, "and the tag?", "--from", "boss")["id"]
    boss.send("something else")

    for message_id in (asked, replied, again):
        found = hark.json("thread", message_id)["messages"]
        assert [(one["id"], one["hops"]) for one in found] == [(asked, 0), (replied, 1), (again, 2)]
    shown = hark.ok("thread", asked)
    assert f"{replied} from worker to boss, reply to {asked} (" in shown
    assert "\n  and the tag?\n" in shown


def test_what_cannot_be_replied_to_is_refused(hark: RunningHark) -> None:
    boss, worker = Agent(hark, "boss"), Agent(hark, "worker")
    from_nobody = worker.send("from a script", "--from", "ci")
    from_boss = worker.send("from boss", "--from", "boss")

    for words in (("reply", from_nobody, "hi"), ("reply", from_boss, "hi", "--from", "boss")):
        assert hark.run(*words).returncode == 2
    assert hark.run("reply", "ffffffffffff", "hi").returncode == 3
    assert boss.prompts() == []


def test_an_agent_replies_as_itself_and_sees_only_its_own_part_of_a_thread(hark: RunningHark) -> None:
    Agent(hark, "boss")
    worker, third = Agent(hark, "worker"), Agent(hark, "third")
    asked = worker.send("which branch?", "--from", "boss")
    hark.ok("reply", asked, "main", "--from", "third")
    inside = environment_of(worker)

    refused = hark.run("reply", asked, "as somebody else", environment=environment_of(third))
    own = hark.json("reply", asked, "next", "--from", "third", environment=inside)["id"]

    assert refused.returncode == 4
    assert hark.message(own)["sender_session_id"] == worker.id
    found = hark.json("thread", asked, environment=inside)["messages"]
    assert [one["id"] for one in found] == [asked, own]
    assert len(hark.json("thread", asked)["messages"]) == 3
