"""The pipe outlives the daemon."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from mcp import MCPError

from tests.integration.end_to_end.running import RunningHark
from tests.integration.mcp.conftest import new_session
from tests.integration.mcp.connecting import ERAS, connected


@pytest.fixture
def hark() -> Iterator[RunningHark]:
    with RunningHark() as running:
        yield running


@pytest.mark.parametrize("era", ERAS)
async def test_a_restarted_daemon_makes_no_difference(hark: RunningHark, era: str) -> None:
    session = new_session(hark, "s")
    async with connected(hark, session, era) as agent:
        sent = hark.json("send", "--inbox", session, "before")
        hark.kill_daemon()
        hark.ok("daemon", "start")

        found = await agent.call("check_inbox")

        assert [message["id"] for message in found["messages"]] == [sent["id"]]


@pytest.mark.parametrize("era", ERAS)
async def test_during_an_outage_a_call_gets_an_error_that_says_what_to_do(hark: RunningHark, era: str) -> None:
    session = new_session(hark, "s")
    async with connected(hark, session, era) as agent:
        await agent.call("sessions")
        hark.kill_daemon()

        with pytest.raises(MCPError, match="hark daemon start") as failed:
            await agent.call("sessions")

        assert failed.value.data["code"] == "daemon-unreachable"
        hark.ok("daemon", "start")
        assert [line["id"] for line in (await agent.call("sessions"))["sessions"]] == [session]
