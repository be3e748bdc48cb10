"""Which tmux server is hark's own."""

from pathlib import Path

import pytest

from hark.daemon.service import own_socket
from hark.model.settings.config import Config


def test_the_setting_counts_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARK_HOME", "/home/of/hark")

    assert own_socket(Config(tmux_socket="/somewhere/else")) == "/somewhere/else"


def test_then_a_socket_beside_everything_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARK_HOME", str(tmp_path))

    assert Path(own_socket(Config())).is_relative_to(tmp_path)


def test_else_the_one_that_tmux_itself_calls_hark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HARK_HOME", raising=False)

    assert Path(own_socket(Config())).name == "hark"
