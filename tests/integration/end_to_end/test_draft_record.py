"""What becomes of drafts and of messages that expire can be found out later: from receipts, events and the log."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from hark.demo.human import Human
from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import DEADLINE_S, RunningHark
from tests.support.terminals import wait_until

SECRET = "my secret 漢字 plan"


def draft_events(hark: RunningHark, message_id: str) -> list[dict[str, Any]]:
    events = hark.api("GET", "/events").json["events"]
    return [event for event in events if event["kind"].startswith("draft.") and event["message_id"] == message_id]


def had_draft(hark: RunningHark, message_id: str) -> list[tuple[str, bool | None]]:
    receipts = hark.message(message_id)["receipts"]
    return [(receipt["status"], receipt["had_draft"]) for receipt in receipts]


def type_draft(agent: Agent, human: Human, text: str = SECRET) -> None:
    human.wait_attached(DEADLINE_S)
    human.paste(text)
    agent.wait_shown(text[-5:])


def test_a_carried_draft_is_on_record_by_its_size_alone(hark: RunningHark) -> None:
    agent = Agent(hark, "a")
    with agent.human() as human:
        type_draft(agent, human)

        message_id = agent.send_and_wait("beside the draft", "completed")

        wait_until(lambda: len(draft_events(hark, message_id)) == 2, DEADLINE_S, "the draft to be back")
    taken, returned = draft_events(hark, message_id)
    size = {"carrier": "stash", "characters": len(SECRET), "rows": 1}
    assert (taken["kind"], taken["session_id"], taken["data"]) == ("draft.taken", agent.id, size)
    assert (returned["kind"], returned["session_id"], returned["data"]) == ("draft.returned", agent.id, size)
    lines = [line for line in hark.log() if line["message"].startswith("draft ")]
    assert [(line["message"], line["message_id"], line["characters"]) for line in lines] == [
        ("draft taken", message_id, len(SECRET)),
        ("draft returned", message_id, len(SECRET)),
    ]
    assert "secret" not in (hark.home / "state/hark.log").read_text()
    story = had_draft(hark, message_id)
    assert ("staged", True) in story
    assert ("submitted", True) in story
    assert "the draft that stood there is kept" in hark.ok("show", message_id)


def test_an_empty_box_is_told_apart_from_a_carried_draft(hark: RunningHark) -> None:
    agent = Agent(hark, "a")

    message_id = agent.send_and_wait("into an empty box", "completed")

    story = had_draft(hark, message_id)
    assert ("staged", False) in story
    assert ("submitted", False) in story
    assert draft_events(hark, message_id) == []
    assert "stash" not in hark.ok("show", message_id)


def test_a_line_by_line_carrier_takes_a_draft_once(hark: RunningHark) -> None:
    """It reads the draft more exactly after it has saved it for the first time."""
    hark.describe_demo("[sentinel]\n")
    agent = Agent(hark, "a")
    with agent.human() as human:
        type_draft(agent, human, "first\n\nlast line")

        message_id = agent.send_and_wait("beside the draft", "completed")

        wait_until(lambda: len(draft_events(hark, message_id)) >= 2, DEADLINE_S, "the draft to be back")
    events = draft_events(hark, message_id)
    assert [event["kind"] for event in events] == ["draft.taken", "draft.returned"]
    assert (events[1]["data"]["characters"], events[1]["data"]["rows"]) == (16, 3)


def test_the_queue_shows_what_stands_in_the_box_and_since_when(hark: RunningHark) -> None:
    agent = Agent(hark, "a")

    def queue() -> dict[str, Any]:
        return dict(hark.json("queue", "a"))

    assert (queue()["pending_user_input"], queue()["pending_input_first_seen"]) == (None, None)
    with agent.human() as human:
        type_draft(agent, human)
        wait_until(lambda: queue()["pending_user_input"] == SECRET, DEADLINE_S, "the draft in the queue's answer")
        first, second = queue(), queue()

        def seen(answer: dict[str, Any]) -> float:
            return datetime.fromisoformat(answer["pending_input_first_seen"]).timestamp()

        assert seen(second) == pytest.approx(seen(first), abs=0.05)
        human.type("!")
        wait_until(lambda: queue()["pending_user_input"] == f"{SECRET}!", DEADLINE_S, "the longer draft")
        assert seen(queue()) > seen(second)
        assert "its box holds a draft" in hark.run("queue", "a").stderr
    assert queue()["saved_user_input"] is None


def test_a_message_that_expires_leaves_a_log_line(hark: RunningHark) -> None:
    agent = Agent(hark, "a")
    hark.ok("hold", "a")

    message_id = agent.send("too late", "--timeout", "500ms")

    hark.wait_status(message_id, "expired")
    ends = [line for line in hark.log() if line.get("message_id") == message_id and line.get("status") == "expired"]
    assert [line["detail"] for line in ends] == ["its time-out passed"]
