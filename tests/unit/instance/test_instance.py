from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hark import instance, paths
from hark.inside import hook
from hark.instance import Build, Daemon

NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=40)
BYTES = st.binary(max_size=60).map(lambda data: os.fsdecode(data.replace(b"\0", b"")))
"""A path may be anything, also what is no UTF-8."""
DAEMONS = st.builds(
    Daemon,
    pid=st.integers(1, 2**31),
    runtime=BYTES.map(lambda name: Path("/") / name.lstrip("/")),
    host=NAMES,
    build=st.builds(Build, version=NAMES, place=BYTES, stamp=NAMES),
)


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARK_HOME", str(tmp_path))
    paths.make_private(paths.state_dir())


@given(DAEMONS, st.binary(max_size=200))
def test_what_is_written_is_read_whatever_stands_behind_it(daemon: Daemon, rest: bytes) -> None:
    """The rest is what a longer record of before has left while the new one is being written."""
    assert instance.parse(instance.describe(daemon) + rest) == daemon


@given(st.binary(max_size=300))
def test_rubbish_names_nobody_or_an_absolute_directory(content: bytes) -> None:
    daemon = instance.parse(content)

    assert daemon is None or daemon.runtime.is_absolute()


@given(DAEMONS)
def test_hooks_read_the_same_directory(daemon: Daemon) -> None:
    paths.lock_path().write_bytes(instance.describe(daemon))

    assert instance.runtime_dir() == daemon.runtime
    assert os.path.normpath(hook.socket_path()) == os.path.normpath(daemon.runtime / "hooks.sock")


# what the lock file holds: nothing that names a directory
@pytest.mark.parametrize("content", [None, b"", b"123\n", b"123\nrelative\0", b"\xff\xfe\0\n"])
def test_without_a_word_of_a_daemon_everybody_uses_the_own_directory(content: bytes | None) -> None:
    if content is not None:
        paths.lock_path().write_bytes(content)

    assert instance.socket_path() == paths.socket_path()
    assert hook.socket_path() == str(paths.hooks_path())


# variables that move the state directory, and the lock file they lead to from HOME
STATES: tuple[tuple[dict[str, str], str], ...] = (
    ({}, ".local/state/hark/hark.lock"),
    ({"XDG_STATE_HOME": "relative"}, ".local/state/hark/hark.lock"),
    ({"XDG_STATE_HOME": "{home}/s"}, "s/hark/hark.lock"),
    ({"HARK_HOME": "{home}/h"}, "h/state/hark.lock"),
)


@pytest.mark.parametrize(("variables", "lock"), STATES)
def test_hooks_find_the_lock_as_everybody_does(
    variables: dict[str, str], lock: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HARK_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name, value in variables.items():
        monkeypatch.setenv(name, value.format(home=tmp_path))
    (tmp_path / lock).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / lock).write_bytes(instance.describe(Daemon(1, Path("/run/of/another"), "h", Build("1", "p", "s"))))

    assert paths.lock_path() == tmp_path / lock
    assert instance.socket_path() == Path("/run/of/another/hark.sock")
    assert hook.socket_path() == "/run/of/another/hooks.sock"


def test_a_process_that_does_not_have_the_file_open_is_not_its_holder(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.write_text("")
    other = subprocess.Popen(["cat"], stdin=subprocess.PIPE)

    with open(path) as _:
        assert instance.holds(os.getpid(), path)
        assert not instance.holds(other.pid, path)
    assert not instance.holds(os.getpid(), path)

    assert other.stdin is not None
    other.stdin.close()
    other.wait()
    assert not instance.holds(other.pid, path)
