"""Wrong input through the real command: a code, a sentence, a hint, an exit code; and the daemon is none the worse for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import RunningHark


@pytest.fixture(scope="module")
def idle() -> Iterator[Agent]:
    with RunningHark() as running:
        yield Agent(running)


# what is typed, what stdin holds, the exit code, the code, a part of the hint
WRONG = {
    "unknown-session": (("send", "nobody", "hi"), b"", 3, "session-not-found", "hark ls"),
    "unknown-message": (("show", "abcdef"), b"", 3, "message-not-found", "hark queue"),
    "no-text": (("send", "a", ""), b"", 2, "text-empty", "hark send NAME"),
    "only-blanks": (("send", "a", "-"), b" \n\t\n", 2, "text-empty", "hark send NAME"),
    "nothing-on-stdin": (("send", "a", "-"), b"", 2, "text-empty", "hark send NAME"),
    "ten-megabytes": (("send", "a", "-"), b"x" * 10_000_000, 2, "text-too-long", "file"),
    "just-too-long": (("send", "a", "-"), b"x" * (1_048_576 + 1), 2, "text-too-long", "file"),
    "nul": (("send", "a", "-"), b"one\0two", 2, "text-control-bytes", "printable"),
    "escape": (("send", "a", "-"), b"\x1b[201~\rrm -rf /\r", 2, "text-control-bytes", "printable"),
    "one-byte-escape": (("send", "a", "-"), b"\xc2\x9b201~", 2, "text-control-bytes", "printable"),
    "not-utf-8": (("send", "a", "-"), b"\xff\xfe", 2, "request-invalid", ""),
    "bad-duration": (("send", "--timeout", "soon", "a", "hi"), b"", 2, "duration-invalid", "5m"),
    "negative-duration": (("send", "--timeout", "-5m", "a", "hi"), b"", 2, "duration-invalid", "5m"),
    "zero-duration": (("send", "--timeout", "0", "a", "hi"), b"", 2, "duration-invalid", "5m"),
    "unknown-goal": (("send", "--wait", "read", "a", "hi"), b"", 2, "request-invalid", "--help"),
    "no-such-command": (("new", "--", "no-such-program"), b"", 2, "request-invalid", "PATH"),
    "no-such-directory": (("new", "-C", "/no/such", "--", "cat"), b"", 2, "request-invalid", "--help"),
    "bad-name": (("new", "-n", "../x", "--", "cat"), b"", 2, "name-invalid", "letters"),
    "bad-new-name": (("rename", "a", "x y"), b"", 2, "name-invalid", "letters"),
    "unknown-agent": (("new", "--agent", "hal", "--", "cat"), b"", 2, "agent-unknown", "demo"),
    "unknown-option": (("ls", "--colour"), b"", 2, "request-invalid", "--help"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_input_is_refused_with_a_code_a_hint_and_an_exit_code(idle: Agent, name: str) -> None:
    words, stdin, exit_code, code, hint = WRONG[name]

    refusal = idle.hark.refused(*words, stdin=stdin)

    assert (refusal.exit_code, refusal.code) == (exit_code, code)
    assert refusal.detail
    assert hint in refusal.hint
    assert idle.hark.json("queue", "a")["pending_count"] == 0


def test_people_get_a_sentence_and_a_hint_on_stderr_and_nothing_on_stdout(idle: Agent) -> None:
    refused = idle.hark.run("send", "nobody", "hi")

    assert (refused.returncode, refused.stdout) == (3, "")
    assert refused.stderr == "hark: no session 'nobody'\n  hint: `hark ls` shows the sessions there are\n"


def test_a_text_of_just_the_longest_length_is_taken(idle: Agent) -> None:
    message = idle.hark.json("send", "--wait", "submitted", "a", "-", stdin=b"x" * 1_048_576)

    assert len(message["text"]) == 1_048_576


def test_the_same_key_sends_once_and_another_text_with_it_is_refused(idle: Agent) -> None:
    before = len(idle.bodies())
    first = idle.hark.json("send", "--idempotency-key", "k1", "a", "just once")

    again = idle.hark.json("send", "--idempotency-key", "k1", "--wait", "completed", "a", "just once")
    other = idle.hark.refused("send", "--idempotency-key", "k1", "a", "something else")

    assert again["id"] == first["id"]
    assert (other.exit_code, other.code) == (1, "idempotency-conflict")
    assert other.hint
    assert idle.bodies()[before:] == ["just once"]
