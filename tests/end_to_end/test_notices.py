"""The sender is told when the turn of its message has stopped."""

from __future__ import annotations

from tests.end_to_end.agents import Agent
from tests.end_to_end.running import DEADLINE_S, RunningHark
from tests.terminals import wait_until

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

    message_id = ask(target, sender, "[[busy=0.5]] task Y")

    (notice,) = wait_notices(sender, 1)
    assert notice == f'[hark] worker ({target.id}) {STOPPED}its turn has ended\nOriginal: "[[busy=0.5]] task Y"'
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

    quotes = [text.partition("Original: ")[2] for text in wait_notices(sender, 3)]
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
