"""Senders are told what they asked to be told, in their own queue, once."""

from __future__ import annotations

from datetime import datetime, timedelta

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import DEADLINE_S, RunningHark
from tests.support.terminals import wait_until

STOPPED = "has stopped working on your message: "


def ask(target: Agent, sender: Agent, text: str) -> str:
    return target.send(text, "--from", sender.name, "--notify-on-stop")


def notices(agent: Agent) -> list[str]:
    return [text for text in agent.bodies() if text.startswith("[hark] ")]


def wait_notices(agent: Agent, count: int) -> list[str]:
    wait_until(lambda: len(notices(agent)) >= count, DEADLINE_S, f"{count} notices", agent.events)
    return notices(agent)


def test_the_sender_is_told_at_the_end_of_the_right_turn_and_once(hark: RunningHark) -> None:
    sender, target = Agent(hark, "boss"), Agent(hark, "worker")
    before = target.send("[[busy=1]] task X")
    hark.wait_reached(before, "acknowledged")

    message_id = ask(target, sender, "[[busy=0.5]] task Y [[say=Y done]]")

    (notice,) = wait_notices(sender, 1)
    quote = '"[[busy=0.5]] task Y [[say=Y done]]"'
    assert notice == f"[hark] worker ({target.id}) {STOPPED}its turn has ended\nOriginal: {quote}\nAnswer: Y done"
    completed = hark.message(message_id)
    assert completed["status"] == "completed"
    told = next(m for m in hark.api("GET", "/sessions/boss/messages").json["messages"] if m["sender"] == "hark")
    assert told["queued_at"] >= completed["completed_at"]
    target.send_and_wait("task Z", "completed")
    hark.ok("wait", "boss", "--timeout", "20s")
    assert len(notices(sender)) == 1


def test_every_message_of_a_burst_is_told_of_once(hark: RunningHark) -> None:
    sender, target = Agent(hark, "boss"), Agent(hark, "worker")

    for number in range(3):
        ask(target, sender, f"{number} [[busy=0.3]]")

    quotes = [text.partition("Original: ")[2].partition("\n")[0] for text in wait_notices(sender, 3)]
    assert quotes == [f'"{number} [[busy=0.3]]"' for number in range(3)]


def test_an_interrupted_turn_is_told_of_as_such(hark: RunningHark) -> None:
    sender, target = Agent(hark, "boss"), Agent(hark, "worker")
    hark.wait_reached(ask(target, sender, "[[busy=60]]"), "acknowledged")

    hark.tmux("send-keys", "-t", target.pane, "Escape")

    (notice,) = wait_notices(sender, 1)
    assert STOPPED + "its turn was interrupted" in notice


def test_a_daemon_that_was_killed_before_it_could_tell_does_so_later_and_once(hark: RunningHark) -> None:
    sender, target = Agent(hark, "boss"), Agent(hark, "worker")
    hark.ok("hold", "boss")
    hark.wait_end(ask(target, sender, "[[busy=0.1]]"))
    hark.kill_daemon()

    hark.ok("release", "boss")

    wait_notices(sender, 1)
    hark.ok("wait", "boss", "--timeout", "20s")
    assert len(notices(sender)) == 1


def test_somebody_who_is_no_session_cannot_be_told(hark: RunningHark) -> None:
    Agent(hark, "worker")

    refusal = hark.refused("send", "worker", "--notify-on-stop", "--from", "a script", "text")

    assert refusal.code == "request-invalid"
    assert "--from NAME" in refusal.hint


def test_the_sender_is_told_of_the_delivery_in_the_words_it_was_promised(hark: RunningHark) -> None:
    sender, target = Agent(hark, "boss"), Agent(hark, "worker")

    target.send("x" * 100, "--from", "boss", "--notify-on-delivery")

    (notice,) = wait_notices(sender, 1)
    assert notice == f'[hark] Message delivered to worker ({target.id})\nOriginal: "{"x" * 80}..."'


def test_the_sender_is_reminded_a_while_after_the_delivery_also_by_the_next_daemon(hark: RunningHark) -> None:
    sender, target = Agent(hark, "boss"), Agent(hark, "worker")
    message_id = target.send("task X", "--from", "boss", "--notify-after", "3s")
    hark.wait_reached(message_id, "submitted")
    hark.kill_daemon()
    hark.ok("ls")

    (notice,) = wait_notices(sender, 1)

    assert notice == (
        '[hark] Reminder: 3s since your message to worker was delivered\nOriginal: "task X"\n'
        f"You can check status with: hark output {target.id}"
    )
    told = next(m for m in hark.api("GET", "/sessions/boss/messages").json["messages"] if m["sender"] == "hark")
    delivered = datetime.fromisoformat(hark.message(message_id)["delivered_at"])
    assert datetime.fromisoformat(told["queued_at"]) - delivered >= timedelta(seconds=3)
    assert hark.json("reminders", "-a")["reminders"] == []


def test_a_session_is_told_of_a_failure_unless_it_does_not_want_to_be(hark: RunningHark) -> None:
    sender, target = Agent(hark, "boss"), Agent(hark, "worker")
    hark.ok("hold", "worker")
    quiet = target.send("in time", "--from", "boss", "--timeout", "300ms", "--no-notify-on-failure")

    loud = target.send("in time too", "--from", "boss", "--timeout", "300ms")

    (notice,) = wait_notices(sender, 1)
    assert notice == (
        f"[hark] Message to worker ({target.id}) was not delivered: its time-out passed\n"
        f'Original: "in time too"\nLook at it with: hark show {loud}'
    )
    assert [hark.wait_end(message_id) for message_id in (quiet, loud)] == ["expired", "expired"]
    hark.ok("wait", "boss", "--timeout", "20s")
    assert len(notices(sender)) == 1


def test_a_sender_hears_that_the_session_it_wrote_to_is_gone(hark: RunningHark) -> None:
    sender, target = Agent(hark, "boss"), Agent(hark, "worker")
    hark.ok("hold", "worker")
    target.send("are you there", "--from", "boss")

    hark.ok("kill", "worker")

    (notice,) = wait_notices(sender, 1)
    assert notice.startswith(f"[hark] Message to worker ({target.id}) waits: the session is gone")


def test_a_notice_for_a_sender_that_is_gone_is_dropped(hark: RunningHark) -> None:
    sender, target = Agent(hark, "boss"), Agent(hark, "worker")
    hark.ok("hold", "worker")
    message_id = target.send("late", "--from", "boss", "--notify-on-delivery")
    hark.ok("kill", "boss")
    hark.wait_gone("boss")

    hark.ok("release", "worker")

    hark.wait_reached(message_id, "completed")
    target.send_and_wait("something else", "completed")
    assert hark.api("GET", f"/sessions/{sender.id}/messages").json["messages"] == []


def test_two_that_tell_each_other_of_everything_do_not_go_on_for_ever(hark: RunningHark) -> None:
    one, other = Agent(hark, "one"), Agent(hark, "other")
    every = ("--notify-on-delivery", "--notify-on-stop")

    other.send("ping", "--from", "one", *every)
    one.send("pong", "--from", "other", *every)

    wait_notices(one, 2)
    wait_notices(other, 2)
    hark.ok("wait", "one", "other", "--timeout", "20s")
    assert (len(notices(one)), len(notices(other))) == (2, 2)
