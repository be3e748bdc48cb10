"""What comes in where agents' hooks do: whatever it is, the daemon takes it or leaves it, and nobody else notices."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import DEADLINE_S, RunningHark
from tests.support.terminals import wait_until

CROWD = 400


def report(session: str, payload: bytes = b"{}", event: str = "stopped", at: str | None = None) -> bytes:
    head = "\0".join(("demo", event, at or repr(time.time()), session, "", "")).encode()
    return b"hark-hook 1 %d %d\n" % (len(head), len(payload)) + head + payload


def say(hark: RunningHark, words: bytes) -> bytes:
    with socket.socket(socket.AF_UNIX) as hook:
        hook.settimeout(DEADLINE_S)
        hook.connect(str(hark.home / "run/hooks.sock"))
        try:
            hook.sendall(words)
            hook.shutdown(socket.SHUT_WR)
            return hook.recv(100)
        except (BrokenPipeError, ConnectionResetError):
            return b""


HOSTILE = {
    "not a report": b"GET / HTTP/1.1\r\n\r\n",
    "nothing": b"",
    "no end of its first line": b"x" * 200_000,
    "another version": b"hark-hook 2 0 0\n",
    "lengths that are none": b"hark-hook 1 a b\n",
    "a negative length": b"hark-hook 1 -5 -5\n",
    "a length beyond all bounds": b"hark-hook 1 5 999999999999\nhello",
    "less than it promised": b"hark-hook 1 50 50\nhello",
    "too few words": b"hark-hook 1 3 2\na\0b{}",
    "words that are no text": b"hark-hook 1 5 2\n\xff\0\xfe\0\xfd{}",
    "a time that is none": report("s", at="soon"),
    "a time that never was": report("s", at="1e300"),
    "a time that is no number": report("s", at="nan"),
    "not JSON": report("s", b"\x00\xff{"),
    "no object": report("s", b"[1]"),
    "deep": report("s", b"[" * 200_000),
    "huge": report("s", b'{"x": "' + b"x" * 7_000_000 + b'"}'),
}


@pytest.fixture(scope="module")
def agent() -> object:
    with RunningHark() as hark:
        yield Agent(hark, "a")


@pytest.mark.parametrize("words", HOSTILE.values(), ids=HOSTILE.keys())
def test_what_is_no_report_is_turned_away(agent: Agent, words: bytes) -> None:
    assert say(agent.hark, words) in (b"", b"0\n")
    assert say(agent.hark, report(agent.id)) == b"0\n"


def test_a_report_of_an_unknown_session_or_event_is_answered_with_nothing(agent: Agent) -> None:
    assert say(agent.hark, report("nobody")) == b"0\n"
    assert say(agent.hark, report(agent.id, event="new-in-2030")) == b"0\n"


def test_a_hook_that_would_wait_goes_at_once_where_none_is_wanted(agent: Agent) -> None:
    assert say(agent.hark, report(agent.id, event="Wait")) == b"0\n"


def test_many_at_once_and_many_that_never_end_harm_no_delivery(agent: Agent) -> None:
    idle = [socket.socket(socket.AF_UNIX) for _ in range(200)]
    try:
        for hook in idle:
            hook.connect(str(agent.hark.home / "run/hooks.sock"))
        answers: list[bytes] = []
        throwers = [
            threading.Thread(target=lambda: answers.extend(say(agent.hark, report("nobody")) for _ in range(50)))
            for _ in range(8)
        ]
        for thrower in throwers:
            thrower.start()
        agent.send_and_wait("in the middle of it", "completed")
        for thrower in throwers:
            thrower.join()
    finally:
        for hook in idle:
            hook.close()

    assert len(answers) == 400
    assert set(answers) <= {b"0\n", b""}
    assert agent.send_and_wait("afterwards", "completed")


@contextmanager
def standing_before_the_door(hark: RunningHark, words: bytes) -> Iterator[list[socket.socket]]:
    """So many that say this, and do not wait for an answer."""
    crowd = [socket.socket(socket.AF_UNIX) for _ in range(CROWD)]
    try:
        for hook in crowd:
            hook.connect(str(hark.home / "run/hooks.sock"))
            hook.sendall(words)
        yield crowd
    finally:
        for hook in crowd:
            hook.close()


def hooks_heeded(hark: RunningHark, session_id: str) -> list[str]:
    events = hark.api("GET", "/events?limit=10000").json["events"]
    return [one["data"]["event"] for one in events if one["kind"] == "hook" and one["session_id"] == session_id]


def test_a_flood_of_one_session_takes_nothing_from_another(hark: RunningHark) -> None:
    flooding, other = Agent(hark, "flooding", "--no-hooks"), Agent(hark, "other", "--no-hooks")
    said = [event for _ in range(10) for event in ("prompt-submitted", "permission-asked", "stopped")]

    with standing_before_the_door(hark, report(flooding.id)) as crowd:
        answers = [say(hark, report(other.id, event=event)) for event in said]
        for hook in crowd:
            hook.settimeout(DEADLINE_S)
        turned_away = sum(hook.recv(10) == b"" for hook in crowd)

    assert set(answers) == {b"0\n"}
    wait_until(lambda: hooks_heeded(hark, other.id) == said, DEADLINE_S, "all that it said, in order")
    # The flood was one: not all of it was heeded, and what was not was told so at once.
    assert len(hooks_heeded(hark, flooding.id)) == CROWD - turned_away
    assert 0 < turned_away < CROWD


def test_those_that_keep_silent_keep_nobody_out(hark: RunningHark) -> None:
    agent = Agent(hark, "a", "--no-hooks")

    with standing_before_the_door(hark, b"hark-hook 1 "):
        assert say(hark, report(agent.id)) == b"0\n"

    assert hooks_heeded(hark, agent.id) == ["stopped"]


def test_one_hook_waits_beside_an_idle_agent_and_is_given_the_message() -> None:
    with RunningHark(rewake="true") as hark:
        idle = Agent(hark, "a")
        idle.send_and_wait("first", "completed")
        with socket.socket(socket.AF_UNIX) as waiter:
            waiter.settimeout(DEADLINE_S)
            waiter.connect(str(hark.home / "run/hooks.sock"))
            waiter.sendall(report(idle.id, event="Wait"))
            # A second one is told to go, so the first is known to be there.
            wait_until(lambda: say(hark, report(idle.id, event="Wait")) == b"0\n", DEADLINE_S, "one that waits")

            message_id = idle.send("second")

            length, _, text = waiter.recv(1000).partition(b"\n")
            assert len(text) == int(length)
            assert text.startswith(b"\n[Input from: ")
            assert text.endswith(b"\nsecond")
        # It has gone without a word: the message is typed.
        assert hark.wait_status(message_id, "completed")["channel"] == "terminal"
        assert idle.bodies() == ["first", "second"]
