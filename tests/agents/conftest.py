"""Which agents take part: HARK_TEST_AGENTS names them; all of them by default. `make test` names three, `make agents` all."""

import os

import pytest

from tests.agents.launch import LAUNCHES

CHOSEN = os.environ.get("HARK_TEST_AGENTS", " ".join(LAUNCHES)).split()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests of other agents are not collected: they are another command's."""
    unwanted = [item for item in items if _kind(item) not in (None, *CHOSEN)]
    if unwanted:
        config.hook.pytest_deselected(items=unwanted)
        items[:] = [item for item in items if item not in unwanted]


def _kind(item: pytest.Item) -> str | None:
    callspec = getattr(item, "callspec", None)
    values = callspec.params.values() if callspec else ()
    return next((value for value in values if isinstance(value, str) and value in LAUNCHES), None)
