from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.integration.demo.running import RunningAgent
from tests.support.terminals import PrivateTmux


@pytest.fixture
def tmux() -> Iterator[PrivateTmux]:
    with PrivateTmux() as server:
        yield server


@pytest.fixture
def agent(tmux: PrivateTmux) -> RunningAgent:
    return RunningAgent(tmux)
