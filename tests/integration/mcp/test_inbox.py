"""An inbox under several pollers, and pollers that go away."""

from __future__ import annotations

import asyncio
import json
import subprocess

import pytest

from hark.inside.mcp_pipe import VERSION_KEY
from tests.integration.end_to_end.running import RunningHark
from tests.integration.mcp.connecting import DEADLINE_S, PIPE, Connected, connected
from tests.support.terminals import wait_until

MESSAGES = 60


async def poll(agent: Connected, found: list[str]) -> None:
    """Until all have been found by somebody."""
    async with asyncio.timeout(DEADLINE_S):
        while len(found) < MESSAGES:
            answer = await agent.call("check_inbox", wait="200ms")
            found += [message["id"] for message in answer["messages"]]


async def test_two_pollers_get_every_message_once_while_more_arrive(hark: RunningHark, session: str) -> None:
    found: list[str] = []
    sent: list[str] = []

    def send() -> None:
        for number in range(MESSAGES):
            answer = hark.api("POST", f"/sessions/{session}/send", {"text": f"text {number}", "inbox": True})
            sent.append(answer.json["id"])

    async with connected(hark, session) as first, connected(hark, session, "legacy") as second:
        await asyncio.gather(asyncio.to_thread(send), *(poll(agent, found) for agent in (first, first, second, second)))

    assert sorted(found) == sorted(sent)
    for message_id in sent:
        assert [r["status"] for r in hark.message(message_id)["receipts"]] == ["queued", "submitted"]


@pytest.mark.parametrize("version", [None, "2026-07-28"])
def test_a_poller_that_went_away_takes_nothing_with_it(hark: RunningHark, session: str, version: str | None) -> None:
    environment = hark.environment | {"HARK_SESSION": session}
    pipe = subprocess.Popen([PIPE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
    try:
        assert pipe.stdin is not None
        pipe.stdin.write(call_line(1, "check_inbox", version, wait="60s"))
        pipe.stdin.flush()
        wait_until(lambda: connections(pipe.pid) == 1, DEADLINE_S, "the poll to be under way")
    finally:
        pipe.kill()
        pipe.communicate()

    sent = hark.json("send", "--inbox", session, "still here?")
    # Whatever the daemon does for the poller that died, it does before it answers this one.
    (message,) = hark.json("inbox", "--wait", "30s", environment={"HARK_SESSION": session})["messages"]

    assert message["id"] == sent["id"]
    assert len(hark.message(sent["id"])["receipts"]) == 2


@pytest.mark.parametrize("wait", ["", "60s"])
def test_a_cancelled_poll_takes_nothing_and_gets_no_answer(hark: RunningHark, session: str, wait: str) -> None:
    """Without a wait it was answered before it could be cancelled; that is no error either."""
    environment = hark.environment | {"HARK_SESSION": session}
    pipe = subprocess.Popen([PIPE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
    assert pipe.stdin is not None
    assert pipe.stdout is not None
    try:
        pipe.stdin.write(call_line(1, "check_inbox", wait=wait))
        pipe.stdin.flush()
        if wait:
            wait_until(lambda: connections(pipe.pid) == 1, DEADLINE_S, "the poll to be under way")
        else:
            assert json.loads(pipe.stdout.readline())["id"] == 1
        cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
        pipe.stdin.write(json.dumps(cancelled).encode() + b"\n")
        pipe.stdin.flush()
        wait_until(lambda: connections(pipe.pid) == 0, DEADLINE_S, "the poll to be over")
        sent = hark.json("send", "--inbox", session, "for who asks next")

        pipe.stdin.write(call_line(2, "check_inbox", wait="30s"))
        pipe.stdin.flush()
        answer = json.loads(pipe.stdout.readline())
    finally:
        pipe.kill()
        pipe.communicate()

    assert answer["id"] == 2
    assert [message["id"] for message in answer["result"]["structuredContent"]["messages"]] == [sent["id"]]


def call_line(request_id: int, tool: str, version: str | None = None, **arguments: object) -> bytes:
    """With a version, as a client says it that shakes no hands."""
    params: dict[str, object] = {"name": tool, "arguments": arguments}
    if version:
        params["_meta"] = {VERSION_KEY: version, "io.modelcontextprotocol/clientCapabilities": {}}
    request = {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}
    return json.dumps(request).encode() + b"\n"


def connections(pid: int) -> int:
    """How many connections to the daemon the pipe has, by the sockets among its descriptors."""
    listed = subprocess.run(["ls", "-l", f"/proc/{pid}/fd"], capture_output=True, text=True, check=False).stdout
    return listed.count("socket:")
