"""Every test here runs on every store."""

from pathlib import Path

import pytest

from hark.store.contract import Store
from hark.store.sqlite.store import SqliteStore
from tests.integration.contract.loop import pytest_pyfunc_call
from tests.support.memory_store import MemoryStore

__all__ = ["pytest_pyfunc_call", "store"]


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return MemoryStore() if request.param == "memory" else SqliteStore(tmp_path / "hark.db")
