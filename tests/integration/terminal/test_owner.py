"""A tmux server that may be somebody else's is not spoken to: it would be given the caller's environment."""

import asyncio
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from hark.model.errors import HarkError
from hark.paths import UnsafeDirectory, check_tmux_socket
from hark.terminal.tmux.server import TmuxServer
from tests.integration.terminal.connected import write_program
from tests.support.terminals import PrivateTmux

NOBODY = 65534


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    directory = tmp_path / f"tmux-{os.getuid()}"
    directory.mkdir(mode=0o700)
    yield directory
    directory.chmod(0o700)


def bound(path: Path) -> Path:
    """A socket file, nobody behind it."""
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))
    return path


@pytest.mark.parametrize("mode", [0o700, 0o770, 0o750])
def test_a_directory_as_tmux_makes_it_is_safe(place: Path, mode: int) -> None:
    place.chmod(mode)

    check_tmux_socket(str(place / "default"))
    check_tmux_socket(str(bound(place / "default")))


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o755, 0o701, 0o702, 0o704])
def test_tmux_own_directory_with_any_permission_for_others_is_not(place: Path, mode: int) -> None:
    bound(place / "default")
    place.chmod(mode)

    with pytest.raises(UnsafeDirectory, match="open to others"):
        check_tmux_socket(str(place / "default"))


def test_a_link_in_the_place_of_tmux_own_directory_is_not(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    link = tmp_path / f"tmux-{os.getuid()}"
    link.symlink_to(tmp_path / "real")

    with pytest.raises(UnsafeDirectory, match="is a link"):
        check_tmux_socket(str(link / "default"))


# mode of a directory that is not tmux's own; whether the socket is there already; whether it may be used
OTHER_DIRECTORIES = [
    (0o755, False, True),  # others can look, but not put anything there
    (0o755, True, True),
    (0o777, False, False),
    (0o777, True, False),  # others can put another one in its place
    (0o1777, True, True),  # as /tmp: nobody can take ours away
    (0o1777, False, False),  # as /tmp: others can be faster than our server
]


@pytest.mark.parametrize(("mode", "is_there", "is_safe"), OTHER_DIRECTORIES)
def test_any_other_directory_must_keep_others_from_putting_a_socket_there(
    tmp_path: Path, mode: int, is_there: bool, is_safe: bool
) -> None:
    directory = tmp_path / "d"
    directory.mkdir()
    path = bound(directory / "s") if is_there else directory / "s"
    directory.chmod(mode)

    if is_safe:
        check_tmux_socket(str(path))
    else:
        with pytest.raises(UnsafeDirectory):
            check_tmux_socket(str(path))


@pytest.mark.parametrize("part", ["directory", "socket"])
def test_what_belongs_to_somebody_else_is_refused(place: Path, part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = bound(place / "s")
    if os.getuid() == 0:
        os.chown(place if part == "directory" else path, NOBODY, NOBODY)
    else:
        # Who is not root cannot give a file away, but can be somebody else who finds it.
        monkeypatch.setattr(os, "getuid", lambda: NOBODY)

    with pytest.raises(UnsafeDirectory, match="belongs to somebody else"):
        check_tmux_socket(str(path))


def test_a_link_to_a_socket_counts_as_the_socket(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    bound(shared / "s")
    shared.chmod(0o777)
    (tmp_path / "link").symlink_to(shared / "s")

    with pytest.raises(UnsafeDirectory, match="open to others"):
        check_tmux_socket(str(tmp_path / "link"))


@pytest.mark.parametrize("may_start", [True, False])
def test_no_tmux_is_even_started_there(tmux: PrivateTmux, place: Path, may_start: bool) -> None:
    log = tmux.directory / "log"
    program = write_program(tmux.directory / "tmux", f'#!/bin/sh\necho started >>{log}\nexec tmux "$@"\n')
    place.chmod(0o777)

    async def act() -> None:
        server = TmuxServer(str(place / "default"), lambda changed: None, program)
        with pytest.raises(HarkError) as refused:
            await server.connect(may_start)
        assert refused.value.code == "tmux-unsafe"
        await server.close()

    asyncio.run(act())

    assert not log.exists()
