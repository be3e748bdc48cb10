"""What is given up, tried again, waits for a session that is gone, or is old."""

from __future__ import annotations

from pathlib import Path

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import DEADLINE_S, RunningHark
from tests.support.terminals import wait_until


def test_a_message_that_is_kept_for_a_session_that_is_gone_waits_and_says_so(hark: RunningHark) -> None:
    Agent(hark, "a")
    hark.ok("kill", "a")
    hark.wait_gone("a")

    sent = hark.json("send", "--queue", "a", "hello")

    assert sent["estimated_delivery"] == "waiting_for_session_gone"
    assert hark.wait_status(sent["id"], "held", "session-gone")


def test_what_waits_for_a_session_that_is_gone_is_given_up_where_that_is_wanted(hark: RunningHark) -> None:
    hark.set(gone_timeout="0.1")
    Agent(hark, "a")
    hark.ok("hold", "a")
    message_id = hark.json("send", "a", "hello")["id"]
    hark.ok("kill", "a")
    hark.wait_gone("a")
    hark.kill_daemon()

    hark.ok("ls")

    assert hark.wait_end(message_id) == "dead"
    assert "gone for too long" in hark.ok("show", message_id)


def test_what_was_given_up_can_be_tried_again(hark: RunningHark) -> None:
    hark.set(gone_timeout="0.1")
    Agent(hark, "a")
    hark.ok("hold", "a")
    message_id = hark.json("send", "a", "hello")["id"]
    hark.ok("kill", "a")
    hark.wait_gone("a")
    hark.kill_daemon()
    hark.ok("ls")
    assert hark.wait_end(message_id) == "dead"
    # Otherwise it would be given up again a moment later.
    hark.kill_daemon()
    hark.set(gone_timeout="0")

    again = hark.json("retry", message_id[:6])

    assert (again["id"], again["status"], again["attempts"]) == (message_id, "queued", 0)
    refusal = hark.refused("retry", message_id)
    assert refusal.code == "transition-illegal"


def test_old_messages_and_their_texts_are_forgotten(hark: RunningHark) -> None:
    hark.set(keep_messages="0.5")
    agent = Agent(hark, "a")
    message_id = agent.send("words " * 12_000)
    hark.wait_reached(message_id, "completed")
    texts = Path(hark.home / "state/texts")
    assert [path.stem for path in texts.iterdir()] == [message_id]
    hark.ok("hold", "a")
    waiting = agent.send("still to come")
    hark.kill_daemon()

    hark.ok("ls")

    def forgotten() -> bool:
        return hark.api("GET", f"/messages/{message_id}").status == 404

    wait_until(forgotten, DEADLINE_S, "the message to be forgotten")
    assert list(texts.iterdir()) == []
    assert hark.message(waiting)["status"] == "held"


def test_the_history_of_a_session_is_told(hark: RunningHark) -> None:
    agent = Agent(hark, "a")
    ids = [agent.send_and_wait(f"number {number}", "completed") for number in range(3)]

    lines = hark.ok("history", "a", "-n", "2").splitlines()

    assert [line.split()[0] for line in lines] == ["ID", *ids[1:]]
    assert "completed" in lines[1]
    told = hark.ok("show", ids[0])
    assert "was queued" in told
    assert "left the input box" in told


def test_a_human_is_told_that_their_draft_was_carried_where_they_want_to_know(hark: RunningHark) -> None:
    hark.set(restore_notice="status-line")
    agent = Agent(hark, "a")
    with agent.human() as human:
        human.type("half a thou")
        agent.wait_box("half a thou")

        agent.send_and_wait("meanwhile", "submitted")

        wait_until(
            lambda: b"your input was preserved while a message was delivered" in human.seen,
            DEADLINE_S,
            "the notice",
        )
        human.type("ght")
        agent.wait_box("half a thought")
