"""Whatever is wrong with a request: problem+json, with a code and a hint, and never a 500."""

from __future__ import annotations

import json
from typing import NamedTuple

import pytest

from tests.integration.end_to_end.calling import Answer, UnixConnection, call
from tests.integration.end_to_end.running import RunningHark


class Wrong(NamedTuple):
    status: int
    code: str
    method: str
    path: str
    body: object = None
    headers: dict[str, str] = {}  # noqa: RUF012 nobody changes it


SEND = "/sessions/deaf/send"
HOOK = {"agent": "demo", "event": "stopped", "emitted_at": "2026-01-01T00:00:00Z"}
DEEP = json.dumps(HOOK).encode()[:-1] + b', "payload": {"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}}"

WRONG = {
    "unknown-route": Wrong(404, "route-not-found", "GET", "/nothing/here"),
    "unknown-method": Wrong(405, "method-not-allowed", "PUT", "/sessions"),
    "wrong-method": Wrong(405, "method-not-allowed", "POST", "/healthz"),
    "unknown-session": Wrong(404, "session-not-found", "GET", "/sessions/nobody"),
    "session-with-nul": Wrong(404, "session-not-found", "GET", "/sessions/a%00b"),
    "session-not-utf-8": Wrong(404, "session-not-found", "GET", "/sessions/%ff%fe"),
    "ambiguous-session": Wrong(409, "session-ambiguous", "GET", "/sessions/twin"),
    "unknown-message": Wrong(404, "message-not-found", "GET", "/messages/zzz"),
    "cancel-unknown": Wrong(404, "message-not-found", "POST", "/messages/zzz/cancel"),
    "pattern-is-no-wildcard": Wrong(404, "message-not-found", "GET", "/messages/%25"),
    "malformed-json": Wrong(422, "request-invalid", "POST", SEND, b'{"text": '),
    "no-body": Wrong(422, "request-invalid", "POST", SEND),
    "array": Wrong(422, "request-invalid", "POST", SEND, []),
    "null": Wrong(422, "request-invalid", "POST", SEND, b"null"),
    "not-utf-8": Wrong(422, "request-invalid", "POST", SEND, b'{"text": "\xff"}'),
    "half-a-surrogate": Wrong(422, "request-invalid", "POST", SEND, b'{"text": "\\ud800"}'),
    "deep": Wrong(422, "request-invalid", "POST", SEND, b"[" * 100_000),
    "deep-payload": Wrong(422, "request-invalid", "POST", "/hooks", DEEP),
    "text-is-a-number": Wrong(422, "request-invalid", "POST", SEND, {"text": 1}),
    "text-is-missing": Wrong(422, "request-invalid", "POST", SEND, {"delivery_mode": "sequential"}),
    "unknown-field": Wrong(422, "request-invalid", "POST", SEND, {"text": "hi", "colour": "red"}),
    "unknown-mode": Wrong(422, "request-invalid", "POST", SEND, {"text": "hi", "delivery_mode": "slow"}),
    "negative-timeout": Wrong(422, "request-invalid", "POST", SEND, {"text": "hi", "timeout_seconds": -1}),
    "endless-timeout": Wrong(422, "request-invalid", "POST", SEND, b'{"text": "hi", "timeout_seconds": 1e400}'),
    "empty-text": Wrong(422, "text-empty", "POST", SEND, {"text": " \n"}),
    "escape": Wrong(422, "text-control-bytes", "POST", SEND, {"text": "\x1b[201~"}),
    "too-long": Wrong(413, "text-too-long", "POST", SEND, {"text": "x" * 1_048_577}),
    "huge": Wrong(413, "text-too-long", "POST", SEND, b'{"text": "' + b"x" * 20_000_000),
    "empty-key": Wrong(422, "request-invalid", "POST", SEND, {"text": "hi"}, {"Idempotency-Key": ""}),
    "long-key": Wrong(422, "request-invalid", "POST", SEND, {"text": "hi"}, {"Idempotency-Key": "k" * 201}),
    "unknown-sender": Wrong(404, "session-not-found", "POST", SEND, {"text": "hi", "sender_session_id": "nobody"}),
    "wait-for-nonsense": Wrong(422, "request-invalid", "GET", "/messages/{message}?wait=read"),
    "wait-too-long": Wrong(422, "request-invalid", "GET", "/messages/{message}?wait=completed&wait_seconds=61"),
    "wait-not-a-number": Wrong(422, "request-invalid", "GET", "/messages/{message}?wait=completed&wait_seconds=nan"),
    "wait-in-vain": Wrong(504, "wait-timeout", "GET", "/messages/{message}?wait=submitted&wait_seconds=0.05"),
    "lines": Wrong(422, "request-invalid", "GET", "/sessions/deaf/output?lines=0"),
    "limit": Wrong(422, "request-invalid", "GET", "/sessions/deaf/messages?limit=1e9"),
    "after": Wrong(422, "request-invalid", "GET", "/events?after=-1"),
    "after-huge": Wrong(422, "request-invalid", "GET", "/events?after=99999999999999999999"),
    "no-command": Wrong(422, "request-invalid", "POST", "/sessions", {"command": []}),
    "command-with-nul": Wrong(422, "request-invalid", "POST", "/sessions", {"command": ["/bin/cat", "a\0b"]}),
    "variable-with-nul": Wrong(
        422, "request-invalid", "POST", "/sessions", {"command": ["/bin/cat"], "environment": {"A\0B": "c"}}
    ),
    "beside-no-pane": Wrong(
        422, "request-invalid", "POST", "/sessions", {"command": ["/bin/cat"], "beside": {"pane_id": "work:1"}}
    ),
    "beside-another-pane": Wrong(
        404, "pane-not-found", "POST", "/sessions", {"command": ["/bin/cat"], "beside": {"pane_id": "%9999"}}
    ),
    "directory-with-nul": Wrong(
        422, "request-invalid", "POST", "/sessions", {"command": ["/bin/cat"], "directory": "/tmp\0"}
    ),
    "no-such-directory": Wrong(
        422, "request-invalid", "POST", "/sessions", {"command": ["/bin/cat"], "directory": "/no/such"}
    ),
    "tiny-terminal": Wrong(422, "request-invalid", "POST", "/sessions", {"command": ["/bin/cat"], "columns": 1}),
    "name-taken": Wrong(409, "name-taken", "POST", "/sessions", {"command": ["/bin/cat"], "name": "deaf"}),
    "name-invalid": Wrong(422, "name-invalid", "POST", "/sessions", {"command": ["/bin/cat"], "name": "a b"}),
    "rename-empty": Wrong(422, "name-invalid", "PATCH", "/sessions/deaf", {"name": ""}),
    "agent-unknown": Wrong(422, "agent-unknown", "POST", "/sessions", {"command": ["/bin/cat"], "agent": "hal"}),
    "two-servers": Wrong(
        422, "request-invalid", "POST", "/sessions/adopt", {"target": "%0", "socket_name": "a", "socket_path": "/b"}
    ),
    "server-with-nul": Wrong(
        422, "request-invalid", "POST", "/sessions/adopt", {"target": "%0", "socket_path": "/tmp/a\0b"}
    ),
    "new-server-with-nul": Wrong(
        422, "request-invalid", "POST", "/sessions", {"command": ["/bin/cat"], "socket_path": "/tmp/a\0b"}
    ),
    "target-with-nul": Wrong(
        422, "text-control-bytes", "POST", "/sessions/adopt", {"target": "a\0b", "socket_path": "{tmux}"}
    ),
    "hook-without-a-time": Wrong(422, "request-invalid", "POST", "/hooks", {"agent": "demo", "event": "stopped"}),
    "hook-without-a-zone": Wrong(
        422, "request-invalid", "POST", "/hooks", HOOK | {"emitted_at": "2026-01-01T00:00:00"}
    ),
}


@pytest.fixture(scope="module")
def message(hark: RunningHark) -> str:
    """The id of a message that waits; its session is called `deaf`."""
    for name in ("deaf", "twin-1", "twin-2"):
        hark.ok("new", "-d", "-n", name, "--", "sleep", "1000")
    return str(hark.api("POST", SEND, {"text": "waiting"}).json["id"])


def check_problem(answer: Answer, status: int, code: str) -> None:
    assert (answer.status, answer.json["code"]) == (status, code), answer.body[:500]
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json.keys() == {"type", "title", "status", "detail", "code", "hint"}
    assert answer.json["status"] == status
    assert answer.json["type"] == "about:blank"
    assert answer.json["title"] == code.replace("-", " ")
    assert answer.json["detail"]
    assert answer.json["hint"]


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_request_is_answered_with_a_problem(hark: RunningHark, message: str, name: str) -> None:
    wrong = WRONG[name]
    body = wrong.body
    if isinstance(body, dict):
        body = {key: str(hark.tmux_socket) if value == "{tmux}" else value for key, value in body.items()}

    answer = hark.api(wrong.method, wrong.path.replace("{message}", message), body, wrong.headers)

    check_problem(answer, wrong.status, wrong.code)


def test_none_of_it_did_anything(hark: RunningHark, message: str) -> None:
    queue = hark.api("GET", "/sessions/deaf/send-queue").json

    assert [waiting["id"] for waiting in queue["pending_messages"]] == [message]
    assert {session["name"] for session in hark.json("ls")["sessions"]} == {"deaf", "twin-1", "twin-2"}


def test_a_method_that_is_not_allowed_is_answered_with_those_that_are(hark: RunningHark) -> None:
    assert hark.api("PUT", "/healthz").headers["allow"] in ("GET, HEAD", "HEAD, GET")


def test_a_body_without_end_is_cut_off_with_a_problem(hark: RunningHark, message: str) -> None:
    connection = UnixConnection(hark.socket)

    answer = call(connection, "POST", SEND, b'{"text": "' + b"x" * (65 * 1024 * 1024))

    check_problem(answer, 413, "text-too-long")


def test_an_error_of_another_session_is_not_mistaken_for_a_missing_route(hark: RunningHark) -> None:
    check_problem(hark.api("POST", "/sessions/no/such/send", {"text": "hi"}), 404, "session-not-found")
