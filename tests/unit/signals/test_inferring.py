"""The question to a model, what is left out of it, and what its answer means."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from hark.model.signal import SignalState
from hark.signals.inferring import is_due, question, read_answer, read_response, redact, request

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "secret",
    [
        "sk-" + "ant-api03-abcdefghijklmnop",
        "ghp" + "_0123456789abcdefghijklmnopqrstuvwxyz",
        "AKIA" + "IOSFODNN7EXAMPLE",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP",
        "0123456789abcdef0123456789abcdef01234567",
        "-----BEGIN PRIVATE KEY-----\nMIIEvQ\nAgEAAo\n-----END PRIVATE KEY-----",
    ],
)
def test_what_looks_like_a_secret_does_not_leave_the_machine(secret: str) -> None:
    assert secret not in question(["some words", *f"the key is {secret} here".split("\n")])


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("password: hunter2 and more", "hunter2"),
        ('export API_KEY="a b c"', "a b c"),
        ("Authorization: Bearer abcdefgh12345", "abcdefgh12345"),
        ("postgres://user:pass@host/db", "user:pass"),
    ],
)
def test_values_with_telling_names_are_left_out(text: str, kept: str) -> None:
    assert kept not in redact(text)
    assert "[redacted]" in redact(text)


def test_words_paths_and_code_stay() -> None:
    text = "src/hark/signals/detector.py:12: def feed(self, data: bytes) -> list[Found]: # The quick brown fox"

    assert redact(text) == text


def test_only_the_end_of_the_screen_is_asked_about() -> None:
    asked = question([f"row {number}" for number in range(100)] + ["", ""])

    assert asked.endswith("row 99")
    assert "row 39\n" not in asked


@pytest.mark.parametrize(
    ("answer", "guess"),
    [
        ('{"state": "needs_input", "text": "which one"}', (SignalState.NEEDS_INPUT, "which one")),
        ('Sure:\n```json\n{"state": "error", "text": null}\n```', (SignalState.ERROR, "")),
        ('{"state": "finished", "text": "x"}', None),
        ("I do not know", None),
        ("{broken", None),
        ("[1]", None),
        ('{"state": []}', None),
    ],
)
def test_an_answer_is_a_state_with_a_text_or_nothing(answer: str, guess: object) -> None:
    assert read_answer(answer) == guess


def test_a_model_is_asked_only_about_sessions_that_are_quiet_and_have_said_nothing() -> None:
    long_ago, lately = NOW - timedelta(seconds=400), NOW - timedelta(seconds=100)

    assert is_due(NOW, long_ago, 300.0, 300.0)
    assert not is_due(NOW, lately, 300.0, 300.0)
    assert not is_due(NOW, long_ago, 299.0, 300.0)
    assert not is_due(NOW, long_ago, None, 300.0)


@pytest.mark.parametrize(
    ("protocol", "response"),
    [
        ("openai", {"choices": [{"message": {"content": "words"}}]}),
        ("anthropic", {"content": [{"type": "text", "text": "words"}]}),
    ],
)
def test_both_protocols_are_spoken(protocol: str, response: object) -> None:
    path, headers, body = request(protocol, "model", "key", "text")

    assert path.startswith("/v1/")
    assert any("key" in value for value in headers.values())
    assert body["model"] == "model"
    assert read_response(protocol, json.dumps(response).encode()) == "words"
    assert read_response(protocol, b"nonsense") == ""
