from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.integration.dashboard.calling import WebBrowser
from tests.integration.end_to_end.running import RunningHark


@pytest.fixture(scope="module")
def hark() -> Iterator[RunningHark]:
    """One daemon for all tests of a file; each test has sessions of its own."""
    with RunningHark(dashboard_port="0") as running:
        yield running


@pytest.fixture
def browser(hark: RunningHark) -> WebBrowser:
    return WebBrowser(hark)


@pytest.fixture
def reader(hark: RunningHark) -> WebBrowser:
    """A browser that may only look."""
    return WebBrowser(hark, is_read_only=True)
