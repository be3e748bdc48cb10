"""The SDK is loaded by the first request, and a daemon without it says so."""

from __future__ import annotations

import http.client
import json
from pathlib import Path

from tests.integration.api.test_tcp import free_port
from tests.integration.end_to_end.calling import Answer, call
from tests.integration.end_to_end.running import RunningHark
from tests.integration.mcp.test_inbox import call_line
from tests.integration.mcp.test_pipe import PING, answers, run


def loaded(hark: RunningHark) -> bool:
    """By the library that the SDK's models are made with."""
    return "pydantic_core" in Path(f"/proc/{hark.daemon_pid()}/maps").read_text()


def test_the_sdk_is_loaded_when_the_first_request_comes() -> None:
    with RunningHark() as hark:
        hark.json("new", "-d", "-n", "a", "--", "sleep", "1000")
        hark.ok("send", "--inbox", "a", "hello")
        assert not loaded(hark)

        assert answers(run(PING, hark.environment))[0]["result"] == {}

        assert loaded(hark)


def test_a_daemon_without_the_sdk_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "mcp_types.py").write_text("raise ModuleNotFoundError(\"No module named 'mcp_types'\")\n")
    with RunningHark() as hark:
        hark.environment["PYTHONPATH"] = str(tmp_path)
        hark.ok("daemon", "start")

        answer = hark.api("POST", "/mcp", json.loads(PING))
        (told,) = answers(run(PING, hark.environment))

    assert (answer.status, answer.json["code"]) == (501, "not-available")
    assert answer.json["hint"] == "pip install 'hark[mcp]'"
    assert told["error"]["data"] == {"code": "not-available", "hint": "pip install 'hark[mcp]'"}
    assert "mcp_types" in told["error"]["message"]


def test_only_posts_are_taken() -> None:
    with RunningHark() as hark:
        hark.ok("daemon", "start")

        answer = hark.api("GET", "/mcp")

    assert (answer.status, answer.json["code"]) == (405, "method-not-allowed")


def test_over_tcp_it_wants_the_token_and_a_header_names_the_session() -> None:
    with RunningHark() as hark:
        port = free_port()
        hark.set(listen=f"127.0.0.1:{port}")
        session = hark.json("new", "-d", "-n", "far", "--", "sleep", "1000")["id"]
        token = (hark.home / "state/token").read_text().strip()

        def post(**headers: str) -> Answer:
            given = {"Accept": "application/json, text/event-stream", "Hark-Session": session, **headers}
            return call(http.client.HTTPConnection("127.0.0.1", port), "POST", "/mcp", call_line(1, "sessions"), given)

        refused, answer = post(), post(Authorization=f"Bearer {token}")

    assert (refused.status, refused.json["code"]) == (401, "token-wrong")
    (line,) = answer.json["result"]["structuredContent"]["sessions"]
    assert (line["name"], line["is_you"]) == ("far", True)
