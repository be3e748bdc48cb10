"""POST send and GET send-queue, with every field that was agreed on, and keys that make sending safe to repeat."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.calling import Answer
from tests.integration.end_to_end.running import RunningHark

Sender = Callable[..., Answer]


@pytest.fixture
def send(hark: RunningHark, deaf: str) -> Sender:
    def send(text: str, key: str | None = None, **fields: object) -> Answer:
        headers = {"Idempotency-Key": key} if key is not None else {}
        return hark.api("POST", f"/sessions/{deaf}/send", {"text": text, **fields}, headers)

    return send


def pending(hark: RunningHark, session: str) -> list[dict[str, object]]:
    return list(hark.api("GET", f"/sessions/{session}/send-queue").json["pending_messages"])


def test_the_agreed_request_is_taken_and_answered_with_the_agreed_fields(
    hark: RunningHark, agent: Agent, deaf: str, send: Sender
) -> None:
    send("before")

    answer = send(
        "message content",
        sender_session_id=agent.id,
        delivery_mode="sequential",
        timeout_seconds=300,
        notify_on_delivery=False,
        notify_after_seconds=None,
    )

    assert answer.status == 202
    assert answer.json.items() >= {"status": "queued", "queue_position": 2, "delivery_mode": "sequential"}.items()
    assert isinstance(answer.json["estimated_delivery"], str)
    message = hark.message(answer.json["id"])
    assert (message["sender_session_id"], message["sender"]) == (agent.id, agent.name)
    lasts = datetime.fromisoformat(message["timeout_at"]) - datetime.fromisoformat(message["queued_at"])
    assert lasts == timedelta(seconds=300)


def test_the_queue_is_answered_with_the_agreed_fields(hark: RunningHark, deaf: str, send: Sender) -> None:
    first = send("one", sender_name="architect", timeout_seconds=60).json["id"]
    second = send("two").json["id"]
    hark.wait_status(first, "held", "busy")

    queue = hark.api("GET", f"/sessions/{deaf}/send-queue").json

    assert queue.keys() >= {"session_id", "is_idle", "pending_count", "pending_messages", "saved_user_input"}
    assert queue["session_id"] == hark.session(deaf)["id"]
    assert (queue["pending_count"], queue["saved_user_input"]) == (2, None)
    assert [message["id"] for message in queue["pending_messages"]] == [first, second]
    listed = queue["pending_messages"][0]
    assert listed.keys() >= {"id", "sender", "queued_at", "timeout_at"}
    assert (listed["sender"], listed["reason"]) == ("architect", "busy")
    assert queue["pending_messages"][1]["timeout_at"] is None


def test_positions_count_in_the_order_of_delivery(send: Sender) -> None:
    positions = [send("one"), send("two"), send("first", delivery_mode="important"), send("four")]

    assert [answer.json["queue_position"] for answer in positions] == [1, 2, 1, 4]


def test_an_estimate_says_why_the_queue_stands(hark: RunningHark, send: Sender) -> None:
    first = send("one")
    assert first.json["estimated_delivery"] == "now"
    hark.wait_status(first.json["id"], "held", "busy")

    assert send("two").json["estimated_delivery"] == "waiting_for_busy"


@pytest.mark.parametrize("fields", [{"notify_on_delivery": True}, {"notify_after_seconds": 300}], ids=str)
def test_a_notice_for_nobody_is_refused_and_not_silently_left_out(
    hark: RunningHark, deaf: str, send: Sender, fields: dict[str, object]
) -> None:
    answer = send("hi", **fields)

    assert (answer.status, answer.json["code"]) == (422, "request-invalid")
    assert answer.json["hint"]
    assert pending(hark, deaf) == []


def test_the_same_key_twice_is_one_message_also_when_it_has_arrived(hark: RunningHark, agent: Agent) -> None:
    path, headers = f"/sessions/{agent.id}/send", {"Idempotency-Key": "arrives-once"}
    before = len(agent.bodies())
    first = hark.api("POST", path, {"text": "just once"}, headers).json
    hark.wait_status(first["id"], "completed")

    again = hark.api("POST", path, {"text": "just once"}, headers)

    assert again.status == 202
    assert (again.json["id"], again.json["status"], again.json["queue_position"]) == (first["id"], "completed", 0)
    assert agent.bodies()[before:] == ["just once"]


def test_the_same_key_for_another_text_is_a_conflict(hark: RunningHark, deaf: str, send: Sender) -> None:
    first = send("this", key="k")

    answer = send("that", key="k")

    assert (answer.status, answer.json["code"]) == (409, "idempotency-conflict")
    assert answer.json["hint"]
    assert [message["id"] for message in pending(hark, deaf)] == [first.json["id"]]


def test_twenty_at_once_with_the_same_key_are_one_message(hark: RunningHark, deaf: str, send: Sender) -> None:
    with ThreadPoolExecutor(20) as callers:
        answers = list(callers.map(lambda _: send("all together", key="k20"), range(20)))

    assert {answer.status for answer in answers} == {202}
    assert {answer.json["id"] for answer in answers} == {message["id"] for message in pending(hark, deaf)}
    assert len(pending(hark, deaf)) == 1


def test_twenty_at_once_without_a_key_are_twenty_messages(hark: RunningHark, deaf: str, send: Sender) -> None:
    with ThreadPoolExecutor(20) as callers:
        answers = list(callers.map(lambda number: send(f"number {number}"), range(20)))

    assert sorted(answer.json["queue_position"] for answer in answers) == list(range(1, 21))
    assert len(pending(hark, deaf)) == 20


def test_keys_of_different_sessions_do_not_meet(hark: RunningHark, agent: Agent, send: Sender) -> None:
    first = send("here", key="same")

    second = hark.api("POST", f"/sessions/{agent.id}/send", {"text": "there"}, {"Idempotency-Key": "same"})

    assert (first.status, second.status) == (202, 202)
    assert first.json["id"] != second.json["id"]
