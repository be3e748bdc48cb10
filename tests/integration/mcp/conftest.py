from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.integration.contract.loop import pytest_pyfunc_call
from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import RunningHark

__all__ = ["agent", "hark", "new_session", "pytest_pyfunc_call", "session"]


@pytest.fixture(scope="module")
def hark() -> Iterator[RunningHark]:
    """One daemon for all tests of a file; each test has sessions of its own."""
    with RunningHark() as running:
        yield running


@pytest.fixture(scope="module")
def agent(hark: RunningHark) -> Agent:
    return Agent(hark, "agent", "--busy", "0.02")


@pytest.fixture
def session(hark: RunningHark, request: pytest.FixtureRequest) -> str:
    """The id of a session whose program reads no keys: nothing can be typed into it."""
    return new_session(hark, f"s{abs(hash(request.node.name)) % 10**8}")


def new_session(hark: RunningHark, name: str) -> str:
    session_id: str = hark.json("new", "-d", "-n", name, "--", "sleep", "1000")["id"]
    return session_id
