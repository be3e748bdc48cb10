"""What Claude Code writes about itself, in our words. The lines are those of version 2.1.197, shortened."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from hark.agents.claude.files import read_entry, read_status
from hark.agents.protocol import Status
from hark.model.heard import Heard, Said
from hark.model.ids import MessageId
from hark.queue.turns import Phase

AT = datetime(2026, 11, 15, 12, 37, 46, 50_000, UTC)
STAMP = "2026-11-15T12:37:46.050Z"
ID = MessageId("cccccccccccc")
OURS = f"[Input from: x via hark send · {ID}]\nhello"


def status(**changes: object) -> bytes:
    fields = {"pid": 7, "sessionId": "f0-ff", "cwd": "/a/b.c", "status": "busy", "statusUpdatedAt": 1794746266050}
    return json.dumps(fields | changes).encode()


def test_the_status_says_what_it_does_and_since_when_and_where_its_transcript_is() -> None:
    assert read_status(status()) == Status(Phase.BUSY, AT, "projects/-a-b-c/f0-ff.jsonl")


@pytest.mark.parametrize("phase", [Phase.IDLE, Phase.BUSY, Phase.WAITING])
def test_every_status_is_a_phase(phase: Phase) -> None:
    found = read_status(status(status=str(phase)))

    assert found
    assert found.phase is phase


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"[]",
        status(status="new"),
        status(statusUpdatedAt="x"),
        status(statusUpdatedAt=-1),
        status(statusUpdatedAt=10**30),
    ],
)
def test_a_status_that_says_nothing(text: bytes) -> None:
    assert read_status(text) is None


def test_a_name_that_leads_elsewhere_is_no_transcript() -> None:
    found = read_status(status(sessionId="../../secret"))

    assert found
    assert found.transcript == ""


def user(content: object, **more: object) -> dict[str, Any]:
    return {"type": "user", "timestamp": STAMP, "message": {"role": "user", "content": content}, **more}


TAKEN = Heard(said=Said.PROMPT_SUBMITTED, at=AT, message_ids=(ID,))
ENTRIES: dict[str, tuple[object, Heard | None]] = {
    "a prompt of ours": (user(OURS), TAKEN),
    "a prompt of ours in parts": (user([{"type": "text", "text": OURS}, {"type": "image"}]), TAKEN),
    "a human's prompt": (user("hello"), None),
    "taken from the queue in the middle of a turn": (
        {"type": "attachment", "timestamp": STAMP, "attachment": {"type": "queued_command", "prompt": OURS}},
        TAKEN,
    ),
    "put into the queue": (
        {"type": "queue-operation", "operation": "enqueue", "timestamp": STAMP, "content": OURS},
        None,
    ),
    "an interrupt": (
        user([{"type": "text", "text": "[Request interrupted by user]"}]),
        Heard(said=Said.INTERRUPTED, at=AT),
    ),
    "a tool that was denied": (
        user([{"type": "text", "text": "[Request interrupted by user for tool use]"}]),
        Heard(said=Said.INTERRUPTED, at=AT),
    ),
    "what a hook has said": (user("Stop hook feedback:\n" + OURS, isMeta=True), None),
    "an agent beside it": (user(OURS, isSidechain=True), None),
    "an answer that quotes it": ({"type": "assistant", "timestamp": STAMP, "message": {"content": OURS}}, None),
    "a tool's result that quotes it": (user([{"type": "tool_result", "content": OURS}]), None),
    "no time": ({"type": "user", "message": {"content": OURS}}, None),
    "a time that is none": (user(OURS, timestamp="now"), None),
    "nothing like it": (["x"], None),
}


@pytest.mark.parametrize(("entry", "heard"), ENTRIES.values(), ids=ENTRIES.keys())
def test_what_a_line_of_the_transcript_says(entry: object, heard: Heard | None) -> None:
    assert read_entry(json.dumps(entry).encode()) == heard


@pytest.mark.parametrize("line", [b"", b"no json", b'{"type"', b"[" * 100_000])
def test_a_line_that_is_none(line: bytes) -> None:
    assert read_entry(line) is None
