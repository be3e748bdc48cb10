"""Collects the verdicts of a run, and writes those of whole rows into the documents when it ends."""

from __future__ import annotations

import os
import re

import pytest

from tests.agents.launch import PINNED
from tests.agents.matrix import table
from tests.agents.matrix.verdict import Verdict

# Minutes per agent: `make agents` asks for it.
collect_ignore = [] if os.environ.get("HARK_TEST_MATRIX") else ["test_matrix.py"]
VERDICTS = pytest.StashKey[dict[str, dict[str, Verdict]]]()


@pytest.fixture(scope="session")
def verdicts(request: pytest.FixtureRequest) -> dict[str, dict[str, Verdict]]:
    return request.config.stash.setdefault(VERDICTS, {})


def pytest_sessionfinish(session: pytest.Session) -> None:
    results = session.config.stash.get(VERDICTS, {})
    if results and os.environ.get("HARK_TEST_MATRIX") == "write":
        table.write(results, {kind: version(kind) for kind in results})


def version(kind: str) -> str:
    """The pinned one."""
    [text] = [
        path.read_text() for path in PINNED.joinpath(kind).iterdir() if path.name in ("package.json", "requirements.in")
    ]
    found = re.search(r'(?:": "|==)(\d[\w.-]*)', text)
    assert found, text
    return found[1]
