"""What an agent is started with."""

from pathlib import Path

import pytest

from hark.daemon.registry.launcher import Launcher
from hark.installing.hooks import MARK
from hark.model.ids import SessionId


@pytest.mark.parametrize(
    ("command", "has_native", "is_quiet"),
    [
        (["opencode"], True, True),
        (["opencode", "serve"], True, False),  # no terminal program
        (["opencode"], False, False),  # nobody asks its API
    ],
)
def test_an_installed_plugin_is_quiet_where_the_api_says_the_same(
    command: list[str], has_native: bool, is_quiet: bool, tmp_path: Path
) -> None:
    launcher = Launcher(tmp_path / "a", tmp_path / "n", tmp_path / "h", has_native=has_native, has_hooks=True)

    launch = launcher.launch(SessionId("5e551011"), "opencode", command, {"PATH": "/bin"})

    assert (MARK in launch.environment) is is_quiet
