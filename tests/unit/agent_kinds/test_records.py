"""What agents keep on record of their own words."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from hark.agents.codex import protocol as codex_protocol
from hark.agents.opencode import protocol as opencode_protocol
from hark.agents.records.record import has_record, read_line
from hark.agents.records.words import Words

AT = "2026-11-15T12:09:19.505Z"
WHEN = datetime(2026, 11, 15, 12, 9, 19, 505000, tzinfo=UTC)


def claude(**fields: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": [{"type": "text", "text": "words"}, {"type": "tool_use", "id": "t"}]}
    return {"type": "assistant", "uuid": "u1", "timestamp": AT, "isSidechain": False, "message": message} | fields


def codex(role: str = "assistant", kind: str = "response_item") -> dict[str, Any]:
    item = {"type": "message", "id": "msg_1", "role": role, "content": [{"type": "output_text", "text": "words"}]}
    return {"timestamp": AT, "ordinal": 10, "type": kind, "payload": item}


@pytest.mark.parametrize(
    ("kind", "entry", "name"),
    [
        ("claude", claude(), "u1"),
        ("codex", codex(), "place"),  # its ids are the service's own, and need not be unique
        ("gemini", {"id": "g1", "timestamp": AT, "type": "gemini", "content": "words"}, "g1"),
        ("gemini", {"id": "g1", "timestamp": AT, "type": "gemini", "content": [{"text": "words"}]}, "g1"),
    ],
)
def test_what_the_agent_has_said_is_read(kind: str, entry: dict[str, Any], name: str) -> None:
    assert has_record(kind)
    assert read_line(kind, json.dumps(entry).encode(), "place") == Words(name=name, text="words", at=WHEN)


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("claude", json.dumps(claude(isSidechain=True)).encode()),  # a subagent's
        ("claude", json.dumps(claude(type="user")).encode()),
        ("claude", json.dumps(claude(message={"content": [{"type": "tool_use"}]})).encode()),
        ("claude", b'{"type": "assistant"}'),
        ("claude", b"half a li"),
        ("claude", b"[]"),
        ("codex", json.dumps(codex(role="user")).encode()),
        ("codex", json.dumps(codex(kind="event_msg")).encode()),
        ("gemini", b'{"type": "user", "content": "words"}'),
        ("gemini", b'{"$set": {"lastUpdated": "x"}}'),
        ("demo", b"{}"),
    ],
)
def test_everything_else_is_nothing(kind: str, line: bytes) -> None:
    assert read_line(kind, line, "place") is None


def test_codex_says_what_is_whole_in_order() -> None:
    def turn(name: str, *items: dict[str, Any]) -> dict[str, Any]:
        return {"id": name, "items": [{"type": "userMessage", "id": "u", "content": []}, *items]}

    said = {"type": "agentMessage", "id": "m1", "text": "one", "completedAtMs": 1000}
    later = {"type": "agentMessage", "id": "m1", "text": "two", "completedAtMs": 2000}
    saying = {"type": "agentMessage", "id": "m2", "text": "th", "completedAtMs": None}

    words = codex_protocol.read_words([turn("t2", later, saying), turn("t1", said)])

    assert [(one.name, one.text) for one in words] == [("t1:m1", "one"), ("t2:m1", "two")]


def test_what_our_plugin_has_kept_of_opencode_is_read() -> None:
    line = b'{"type": "words", "id": "prt_1", "text": "one", "timestamp": "2026-11-15T12:00:00.500Z"}'

    words = read_line("opencode", line, "place")

    assert words == Words(name="prt_1", text="one", at=datetime(2026, 11, 15, 12, 0, 0, 500_000, UTC))
    assert read_line("opencode", b'{"type": "other"}', "place") is None


def test_opencode_says_what_is_whole() -> None:
    whole = {"id": "p1", "type": "text", "text": "one", "time": {"start": 1, "end": 2000}}
    saying = {"id": "p2", "type": "text", "text": "tw", "time": {"start": 3}}
    step = {"id": "p3", "type": "step-start"}
    messages: list[dict[str, Any]] = [
        {"info": {"role": "user"}, "parts": [{"id": "p0", "type": "text", "text": "asked"}]},
        {"info": {"role": "assistant"}, "parts": [step, whole, saying]},
    ]

    assert [(one.name, one.text) for one in opencode_protocol.read_words(messages)] == [("p1", "one")]
