"""What ls, queue, show, kill and events make of an answer."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wcwidth import wcswidth

from hark.api.shapes.messages import ReceiptInfo
from hark.cli.messages.events import event_line
from hark.cli.messages.queue import message_row, remarks
from hark.cli.messages.show import story
from hark.cli.sessions.kill import ended_line
from hark.cli.sessions.ls import session_row
from hark.model.message import Channel, HoldReason, Status
from hark.model.signal import SignalState
from hark.queue.reports.needs import Why
from tests.unit.cli.samples import START, later, message, pending, session


@pytest.fixture(autouse=True)
def _utc() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.parametrize(
    ("fields", "cell"),
    [
        ({}, "-"),
        ({"pending_count": 1}, "1"),
        ({"pending_count": 2, "hold_reason": HoldReason.DRAFT}, "2 (draft)"),
    ],
)
def test_a_session_shows_how_many_wait_and_why(fields: dict[str, Any], cell: str) -> None:
    assert session_row(session(**fields), later(3700).isoformat()) == (
        "backend",
        "5e551011",
        "claude",
        "running",
        "-",
        "-",
        cell,
        "1h1m",
        "claude --model 'big one'",
    )


@pytest.mark.parametrize(
    ("state", "text", "room", "cell"),
    [
        (None, "", None, "-"),
        (SignalState.COMPLETED, "", None, "completed"),
        (SignalState.NEEDS_INPUT, "Which one?", None, "needs_input: Which one?"),
        (SignalState.NEEDS_INPUT, "Which one?", 16, "needs_input: Wh…"),
        (SignalState.ERROR, "漢字" * 30, 12, "error: 漢字…"),
        (SignalState.ERROR, "\x1b]52;c;QQ==\x07\nno disk\x9b2J", None, "error: \\x1b]52;c;QQ==\\x07 no disk\\x9b2J"),
    ],
)
def test_a_session_shows_what_its_agent_announced_on_one_harmless_line(
    state: SignalState | None, text: str, room: int | None, cell: str
) -> None:
    shown = session(signal_state=state, signal_text=text)

    assert session_row(shown, later(1).isoformat(), room)[4] == cell


@pytest.mark.parametrize(
    ("fields", "cell"),
    [
        # Nobody is needed.
        ({}, "-"),
        # The signal has said already what is asked.
        ({"signal_text": "Which one?", "question": "Which one?"}, "1m"),
        # A dialog asks for something else than the signal did.
        ({"signal_text": "Which one?", "question": "Bash: make"}, "1m: Bash: make"),
        # The agent has not said what it asks for.
        ({"question": "", "signal_text": "x"}, "1m: permission"),
        # The words of an agent drive no terminal.
        ({"question": "\x1b]52;c;QQ==\x07"}, "1m: \\x1b]52;c;QQ==\\x07"),
    ],
)
def test_a_session_shows_how_long_it_has_waited_and_for_what(fields: dict[str, Any], cell: str) -> None:
    need = {"need": Why.PERMISSION, "need_since": START} if fields else {}

    assert session_row(session(**need, **fields), later(60).isoformat())[5] == cell


@given(st.text(max_size=300), st.integers(min_value=1, max_value=60))
@settings(deadline=None)
def test_whatever_an_agent_announces_keeps_to_its_room_and_to_its_line(text: str, room: int) -> None:
    shown = session_row(session(signal_state=SignalState.ERROR, signal_text=text), later(1).isoformat(), room)

    assert shown[4].isprintable()
    assert wcswidth(shown[4]) <= room


def test_a_waiting_message_shows_why_and_since_when() -> None:
    held = pending(
        status=Status.HELD,
        reason=HoldReason.DRAFT,
        held_since=later(30),
        timeout_at=later(300),
        sender="cron",
    )

    assert message_row(held, later(60).isoformat()) == (
        "4f1c00000000",
        "held",
        "draft",
        "30s",
        "sequential",
        "cron",
        "1m",
        "in 4m",
        "run the tests",
    )


@pytest.mark.parametrize(
    ("is_idle", "count", "draft", "lines"),
    [
        (True, 0, None, ["backend is idle; nothing waits for it"]),
        (None, 2, None, ["backend may be idle or busy; 2 waiting"]),
        (False, 1, "", ["backend is busy; 1 waiting", "a draft is kept until it is back in the box: "]),
    ],
)
def test_a_queue_is_introduced(is_idle: bool | None, count: int, draft: str | None, lines: list[str]) -> None:
    queue = {"is_idle": is_idle, "pending_count": count, "saved_user_input": draft}

    assert remarks("backend", queue) == lines


def test_the_story_of_a_message() -> None:
    receipts = [
        ReceiptInfo(status=Status.QUEUED, at=START, reason=None, detail="", channel=None),
        ReceiptInfo(status=Status.HELD, at=later(0.02), reason=HoldReason.DRAFT, detail="a draft", channel=None),
        ReceiptInfo(status=Status.SUBMITTED, at=later(62), reason=None, detail="", channel=Channel.TERMINAL),
    ]
    told = story(message(sender="cron", status=Status.SUBMITTED, text="one\n\ntwo\x1b[2J", receipts=receipts))

    assert (
        told
        == """\
message 4f1c00000000 to backend from cron
status  submitted
mode    sequential
queued  2026-01-02 03:04:05

  one

  two\\x1b[2J

AT        AFTER  STATUS     BY        WHAT HAPPENED
03:04:05  0ms    queued     -         was queued
03:04:05  20ms   held       -         waits: a human's draft is in the input box (a draft)
03:05:07  1m2s   submitted  terminal  left the input box"""
    )


def test_a_held_message_says_since_when_and_when_it_expires() -> None:
    told = story(
        message(status=Status.HELD, reason=HoldReason.DIALOG, held_since=later(1), timeout_at=later(60))
    ).splitlines()

    assert told[1] == "status  held (dialog since 2026-01-02 03:04:06)"
    assert told[4] == "expires 2026-01-02 03:05:05"


def test_an_adopted_pane_is_only_forgotten() -> None:
    assert ended_line(session()) == "killed backend 5e551011"
    assert ended_line(session(is_adopted=True)) == "forgot backend 5e551011; its pane goes on"


def test_an_event_is_one_line() -> None:
    event = {
        "seq": 41,
        "at": START.isoformat(),
        "kind": "message",
        "session_id": "5e551011",
        "message_id": None,
        "data": {"status": "held", "reason": "draft", "detail": ""},
    }

    assert event_line(event) == "41 2026-01-02 03:04:05 message session=5e551011 status=held reason=draft"
