"""A daemon's directories are the user's own, writable, and short enough for a socket."""

import os
from pathlib import Path

import pytest

from hark import paths
from hark.daemon.process.directories import make_directories
from tests.integration.contract.samples import refused


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HARK_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_they_are_made_for_the_user_alone(home: Path) -> None:
    make_directories()

    for directory in (paths.runtime_dir(), paths.state_dir()):
        assert directory.is_relative_to(home)
        assert directory.stat().st_mode & 0o777 == 0o700


def test_directories_that_are_there_already_are_kept(home: Path) -> None:
    make_directories()
    (paths.state_dir() / "kept").write_text("kept")

    make_directories()

    assert (paths.state_dir() / "kept").read_text() == "kept"


def test_a_link_that_somebody_has_put_there_is_unsafe(home: Path) -> None:
    (home.parent / "theirs").mkdir()
    home.mkdir()
    paths.runtime_dir().symlink_to(home.parent / "theirs")

    with refused("directory-unsafe"):
        make_directories()


def test_a_file_in_the_way_is_told_with_a_code(home: Path) -> None:
    home.write_text("")

    with refused("state-not-writable"):
        make_directories()


def test_a_path_that_is_too_long_for_a_socket_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARK_HOME", os.path.join(tmp_path, "x" * 100))

    with refused("directory-unsafe"):
        make_directories()
