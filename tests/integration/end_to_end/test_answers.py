"""What an agent has answered: asked for, read later, told in notices, and never taken from where it does not stand."""

from __future__ import annotations

import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.end_to_end.agents import PROGRAM, Agent
from tests.integration.end_to_end.running import DEADLINE_S, RunningHark
from tests.support.terminals import wait_until


@pytest.fixture
def hark() -> Iterator[RunningHark]:
    with RunningHark() as running:
        yield running


def test_who_asks_gets_the_answer_on_stdout_and_nothing_else(hark: RunningHark) -> None:
    Agent(hark, "a")

    asked = hark.run("ask", "a", "[[busy=0.2]] [[say=it is safe]] is it?")

    assert (asked.returncode, asked.stdout) == (0, "it is safe\n")
    assert hark.ok("last", "a") == "it is safe\n"
    waited = hark.run("send", "a", "--wait", "completed", "--answer", "[[say=yes]]")
    assert waited.stdout == "yes\n"


def test_a_completed_message_has_its_answer_wherever_it_is_looked_at(hark: RunningHark) -> None:
    agent = Agent(hark, "a")

    message_id = agent.send_and_wait("[[say=all is well]]", "completed")

    answer = hark.message(message_id)["answer"]
    assert (answer["text"], answer["source"], answer["reason"]) == ("all is well", "hook", "")
    assert hark.ok("show", "--answer", message_id) == "all is well\n"
    assert "\nanswer (by hook)\n  all is well\n" in hark.ok("show", message_id)
    (event,) = [
        event
        for event in hark.api("GET", "/events?limit=1000").json["events"]
        if event["message_id"] == message_id and event["data"].get("status") == "completed"
    ]
    assert event["data"]["answer"] == {"source": "hook", "text": "all is well", "is_whole": True, "reason": ""}
    last = hark.json("last", "a")
    assert (last["message_id"], last["answer"]) == (message_id, answer)


def test_a_batch_shares_the_answer_of_its_turn(hark: RunningHark) -> None:
    agent = Agent(hark, "a")
    hark.ok("hold", "a")
    ids = [agent.send("one"), agent.send("[[say=to both]]")]

    hark.ok("release", "a")

    answers = [hark.wait_reached(message_id, "completed")["answer"]["text"] for message_id in ids]
    assert answers == ["to both", "to both"]


def test_an_interrupted_turn_has_no_answer_and_says_so(hark: RunningHark) -> None:
    agent = Agent(hark, "a")
    first = agent.send("[[busy=60]] [[say=never said]]")
    hark.wait_reached(first, "acknowledged")

    hark.ok("send", "a", "--urgent", "[[say=the urgent one]]")

    assert hark.wait_end(first) == "interrupted"
    answer = hark.message(first)["answer"]
    assert (answer["source"], answer["text"], answer["reason"]) == ("none", "", "its turn was interrupted")
    shown = hark.run("show", "--answer", first)
    assert shown.stdout == ""
    assert f"there is no answer to {first}: its turn was interrupted" in shown.stderr


def test_where_nothing_tells_the_answer_the_screen_shows_it_and_is_named(hark: RunningHark, tmp_path: Path) -> None:
    mute = tmp_path / "mute-hook"
    hook = Path(sys.executable).with_name("hark-hook")
    mute.write_text(f"#!/bin/sh\nsed 's/last_assistant_message/unknown/' | {hook} \"$@\"\n")
    mute.chmod(mute.stat().st_mode | stat.S_IXUSR)
    hark.ok("new", "-d", "-n", "a", "--agent", "demo", "--", "env", f"HARK_HOOK_COMMAND={mute}", PROGRAM)

    text = "a question [[say=an answer on the screen]]"
    message_id = hark.json("send", "a", "--wait", "completed", text)["id"]

    answer = hark.message(message_id)["answer"]
    assert (answer["source"], answer["text"]) == ("screen", "an answer on the screen")
    assert "from the screen" in answer["reason"]


def test_the_notice_of_a_stop_has_the_beginning_of_the_answer_and_says_how_to_read_the_rest(hark: RunningHark) -> None:
    boss, worker = Agent(hark, "boss"), Agent(hark, "worker")
    short = worker.send("[[say=done]]", "--from", "boss", "--notify-on-stop")
    long = worker.send(f"[[say={'word ' * 300}]]", "--from", "boss", "--notify-on-stop")

    def told() -> list[str]:
        return [body for body in boss.bodies() if "has stopped" in body]

    wait_until(lambda: len(told()) == 2, DEADLINE_S, "both notices", boss.bodies)
    first, second = told()
    assert first.endswith("\nAnswer: done")
    assert second.rstrip().endswith(f"\nRead all of it with: hark show --answer {long}")
    assert hark.message(short)["status"] == "completed"


def test_who_asks_in_vain_is_told_why(hark: RunningHark) -> None:
    Agent(hark, "a")
    hark.ok("hold", "a")

    asked = hark.run("ask", "a", "--timeout", "300ms", "anybody there?")

    assert (asked.returncode, asked.stdout) == (5, "")
    assert hark.run("last", "a").returncode == 3


def test_an_answer_outlives_the_daemon(hark: RunningHark) -> None:
    agent = Agent(hark, "a")
    message_id = agent.send_and_wait("[[say=kept]]", "completed")

    hark.kill_daemon()

    assert hark.ok("show", "--answer", message_id) == "kept\n"
