from pathlib import Path

import pytest

from hark.store.sqlite.store import SqliteStore
from tests.integration.contract.loop import pytest_pyfunc_call

__all__ = ["path", "pytest_pyfunc_call", "store"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "hark.db"


@pytest.fixture
def store(path: Path) -> SqliteStore:
    return SqliteStore(path)
