"""The commands that agents run inside a session, for those that have no MCP."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import HARK, RunningHark
from tests.integration.mcp.conftest import new_session
from tests.support.terminals import wait_until

DEADLINE_S = 90.0


def inside(session: str) -> dict[str, str]:
    return {"HARK_SESSION": session}


def test_an_inbox_message_is_read_acknowledged_and_done(hark: RunningHark, session: str) -> None:
    message_id = hark.ok("send", "-q", "--inbox", "--from", "ci", session, "line one\nline two").strip()

    shown = hark.ok("inbox", environment=inside(session))
    acknowledged = hark.ok("ack", message_id[:8], environment=inside(session))
    done = hark.json("ack", message_id, "--done", environment=inside(session))

    assert shown.splitlines()[0].startswith(f"[{message_id} from ci, ")
    assert shown.splitlines()[1:] == ["line one", "line two", ""]
    assert acknowledged == f"acknowledged {message_id}\n"
    assert (done["status"], done["channel"]) == ("completed", "inbox")
    assert [r["detail"] for r in done["receipts"]] == [
        "waits in the inbox",
        "handed to the agent",
        "the agent said so",
        "the agent said so",
    ]


def test_an_empty_inbox_prints_no_data(hark: RunningHark, session: str) -> None:
    finished = hark.run("inbox", environment=inside(session))

    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "", "nothing in the inbox\n")


def test_a_long_inbox_comes_in_parts(hark: RunningHark, session: str) -> None:
    ids = [hark.api("POST", f"/sessions/{session}/send", {"text": "x", "inbox": True}).json["id"] for _ in range(23)]

    first, second = (hark.json("inbox", environment=inside(session)) for _ in range(2))

    assert ([m["id"] for m in first["messages"]], first["waiting_count"]) == (ids[:20], 3)
    assert ([m["id"] for m in second["messages"]], second["waiting_count"]) == (ids[20:], 0)


def test_waiting_ends_when_a_message_comes(hark: RunningHark, session: str) -> None:
    command = [HARK, "inbox", "--json", "--wait", "30s"]
    environment = hark.environment | inside(session)
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as waiting:
        sent = hark.json("send", "--inbox", session, "now")
        assert waiting.stdout is not None
        found = json.loads(waiting.stdout.read())

    assert [message["id"] for message in found["messages"]] == [sent["id"]]


def test_a_sender_can_wait_until_it_was_read(hark: RunningHark, session: str) -> None:
    command = [HARK, "send", "--inbox", "--wait", "submitted", session, "read me"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=hark.environment) as sending:
        hark.json("inbox", "--wait", "30s", environment=inside(session))
        assert sending.stdout is not None
        assert sending.stdout.read().startswith(b"submitted ")
        assert sending.wait(DEADLINE_S) == 0


def test_the_queue_shows_it_and_why_nothing_is_typed(hark: RunningHark, session: str) -> None:
    hark.ok("send", "--inbox", session, "waits")

    (waiting,) = hark.json("queue", session)["pending_messages"]

    assert (waiting["status"], waiting["is_inbox"]) == ("queued", True)
    assert " inbox " in hark.ok("queue", session)
    assert hark.session(session)["pending_count"] == 0


def test_it_can_be_taken_back_before_it_is_read_and_not_after(hark: RunningHark, session: str) -> None:
    first, second = (hark.json("send", "--inbox", session, text)["id"] for text in ("one", "two"))
    hark.ok("cancel", first)

    assert [m["id"] for m in hark.json("inbox", environment=inside(session))["messages"]] == [second]
    assert hark.refused("cancel", second).code == "transition-illegal"


def test_an_unread_message_expires(hark: RunningHark, session: str) -> None:
    message_id = hark.json("send", "--inbox", "--timeout", "100ms", session, "too late")["id"]

    hark.wait_status(message_id, "expired")

    assert hark.json("inbox", environment=inside(session))["messages"] == []


def test_inbox_and_typed_messages_do_not_stand_in_each_others_way(hark: RunningHark, agent: Agent) -> None:
    in_inbox = agent.send("for the inbox", "--inbox")
    typed = agent.send_and_wait("for the box", "completed")

    assert agent.bodies()[-1] == "for the box"
    assert hark.message(in_inbox)["status"] == "queued"
    assert hark.message(typed)["channel"] == "terminal"
    # The turn of the typed message has stopped; what was read and not done is not done by that.
    hark.ok("inbox", environment=inside(agent.id))
    hark.ok("ack", in_inbox, environment=inside(agent.id))
    agent.send_and_wait("another turn", "completed")
    assert hark.message(in_inbox)["status"] == "acknowledged"
    assert not any("for the inbox" in prompt for prompt in agent.prompts())


def test_a_signal_is_announced(hark: RunningHark, session: str) -> None:
    info = hark.json("signal", "needs_input", "which", "database?", environment=inside(session))

    assert (info["nudge_seq"], info["id"]) == (1, session)
    event = hark.api("GET", "/events?limit=10000").json["events"][-1]
    assert (event["kind"], event["data"]["text"]) == ("signal", "which database?")


@pytest.mark.parametrize("command", [("inbox",), ("signal", "working"), ("remind", "5m", "x")])
def test_outside_of_a_session_it_says_so(hark: RunningHark, command: tuple[str, ...]) -> None:
    refusal = hark.refused(*command)

    assert (refusal.exit_code, refusal.code) == (2, "request-invalid")
    assert "HARK_SESSION" in refusal.detail


def test_reminders_are_listed_and_taken_back(hark: RunningHark, session: str) -> None:
    other = new_session(hark, "reminded")
    mine = hark.json("remind", "1h", "look", environment=inside(session))
    hark.ok("remind", "--to", "reminded", "2h", "look there")

    listed = hark.json("reminders", environment=inside(session))["reminders"]
    everything = hark.json("reminders")["reminders"]
    hark.ok("reminders", "--cancel", mine["id"][:6])

    assert [one["id"] for one in listed] == [mine["id"]]
    assert [one["session_id"] for one in everything] == [session, other]
    assert [one["session_id"] for one in hark.json("reminders")["reminders"]] == [other]
    assert hark.refused("reminders", "--cancel", mine["id"]).code == "reminder-not-found"


def test_a_reminder_to_a_session_that_is_gone_is_dropped(hark: RunningHark) -> None:
    gone = new_session(hark, "gone")
    made = hark.json("remind", "--to", "gone", "5s", "look")
    hark.api("DELETE", f"/sessions/{gone}")  # Faster than a command: a busy machine needs seconds to start one.

    def is_over() -> bool:
        return all(one["id"] != made["id"] for one in hark.json("reminders")["reminders"])

    wait_until(is_over, DEADLINE_S, "the reminder to be dropped")
    assert hark.api("GET", f"/sessions/{gone}/messages").json["messages"] == []
