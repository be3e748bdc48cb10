"""A tmux directory that others can write to is refused as plain tmux refuses it, by every way to name a server."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.integration.end_to_end.running import RunningHark
from tests.support.terminals import PrivateTmux


@pytest.fixture
def open_to_all() -> Iterator[PrivateTmux]:
    """A tmux server whose directory is open to everybody."""
    with PrivateTmux() as tmux:
        tmux.run("new-session", "-d", "-s", "work", "cat")
        tmux.directory.chmod(0o777)
        yield tmux


def tmpdir_open_to_all(home: Path) -> Path:
    directory = home / "tmp" / f"tmux-{os.getuid()}"
    directory.mkdir(parents=True)
    directory.chmod(0o755)
    return directory.parent


WAYS: dict[str, Callable[[RunningHark, PrivateTmux], tuple[list[str], dict[str, str]]]] = {
    "new -L": lambda hark, tmux: (
        ["new", "-d", "-L", "default", "--", "cat"],
        {"TMUX_TMPDIR": str(tmpdir_open_to_all(hark.home))},
    ),
    "new -S": lambda hark, tmux: (["new", "-d", "-S", str(tmux.socket), "--", "cat"], {}),
    "adopt -S": lambda hark, tmux: (["adopt", "-S", str(tmux.socket), "work"], {}),
    "adopt by TMUX": lambda hark, tmux: (["adopt", "."], {"TMUX": f"{tmux.socket},1,0", "TMUX_PANE": "%0"}),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())
def test_it_is_refused(
    hark: RunningHark,
    open_to_all: PrivateTmux,
    way: Callable[[RunningHark, PrivateTmux], tuple[list[str], dict[str, str]]],
) -> None:
    arguments, environment = way(hark, open_to_all)

    refusal = hark.refused(*arguments, environment=environment)

    assert (refusal.exit_code, refusal.code) == (4, "tmux-unsafe")
    assert "open to others" in refusal.detail
    assert "0700" in refusal.hint
    open_to_all.directory.chmod(0o700)
    assert open_to_all.run("list-sessions", "-F", "#{session_name}").split() == ["work"]


def test_hark_of_its_own_accord_uses_no_such_directory_either(hark: RunningHark) -> None:
    directory = tmpdir_open_to_all(hark.home)
    hark.set(tmux_socket=str(directory / f"tmux-{os.getuid()}" / "hark"))

    assert hark.refused("new", "-d", "--", "cat").code == "tmux-unsafe"
