import plistlib
from pathlib import Path

import pytest

from hark.cli.daemon.service import service
from hark.cli.main import run
from hark.model.errors import Exit


def test_a_systemd_unit_never_takes_the_agents_down_with_the_daemon() -> None:
    wanted = service("linux", {"XDG_CONFIG_HOME": "/c", "PATH": "/bin:/100%", "SECRET": "x"}, "/venv/bin/python")

    assert wanted.path == Path("/c/systemd/user/hark.service")
    assert (
        wanted.content
        == """\
[Unit]
Description=hark delivers messages to AI coding agents in terminals

[Service]
ExecStart="/venv/bin/python" "-m" "hark.cli.main" "serve"
Environment="PATH=/bin:/100%%"
Environment="XDG_CONFIG_HOME=/c"
Restart=on-failure
KillMode=process

[Install]
WantedBy=default.target
"""
    )


def test_a_launch_agent_does_neither() -> None:
    wanted = service("darwin", {"PATH": "/bin & co", "HARK_HOME": "/h"}, "/venv/bin/python")

    assert wanted.path == Path.home() / "Library/LaunchAgents/dev.hark.daemon.plist"
    assert plistlib.loads(wanted.content.encode()) == {
        "Label": "dev.hark.daemon",
        "ProgramArguments": ["/venv/bin/python", "-m", "hark.cli.main", "serve"],
        "EnvironmentVariables": {"PATH": "/bin & co", "HARK_HOME": "/h"},
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "AbandonProcessGroup": True,
    }


@pytest.fixture
def config(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    return home / "config"


def test_installing_writes_the_file_and_says_how_to_turn_it_on(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["daemon", "install"]) == Exit.OK

    path = config / "systemd/user/hark.service"
    shown = capsys.readouterr()
    assert shown.out == f"{path}\n"
    assert "systemctl --user enable --now hark.service" in shown.err
    assert "KillMode=process" in path.read_text()


def test_printing_writes_nothing(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["daemon", "install", "--print"]) == Exit.OK

    assert capsys.readouterr().out.startswith("[Unit]\n")
    assert not config.exists()


def test_a_place_that_cannot_be_written_is_said(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config.write_text("a file where a directory should be")

    assert run(["daemon", "install"]) == Exit.NOT_ALLOWED

    assert "cannot write" in capsys.readouterr().err
