"""Nobody speaks to a socket that somebody else has put in the daemon's place; a socket that has vanished is no such thing."""

import os
import socket
from pathlib import Path

import pytest

from hark import paths


def bind(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))


def test_nothing_at_the_path_is_not_foreign(tmp_path: Path) -> None:
    assert not paths.is_foreign_socket(tmp_path / "api.sock")


def test_a_socket_of_this_user_is_not_foreign(tmp_path: Path) -> None:
    bind(tmp_path / "api.sock")

    assert not paths.is_foreign_socket(tmp_path / "api.sock")


def test_a_file_and_a_link_are_foreign(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    bind(tmp_path / "api.sock")
    (tmp_path / "link").symlink_to(tmp_path / "api.sock")

    assert paths.is_foreign_socket(tmp_path / "file")
    assert paths.is_foreign_socket(tmp_path / "link")


def test_a_socket_of_another_user_is_foreign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bind(tmp_path / "api.sock")
    another = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: another)

    assert paths.is_foreign_socket(tmp_path / "api.sock")
