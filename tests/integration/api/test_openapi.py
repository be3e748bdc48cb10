"""/openapi.json: valid, complete, and true: what the daemon answers is what it says that it answers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator, FormatChecker

from hark.api.server import CALLS
from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.calling import Answer
from tests.integration.end_to_end.running import DEADLINE_S, RunningHark
from tests.support.terminals import wait_until

Document = dict[str, Any]


@pytest.fixture(scope="module")
def document(hark: RunningHark) -> Document:
    hark.ok("daemon", "start")
    answer = hark.api("GET", "/openapi.json")
    assert answer.status == 200
    return dict(answer.json)


def operations(document: Document) -> Iterator[tuple[str, str, Document]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def references(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for value in node.values():
            yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


def test_it_is_openapi_with_schemas_that_are_json_schemas(document: Document) -> None:
    assert document["openapi"] == "3.1.0"
    assert document["info"].keys() >= {"title", "version"}
    assert document["components"]["schemas"]
    for schema in document["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


def test_every_reference_leads_somewhere(document: Document) -> None:
    wanted = set(references(document))

    assert wanted
    assert {name for name in wanted if name.rpartition("/")[2] not in document["components"]["schemas"]} == set()


def test_every_call_is_described_once_with_all_that_it_needs(document: Document) -> None:
    described = {(method, path) for method, path, _ in operations(document)}
    names = [operation["operationId"] for _, _, operation in operations(document)]

    assert described == {(call.method, call.path.replace(":path}", "}")) for call in CALLS}
    assert len(names) == len(set(names))
    for _, path, operation in operations(document):
        placeholders = {part.strip("{}") for part in path.split("/") if part.startswith("{")}
        parameters = operation.get("parameters", [])
        assert {p["name"] for p in parameters if p["in"] == "path"} == placeholders
        assert all(p["required"] for p in parameters if p["in"] == "path")
        assert operation["summary"]
        assert "default" in operation["responses"]


def check_described(document: Document, method: str, path: str, answer: Answer) -> None:
    """The status is one that the call documents by its number, and the body fits the schema that stands beside it."""
    responses = document["paths"][path][method.lower()]["responses"]
    assert str(answer.status) in responses, f"{method} {path} answered {answer.status}: {answer.body[:300]!r}"
    content = responses[str(answer.status)].get("content")
    if content is None:
        return
    [(media_type, described)] = content.items()
    assert answer.headers["content-type"] == media_type
    schema = {**described["schema"], "components": document["components"]}
    Draft202012Validator(schema, format_checker=FormatChecker()).validate(json.loads(answer.body))


def test_every_documented_call_answers_as_it_is_documented(hark: RunningHark, document: Document, agent: Agent) -> None:
    message_id = agent.send_and_wait("hello", "completed")
    asked = agent.send("from an agent", "--from", "agent")
    waiting = agent.send("wait here", "--timeout", "1h", "--from", "somebody")
    reminder = hark.json("remind", "--to", "agent", "1h", "look")["id"]
    pane = hark.session("agent")["pane_id"]
    hook = {"agent": "demo", "event": "stopped", "emitted_at": "2026-01-01T00:00:00Z", "session_id": agent.id}
    new = {"command": ["sleep", "1000"], "name": "new", "environment": {"PATH": "/usr/bin:/bin"}}
    adopt = {"target": pane, "socket_path": str(hark.tmux_socket)}
    run = adopt | {"command": ["sleep", "1000"], "directory": "/"}
    # method, path, what stands for the placeholder, query, body
    alert = {"session_id": "x", "nudge_seq": 1, "channel": "sound", "outcome": "shown"}
    calls: list[tuple[str, str, str, str, object]] = [
        ("GET", "/healthz", "", "", None),
        ("GET", "/stats", "", "", None),
        ("GET", "/metrics", "", "", None),
        ("GET", "/openapi.json", "", "", None),
        ("GET", "/events", "", "?after=0&limit=5", None),
        ("GET", "/events", "", "?after=x", None),
        ("GET", "/signals", "", "?limit=5", None),
        ("GET", "/signals", "", "?session=nobody", None),
        ("GET", "/needs", "", "", None),
        ("GET", "/needs/line", "", "", None),
        ("POST", "/hooks", "", "", hook),
        ("POST", "/hooks", "", "", {}),
        ("POST", "/sessions", "", "", new),
        ("POST", "/sessions", "", "", new),
        ("POST", "/sessions", "", "", {"command": []}),
        ("POST", "/sessions/adopt", "", "", adopt),
        ("POST", "/sessions/adopt", "", "", adopt | {"target": "%999"}),
        ("POST", "/sessions/adopt", "", "", {}),
        ("GET", "/sessions", "", "?all=1", None),
        ("GET", "/wait", "", "?sessions=agent&for=completed&wait_seconds=0", None),
        ("GET", "/wait", "", "?sessions=agent&for=tea", None),
        ("GET", "/wait", "", "?for=idle", None),
        ("GET", "/wait", "", "?sessions=nobody", None),
        ("GET", "/sessions/{session}", "agent", "", None),
        ("GET", "/sessions/{session}", "nobody", "", None),
        ("POST", "/sessions/{session}/restart", "agent", "", {}),
        ("POST", "/sessions/{session}/restart", "nobody", "", {}),
        ("POST", "/sessions/{session}/restart", "agent", "", {"columns": 1}),
        ("GET", "/sessions/{session}/output", "agent", "?lines=5", None),
        ("GET", "/sessions/{session}/output", "agent", "?lines=0", None),
        ("GET", "/sessions/{session}/output/stream", "nobody", "", None),
        ("POST", "/sessions/{session}/send", "agent", "", {"text": "hi"}),
        ("POST", "/sessions/{session}/send", "agent", "", {"text": ""}),
        ("POST", "/send", "", "", {"text": "hi", "to": ["agent", "*"]}),
        ("POST", "/send", "", "", {"text": "hi", "to": ["nobody"]}),
        ("POST", "/spawn", "", "", {"agent": "nothing", "task": "hi"}),
        ("POST", "/sessions/{session}/send", "nobody", "", {"text": "hi"}),
        ("POST", "/sessions/{session}/send", "agent", "", {"text": "hi", "notify_on_delivery": True}),
        ("GET", "/sessions/{session}/send-queue", "agent", "", None),
        ("GET", "/sessions/{session}/send-queue", "nobody", "", None),
        ("GET", "/sessions/{session}/messages", "agent", "?limit=5", None),
        ("GET", "/sessions/{session}/messages", "agent", "?limit=0", None),
        ("GET", "/messages/{message}", message_id, "", None),
        ("GET", "/messages/{message}", "zzz", "", None),
        ("GET", "/messages/{message}", message_id, "?wait=nonsense", None),
        ("GET", "/messages/{message}/thread", message_id, "", None),
        ("GET", "/messages/{message}/thread", "zzz", "", None),
        ("GET", "/sessions/{session}/draft", "agent", "", None),
        ("GET", "/sessions/{session}/draft", "nobody", "", None),
        ("GET", "/sessions/{session}/last-answer", "agent", "", None),
        ("GET", "/sessions/{session}/last-answer", "nobody", "", None),
        ("POST", "/messages/{message}/reply", message_id, "", {"text": "hi"}),
        ("POST", "/messages/{message}/reply", asked, "", {"text": "hi"}),
        ("POST", "/messages/{message}/reply", "zzz", "", {"text": "hi"}),
        ("POST", "/messages/{message}/cancel", message_id, "", None),
        ("POST", "/messages/{message}/cancel", "zzz", "", None),
        ("POST", "/messages/{message}/retry", message_id, "", None),
        ("POST", "/messages/{message}/retry", "zzz", "", None),
        ("POST", "/messages/{message}/release", message_id, "", None),
        ("POST", "/messages/{message}/release", "zzz", "", None),
        ("POST", "/sessions/{session}/hold", "agent", "", None),
        ("POST", "/sessions/{session}/hold", "nobody", "", None),
        ("POST", "/sessions/{session}/release", "agent", "", None),
        ("POST", "/sessions/{session}/release", "nobody", "", None),
        ("POST", "/sessions/{session}/signal", "agent", "", {"state": "working", "text": "on it"}),
        ("POST", "/sessions/{session}/signal", "agent", "", {"state": "asleep"}),
        ("POST", "/sessions/{session}/signal", "nobody", "", {"state": "error"}),
        ("POST", "/sessions/{session}/signal", "agent", "", {"state": "error", "source": "terminal"}),
        ("POST", "/sessions/{session}/signal", "agent", "", {"state": "error", "source": "inferred"}),
        ("POST", "/sessions/{session}/near-miss", "agent", "", {"line": "hark:error", "why": "no marker"}),
        ("POST", "/sessions/{session}/near-miss", "nobody", "", {"line": "hark:error", "why": "no marker"}),
        ("POST", "/sessions/{session}/near-miss", "agent", "", {"line": 1}),
        ("POST", "/sessions/{session}/send", "agent", "", {"text": "hi", "inbox": True}),
        ("POST", "/sessions/{session}/inbox", "agent", "", {"wait_seconds": 5}),
        ("POST", "/sessions/{session}/inbox", "agent", "", {"again": True}),
        ("POST", "/sessions/{session}/inbox", "agent", "", {"wait_seconds": 61}),
        ("POST", "/sessions/{session}/inbox", "nobody", "", {}),
        ("POST", "/messages/{message}/ack", message_id, "", {"done": True}),
        ("POST", "/messages/{message}/ack", message_id, "", {"session_id": "nobody"}),
        ("POST", "/messages/{message}/ack", "zzz", "", {}),
        ("POST", "/scheduler/remind", "", "", {"session_id": "agent", "delay_seconds": 3600, "message": "look"}),
        ("POST", "/scheduler/remind", "", "", {"session_id": "agent", "delay_seconds": 0, "message": "look"}),
        ("POST", "/scheduler/remind", "", "", {"session_id": "nobody", "delay_seconds": 1, "message": "look"}),
        ("GET", "/scheduler/reminders", "", "?session=agent", None),
        ("GET", "/scheduler/reminders", "", "?session=nobody", None),
        ("DELETE", "/scheduler/reminders/{reminder}", reminder, "", None),
        ("DELETE", "/scheduler/reminders/{reminder}", reminder, "", None),
        ("GET", "/questions", "", "?session=agent&all=1&limit=5", None),
        ("GET", "/questions", "", "?session=nobody", None),
        ("POST", "/questions/{question}/answer", "zzz", "", {"answers": ["allow"]}),
        ("POST", "/questions/{question}/answer", "zzz", "", {"answers": []}),
        ("POST", "/sessions/run", "", "", run),
        ("POST", "/sessions/run", "", "", run | {"target": "%999"}),
        ("POST", "/editor", "", "", {"session_id": "nobody", "text": "draft", "pid": 1}),
        ("PATCH", "/sessions/{session}", "new", "", {"name": "newer"}),
        ("PATCH", "/sessions/{session}", "newer", "", {"name": "a b"}),
        ("PATCH", "/sessions/{session}", "newer", "", {"name": "agent"}),
        ("PATCH", "/sessions/{session}", "nobody", "", {"name": "agent"}),
        ("DELETE", "/sessions/{session}", "newer", "", None),
        ("DELETE", "/sessions/{session}", "nobody", "", None),
        ("GET", "/messages/{message}", waiting, "?wait=submitted&wait_seconds=20", None),
        ("POST", "/dashboard/links", "", "", {"is_read_only": True}),
        ("POST", "/dashboard/links", "", "", {"seconds": 0}),
        ("GET", "/dashboard/me", "", "", None),
        ("GET", "/dashboard/browsers", "", "", None),
        ("DELETE", "/dashboard/browsers/{browser}", "nobody", "", None),
        ("POST", "/dashboard/leave", "", "", None),
        ("GET", "/dashboard/snapshot", "", "", None),
        ("GET", "/dashboard/overview", "", "?hours=3", None),
        ("GET", "/dashboard/overview", "", "?hours=0", None),
        ("GET", "/dashboard/away", "", "?after=0&limit=10", None),
        ("PUT", "/dashboard/acknowledgements", "", "", {"subject": "away", "seq": 1}),
        ("PUT", "/dashboard/acknowledgements", "", "", {"subject": "", "seq": 1}),
        ("POST", "/dashboard/notifications", "", "", alert),
        ("POST", "/dashboard/notifications", "", "", alert | {"outcome": "perhaps"}),
        ("GET", "/dashboard/notifications", "", "?limit=5", None),
        ("GET", "/search", "", "?q=hi", None),
        ("GET", "/search", "", "?q=", None),
        ("GET", "/messages/{message}/story", message_id, "", None),
        ("GET", "/messages/{message}/story", "zzz", "", None),
        ("POST", "/dashboard/close", "", "", None),
        ("POST", "/restart", "", "", {"command": ["/no/such/hark", "serve"]}),
        ("POST", "/restart", "", "", {"command": []}),
        ("POST", "/shutdown", "", "", None),
    ]

    assert {(method, path) for method, path, *_ in calls} == {(m, p) for m, p, _ in operations(document)}
    for method, path, value, query, body in calls:
        target = re.sub(r"{\w+}", value, path) + query
        check_described(document, method, path, hark.api(method, target, body))
    wait_until(lambda: hark.daemon_pid() is None, DEADLINE_S, "the daemon to end, as it was asked to")


def test_a_held_message_fits_its_schema(document: Document, hark: RunningHark, deaf: str) -> None:
    message_id = hark.api("POST", f"/sessions/{deaf}/send", {"text": "hi", "timeout_seconds": 60}).json["id"]
    hark.wait_status(message_id, "held", "busy")

    for path, value in (("/messages/{message}", message_id), ("/sessions/{session}/send-queue", deaf)):
        target = path.replace("{message}", value).replace("{session}", value)
        check_described(document, "GET", path, hark.api("GET", target))
