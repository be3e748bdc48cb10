"""What is sent arrives: exactly, once, in order, and its receipts tell the truth."""

from __future__ import annotations

import itertools
import re
import stat
import unicodedata
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from hark.delivery.wording import HOW_TO_REPLY
from tests.integration.end_to_end.agents import SENDER, Agent
from tests.integration.end_to_end.running import DEADLINE_S, HARK, RunningHark
from tests.support.terminals import wait_until

TEXTS = {
    "ascii": "run the tests, please",
    "cjk": "漢字かな交じり文 한국어",
    "emoji": "ship it 🎉 👍",
    "joined-emoji": "👩‍💻 and 👍🏽",
    "combining": "cafe\u0301 au lait",
    "tabs": "one\ttwo\t\tthree",
    "empty-lines": "first\n\n\nfourth",
    "indented": "    four spaces\n\tand a tab",
    "leading-dash": "-n --wait completed",
    "slash-command": "/quit",
    "shell": "! rm -rf $HOME `id` $(id) $x",
    "trailing-semicolon": "a; b;",
    "tmux-format": "#{pane_id} #S #(id) %1 %%",
    "quotes": "it's \"quoted\" 'twice'",
    "key-name": "Enter",
    "paste-brackets": "[200~ [201~ ^[[201~",
    "wrapped": "a line that is longer than the terminal is wide " * 8,
    # At its end these make Enter mean something else to an agent, so a blank must follow.
    "trailing-backslash": "a path C:\\",
    "trailing-mention": "look at @file",
}
CATCHES_ENTER = ("trailing-backslash", "trailing-mention", "shell")


@pytest.fixture(scope="module")
def idle() -> Iterator[Agent]:
    with RunningHark() as running:
        yield Agent(running, "a", "--busy", "0.02")


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_arrives_to_the_letter(idle: Agent, name: str) -> None:
    wanted = unicodedata.normalize("NFC", TEXTS[name]) + (" " if name in CATCHES_ENTER else "")

    message_id = idle.send_and_wait(TEXTS[name])

    assert idle.prompts()[-1] == f"[Input from: {SENDER} via hark send · {message_id}]\n{wanted}"


def test_stdin_is_sent_without_its_last_newline(idle: Agent) -> None:
    idle.hark.ok("send", "--wait", "submitted", "a", "-", stdin="one\n\ntwo\n")

    assert idle.bodies()[-1] == "one\n\ntwo"


def test_seven_kilobytes_are_pasted_where_the_terminal_can_show_them(idle: Agent) -> None:
    text = "".join(f"{number:05d} " for number in range(7 * 1024 // 6))
    idle.hark.tmux("resize-window", "-t", idle.pane, "-x", "300", "-y", "150")

    idle.send_and_wait(text)

    assert idle.bodies()[-1] == text


@pytest.mark.parametrize("lines", [60, 500, 4000])
def test_more_lines_than_the_screen_has_arrive_whole(idle: Agent, lines: int) -> None:
    text = "\n".join(f"{number} 漢字" for number in range(lines))

    idle.hark.ok("send", "--wait", "submitted", "a", "-", stdin=text)

    assert idle.bodies()[-1] == text


def test_a_hundred_kilobytes_go_by_a_private_file_that_holds_them_exactly(idle: Agent) -> None:
    text = "".join(f"{number} 漢字\t\\\n" for number in range(8000)) + "end"
    assert len(text.encode()) > 100_000

    idle.hark.ok("send", "--wait", "submitted", "a", "-", stdin=text)

    found = re.fullmatch(r"The message is (\d+) bytes long\. Read it in this file: (\S+) ", idle.bodies()[-1])
    assert found
    file = Path(found[2])
    assert file.read_bytes() == text.encode()
    assert int(found[1]) == len(text.encode())
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("goal", "event"), [("submitted", "prompt"), ("acknowledged", "prompt"), ("completed", "stopped")]
)
def test_waiting_returns_when_it_is_so_and_not_before(idle: Agent, goal: str, event: str) -> None:
    seen_before = len(idle.named(event))

    message = idle.hark.json("send", "--wait", goal, "--", "a", f"until {goal}")

    reached = ["submitted", "acknowledged", "completed"]
    assert message["status"] in reached[reached.index(goal) :]
    assert len(idle.named(event)) > seen_before


def test_receipts_tell_the_whole_story_in_order_with_growing_times(idle: Agent) -> None:
    message_id = idle.send_and_wait("tell me", "completed")

    message = idle.hark.message(message_id)
    story = [receipt["status"] for receipt in message["receipts"]]
    times = [datetime.fromisoformat(receipt["at"]) for receipt in message["receipts"]]
    assert story == ["queued", "staged", "submitted", "acknowledged", "completed"]
    assert times == sorted(times)
    stamps = [message[name] for name in ("queued_at", "delivered_at", "acknowledged_at", "completed_at")]
    assert [datetime.fromisoformat(stamp) for stamp in stamps] == [times[0], *times[2:]]
    assert message["attempts"] == 1
    assert message["channel"] == "terminal"


def test_twenty_rapid_messages_arrive_in_order_and_each_once(idle: Agent) -> None:
    before = len(idle.bodies())
    texts = [f"number {number}" for number in range(20)]

    ids = [idle.send(text) for text in texts]

    for message_id in ids:
        idle.hark.wait_status(message_id, "completed")
    assert idle.bodies()[before:] == texts


def test_a_message_to_a_busy_agent_is_queued_by_it_and_completed_later(agent: Agent) -> None:
    first = agent.send_and_wait("work [[busy=1.5]]", "acknowledged")

    second = agent.send_and_wait("and then this", "submitted")

    assert agent.hark.message(first)["status"] == "acknowledged"
    assert [event["text"].partition("\n")[2] for event in agent.named("queued")] == ["and then this"]
    agent.hark.wait_status(second, "completed")
    assert agent.hark.message(first)["status"] == "completed"
    assert agent.bodies() == ["work [[busy=1.5]]", "and then this"]


def test_an_important_message_goes_before_those_that_wait(hark: RunningHark) -> None:
    agent = Agent(hark, "a", "--ask-at-start", "make")
    ids = [agent.send("first"), agent.send("second"), agent.send("now", "--important")]
    hark.wait_status(ids[0], "held", "dialog")
    assert [message["text"] for message in hark.json("queue", "a")["pending_messages"]] == ["now", "first", "second"]

    hark.tmux("send-keys", "-t", agent.pane, "2")

    for message_id in ids:
        hark.wait_status(message_id, "completed")
    assert agent.bodies() == ["now", "first", "second"]


def test_a_session_that_sends_is_named_in_the_header(agent: Agent) -> None:
    inside = f"{HARK} send a 'from inside'; exec cat"

    sender = agent.hark.json("new", "-n", "sender", "--", "sh", "-c", inside)

    wait_until(agent.prompts, DEADLINE_S, "the message from inside", lambda: agent.hark.ok("output", "sender"))
    header = rf"\[Input from: sender \({sender['id']}\) via hark send · [0-9a-f]{{12}}\]"
    assert re.fullmatch(rf"{header}\n{re.escape(HOW_TO_REPLY)}\nfrom inside", agent.prompts()[0])


def test_anybody_else_is_named_as_they_say(agent: Agent) -> None:
    message = agent.hark.json("send", "--from", "night shift", "--wait", "submitted", "a", "hi")

    assert agent.prompts() == [f"[Input from: night shift via hark send · {message['id']}]\nhi"]
    assert message["sender"] == "night shift"


def test_two_sessions_get_their_own_messages(hark: RunningHark) -> None:
    agents = [Agent(hark, name) for name in ("left", "right")]

    ids = [agent.send(f"{number} for {agent.name}") for number, agent in itertools.product(range(5), agents)]

    for message_id in ids:
        hark.wait_status(message_id, "completed")
    for agent in agents:
        assert agent.bodies() == [f"{number} for {agent.name}" for number in range(5)]
