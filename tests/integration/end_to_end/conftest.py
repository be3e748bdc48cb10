from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import RunningHark


@pytest.fixture
def hark() -> Iterator[RunningHark]:
    with RunningHark() as running:
        yield running


@pytest.fixture
def agent(hark: RunningHark) -> Agent:
    return Agent(hark)
