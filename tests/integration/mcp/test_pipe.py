"""The pipe by itself: its ends, its size, what it does with what is no request."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hark.inside import mcp_pipe as pipe
from tests.integration.end_to_end.running import HARK, RunningHark
from tests.integration.mcp.connecting import DEADLINE_S, PIPE
from tests.integration.mcp.test_inbox import call_line
from tests.support.terminals import wait_until

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'


def run(
    lines: bytes, environment: Mapping[str, str], command: tuple[str, ...] = (PIPE,)
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(command, input=lines, capture_output=True, env=environment, timeout=DEADLINE_S, check=False)


def answers(finished: subprocess.CompletedProcess[bytes]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in finished.stdout.splitlines()]


@pytest.mark.parametrize("command", [(PIPE,), (HARK, "mcp")], ids=["hark-mcp", "hark mcp"])
def test_it_answers_what_is_under_way_and_ends_when_stdin_ends(hark: RunningHark, command: tuple[str, ...]) -> None:
    hark.ok("daemon", "start")

    finished = run(PING, hark.environment, command)

    assert answers(finished) == [{"jsonrpc": "2.0", "id": 1, "result": {}}]
    assert (finished.returncode, finished.stderr) == (0, b"")


@pytest.mark.parametrize(
    "line",
    [
        b"not JSON\n",
        b"[]\n",  # a batch
        b'"words"\n',
        b"[" * 100_000 + b"\n",
        b"\xff\xfe\n",
    ],
    ids=["words", "batch", "string", "deep", "bytes"],
)
def test_what_is_no_request_gets_an_error_and_does_no_harm(hark: RunningHark, line: bytes) -> None:
    hark.ok("daemon", "start")

    first, second = answers(run(line + b"\n" + PING, hark.environment))

    assert (first["id"], first["error"]["code"]) == (None, -32700)
    assert second == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_headers_cannot_be_smuggled_in(hark: RunningHark) -> None:
    """A name of a tool goes into a header; one with a line break in it does not."""
    hark.ok("daemon", "start")
    meta = {pipe.VERSION_KEY: "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    params = {"name": "sessions\r\nHark-Session: x", "arguments": {}, "_meta": meta}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}

    (answer,) = answers(run(json.dumps(request).encode() + b"\n", hark.environment))

    assert "error" in answer


def test_without_a_daemon_it_says_so_and_starts_none(tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "HARK_HOME": str(tmp_path)}

    process = subprocess.Popen([PIPE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(PING)
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    process.communicate(timeout=DEADLINE_S)

    assert answer["error"]["data"] == {
        "code": "daemon-unreachable",
        "hint": "`hark daemon start` starts it; then try again",
    }
    assert not list(tmp_path.iterdir())


def test_a_session_is_found_in_the_environment_of_the_agent_that_starts_it(hark: RunningHark, tmp_path: Path) -> None:
    """Some agents give their servers next to no environment."""
    asked, answered = tmp_path / "asked", tmp_path / "answered"
    asked.write_bytes(call_line(1, "sessions"))
    script = f"env -i PATH=$PATH {PIPE} < {asked} > {answered}.new; mv {answered}.new {answered}; sleep 1000"
    hark.ok("new", "-d", "-n", "cleaned", "--", "sh", "-c", script)
    wait_until(answered.exists, DEADLINE_S, "the answer")

    listed = json.loads(answered.read_bytes())["result"]["structuredContent"]["sessions"]

    assert [line["name"] for line in listed if line["is_you"]] == ["cleaned"]


def test_a_daemon_that_agents_share_knows_of_no_session(hark: RunningHark) -> None:
    session = hark.json("new", "-d", "-n", "sharing", "--", "sleep", "1000")["id"]
    script = f'env -i PATH="$PATH" HARK_HOME="$HARK_HOME" {PIPE}; true'

    finished = run(
        call_line(1, "sessions"), hark.environment | {"HARK_SESSION": session}, ("setsid", "--wait", "sh", "-c", script)
    )

    (answer,) = answers(finished)
    assert not any(line["is_you"] for line in answer["result"]["structuredContent"]["sessions"])


def test_it_loads_nothing_heavy() -> None:
    program = "import sys; from hark.inside import mcp_pipe; print(*sys.modules)"
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    heavy = {"asyncio", "msgspec", "click", "mcp", "pydantic", "http.client", "email", "ssl", "subprocess", "tempfile"}
    assert not heavy & set(finished.stdout.split())


@pytest.mark.parametrize(
    ("received", "understood"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", (200, b"{}")),
        (b"HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n", (202, b"")),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}", None),  # it died in the middle
        (b"", None),
        (b"SSH-2.0-x\r\n\r\n", None),
    ],
)
def test_half_an_answer_is_none(received: bytes, understood: tuple[int, bytes] | None) -> None:
    import socket

    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            theirs.sendall(received)
        if understood is None:
            with pytest.raises(pipe.Dropped):
                pipe.read_answer(ours)
        else:
            assert pipe.read_answer(ours) == understood
