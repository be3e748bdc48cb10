"""MCP: what the pipe costs every agent, what a call takes, and what the first request costs the daemon."""

import json
import statistics
import subprocess
import time
from typing import Any

from tests.campaigns.bench.stage import PROGRAMS, Stage, resident_mb, stage, tell

CALLS = 200
STARTS = 10


def run() -> None:
    print("MCP (aim: less than 15 MB for each agent's pipe)")
    with stage() as made:
        session = json.loads(made.hark("new", "--json", "-d", "-n", "a", "--", "sleep", "600"))["id"]
        daemon = made.daemon_pid()
        before = resident_mb(daemon)
        with _pipe(made, session) as pipe:
            started = time.perf_counter()
            _ask(
                pipe,
                "initialize",
                protocolVersion="2025-06-18",
                capabilities={},
                clientInfo={"name": "b", "version": "1"},
            )
            first_s = time.perf_counter() - started
            after = resident_mb(daemon)
            empty = [_timed(pipe, "check_inbox") for _ in range(CALLS)]
            full = []
            for _ in range(CALLS):
                made.call(made.connection(), "POST", "/sessions/a/send", {"text": "hello", "inbox": True})
                full.append(_timed(pipe, "check_inbox"))
            size = resident_mb(pipe.pid)
        tell("check_inbox through the pipe, nothing there", empty)
        tell("check_inbox through the pipe, one message", full)
        print(
            f"  the pipe takes {size:.1f} MB after {2 * CALLS + 1} requests, {_idle_mb(made, session):.1f} MB before the first"
        )
        print(
            f"  the daemon takes {before:.0f} MB before the first request and {after:.0f} MB after it, which took {first_s:.2f} s"
        )
        print(f"  and {resident_mb(daemon):.0f} MB after {2 * CALLS} calls\n")


def _pipe(made: Stage, session: str) -> subprocess.Popen[bytes]:
    environment = made.environment | {"HARK_SESSION": session}
    return subprocess.Popen([PROGRAMS / "hark-mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)


def _ask(pipe: subprocess.Popen[bytes], method: str, **params: Any) -> Any:
    assert pipe.stdin is not None
    assert pipe.stdout is not None
    pipe.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode() + b"\n")
    pipe.stdin.flush()
    answer = json.loads(pipe.stdout.readline())
    if "result" not in answer or answer["result"].get("isError"):
        raise RuntimeError(answer)
    return answer["result"]


def _timed(pipe: subprocess.Popen[bytes], tool: str) -> float:
    started = time.perf_counter()
    _ask(pipe, "tools/call", name=tool, arguments={})
    return time.perf_counter() - started


def _idle_mb(made: Stage, session: str) -> float:
    """Of pipes that wait for their first line: measured when their size has stopped growing."""
    sizes = []
    for _ in range(STARTS):
        with _pipe(made, session) as pipe:
            size = 0.0
            while (grown := resident_mb(pipe.pid)) > size:
                size = grown
                time.sleep(0.2)
            sizes.append(size)
            pipe.kill()
    return statistics.median(sizes)
