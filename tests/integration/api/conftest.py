from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import RunningHark


@pytest.fixture(scope="module")
def hark() -> Iterator[RunningHark]:
    """One daemon for all tests of a file; each test has sessions of its own, or the two below."""
    with RunningHark() as running:
        yield running


@pytest.fixture(scope="module")
def agent(hark: RunningHark) -> Agent:
    return Agent(hark, "agent", "--busy", "0.02")


@pytest.fixture
def deaf(hark: RunningHark, request: pytest.FixtureRequest) -> str:
    """The name of a session that reads no keys: what is sent to it waits."""
    name = f"deaf-{abs(hash(request.node.name)) % 10**8}"
    hark.ok("new", "-d", "-n", name, "--", "sleep", "1000")
    return name
