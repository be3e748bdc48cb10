import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hark import paths
from tests.unit.cli.canned import CannedServer


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home of its own with a short path (unix sockets need that), and no daemon started by accident."""
    directory = Path(tempfile.mkdtemp(prefix="hk", dir="/tmp"))
    for name in ("TMUX", "TMUX_PANE", "TMUX_TMPDIR", "HARK_SESSION", "HARK_DEBUG", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HARK_HOME", str(directory))
    monkeypatch.setenv("HARK_NO_AUTOSTART", "1")
    yield directory
    shutil.rmtree(directory)


@pytest.fixture
def serve(home: Path) -> Iterator[Callable[..., CannedServer]]:
    servers: list[CannedServer] = []

    def start(*answers: bytes) -> CannedServer:
        paths.make_private(paths.runtime_dir())
        servers.append(CannedServer(paths.socket_path(), answers))
        return servers[-1]

    yield start
    for server in servers:
        server.close()
