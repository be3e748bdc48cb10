"""Sessions that are gone are forgotten when their time is over and nothing is on record for them; others are not."""

from __future__ import annotations

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import DEADLINE_S, RunningHark
from tests.support.terminals import wait_until


def names(hark: RunningHark) -> set[str]:
    return {session["name"] for session in hark.json("ls", "--all")["sessions"]}


def test_a_gone_session_is_forgotten_after_its_messages(hark: RunningHark) -> None:
    hark.set(keep_messages="0.5", keep_sessions="0.5")
    agent, _ = Agent(hark, "a"), Agent(hark, "b")
    agent.send_and_wait("work", "completed")
    hark.ok("kill", "a")

    wait_until(lambda: names(hark) == {"b"}, DEADLINE_S, "the session to be forgotten", hark.log)

    events = [(event["kind"], event["session_id"]) for event in hark.api("GET", "/events").json["events"]]
    assert ("session.forgotten", agent.id) in events
    assert hark.refused("history", "a").code == "session-not-found"
    # Its name is free again, and the daemon goes on.
    Agent(hark, "a").send_and_wait("a new one", "completed")


def test_a_gone_session_with_messages_on_record_is_kept(hark: RunningHark) -> None:
    hark.set(keep_sessions="0.2")
    agent, empty = Agent(hark, "a"), Agent(hark, "b")
    message_id = agent.send_and_wait("work", "completed")
    hark.ok("kill", "a")
    hark.ok("kill", "b")

    wait_until(lambda: names(hark) == {"a"}, DEADLINE_S, "the empty one to be forgotten", hark.log)

    assert hark.message(message_id)["session_name"] == "a"
    assert [message["id"] for message in hark.json("history", "a")["messages"]] == [message_id]
    assert empty.id not in hark.ok("ls", "--all")


def test_what_waits_for_a_gone_session_keeps_it(hark: RunningHark) -> None:
    hark.set(keep_sessions="0.2", keep_messages="0.2")
    Agent(hark, "a")
    Agent(hark, "b")
    hark.ok("hold", "a")
    waiting = hark.json("send", "a", "hello")["id"]
    hark.ok("kill", "a")
    hark.ok("kill", "b")

    wait_until(lambda: names(hark) == {"a"}, DEADLINE_S, "the other one to be forgotten", hark.log)

    assert hark.wait_status(waiting, "held", "session-gone")


def test_one_notice_is_one_line_in_the_log(hark: RunningHark) -> None:
    boss, worker = Agent(hark, "boss"), Agent(hark, "worker")

    message_id = worker.send("work", "--from", "boss", "--notify-on-delivery", "--notify-on-stop")

    hark.wait_reached(message_id, "completed")
    wait_until(lambda: len(boss.bodies()) >= 2, DEADLINE_S, "two notices", boss.events)
    keys = sorted(line["key"] for line in hark.log() if line["message"] == "notice")
    assert keys == [f"notice:delivery:{message_id}", f"notice:stop:{message_id}"]
