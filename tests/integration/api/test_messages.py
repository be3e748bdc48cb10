"""Asking for messages, waiting for what becomes of them, and the daemon's own state."""

from __future__ import annotations

import threading
from datetime import UTC, datetime

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.calling import Answer
from tests.integration.end_to_end.running import DEADLINE_S, RunningHark

IN_ORDER = ["submitted", "acknowledged", "completed"]


def test_waiting_is_answered_when_the_message_gets_there_or_past_it(hark: RunningHark, agent: Agent) -> None:
    for goal in IN_ORDER:
        message_id = agent.send(f"until {goal}")

        answer = hark.api("GET", f"/messages/{message_id}?wait={goal}&wait_seconds=20")

        assert answer.status == 200
        assert answer.json["status"] in IN_ORDER[IN_ORDER.index(goal) :]


def test_waiting_is_answered_when_the_message_ends_otherwise(hark: RunningHark, deaf: str) -> None:
    message_id = hark.api("POST", f"/sessions/{deaf}/send", {"text": "never mind"}).json["id"]
    answers: list[Answer] = []
    path = f"/messages/{message_id}?wait=completed&wait_seconds=20"
    waiting = threading.Thread(target=lambda: answers.append(hark.api("GET", path)))

    waiting.start()
    cancelled = hark.api("POST", f"/messages/{message_id}/cancel")
    waiting.join(DEADLINE_S)

    assert (cancelled.status, cancelled.json["status"]) == (200, "cancelled")
    assert [(answer.status, answer.json["status"]) for answer in answers] == [(200, "cancelled")]


def test_messages_of_a_session_are_listed_newest_first(hark: RunningHark, deaf: str) -> None:
    ids = [hark.api("POST", f"/sessions/{deaf}/send", {"text": f"{n}"}).json["id"] for n in range(5)]

    listed = hark.api("GET", f"/sessions/{deaf}/messages?limit=3").json["messages"]

    assert [message["id"] for message in listed] == ids[:1:-1]


def test_a_hook_with_a_clock_of_its_own_cannot_turn_the_order_of_receipts(hark: RunningHark) -> None:
    agent = Agent(hark, "hookless", "--no-hooks")
    message_id = agent.send_and_wait("hello", "submitted")
    report = {"agent": "demo", "session_id": agent.id, "payload": {"prompt": agent.prompts()[0]}}
    submitted = report | {"event": "prompt-submitted", "emitted_at": "2001-01-01T00:00:00Z"}
    stopped = report | {"event": "stopped", "emitted_at": "2999-01-01T00:00:00Z"}

    assert [hark.api("POST", "/hooks", body).status for body in (submitted, stopped)] == [202, 202]

    message = hark.wait_reached(message_id, "completed")
    times = [datetime.fromisoformat(receipt["at"]) for receipt in message["receipts"]]
    assert [receipt["status"] for receipt in message["receipts"]][-2:] == ["acknowledged", "completed"]
    assert times == sorted(times)
    assert times[-1] <= datetime.now(UTC)


def test_a_hook_of_another_session_proves_nothing(hark: RunningHark, agent: Agent, deaf: str) -> None:
    message_id = hark.api("POST", f"/sessions/{deaf}/send", {"text": "waiting"}).json["id"]
    prompt = f"[Input from: someone via hark send · {message_id}]\nwaiting"
    hook = {"agent": "demo", "event": "prompt-submitted", "emitted_at": datetime.now(UTC).isoformat()}

    taken = hark.api("POST", "/hooks", hook | {"session_id": agent.id, "payload": {"prompt": prompt}})
    unknown = hark.api("POST", "/hooks", hook | {"session_id": "nobody", "payload": {"prompt": prompt}})

    assert (taken.status, taken.json) == (202, {"session_id": agent.id})
    assert (unknown.status, unknown.json) == (202, {"session_id": None})
    assert hark.message(message_id)["status"] in ("queued", "held")


def test_health_says_what_runs(hark: RunningHark, agent: Agent) -> None:
    hark.ok("wait", "agent", "--timeout", "30s")
    health = hark.api("GET", "/healthz").json

    assert health["status"] == "ok"
    assert health["pid"] == hark.daemon_pid()
    assert health["database"] == str(hark.database)
    assert health["sessions"] == len(hark.json("ls")["sessions"])
    assert health["last_event_seq"] == hark.api("GET", "/events?limit=10000").json["last_seq"]
