import os
import shlex
import sys
from pathlib import Path

import pytest

from hark import paths
from hark.diagnosis import machine
from hark.diagnosis.finding import Level


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HARK_HOME", str(tmp_path))
    return tmp_path


def program(path: Path, text: str = "") -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o700)
    return str(path)


@pytest.mark.parametrize(
    ("said", "level"),
    [("tmux 3.3a", Level.OK), ("tmux next-3.8", Level.OK), ("tmux 3.2a", Level.PROBLEM), ("tmux 2.9", Level.PROBLEM)],
)
def test_tmux_must_be_new_enough(said: str, level: Level, tmp_path: Path) -> None:
    assert machine.tmux(program(tmp_path / "tmux", f"echo {said}")).level is level


def test_tmux_must_be_there(tmp_path: Path) -> None:
    found = machine.tmux(str(tmp_path / "tmux"))

    assert found.level is Level.PROBLEM
    assert "install it" in found.hint


def test_every_program_must_be_beside_python(tmp_path: Path) -> None:
    for name in ("hark", "hark-hook", "hark-editor"):
        program(tmp_path / name)

    found = machine.programs(tmp_path)

    assert (found.level, found.detail) == (Level.PROBLEM, f"not in {tmp_path}: hark-airlock")


def test_hark_must_be_on_the_path_and_be_this_one(tmp_path: Path) -> None:
    missing = machine.path({"PATH": str(tmp_path)})
    program(tmp_path / "hark")
    other = machine.path({"PATH": str(tmp_path)})

    assert missing.level is other.level is Level.WARNING
    assert "not on your PATH" in missing.detail
    assert str(tmp_path / "hark") in other.detail
    assert missing.hint.endswith(f'export PATH={Path(sys.executable).parent}:"$PATH"')


def test_a_link_that_the_shell_does_not_find_is_named(tmp_path: Path) -> None:
    place = tmp_path / "it's" / ".local/bin"
    place.mkdir(parents=True)
    (place / "hark").symlink_to(Path(sys.executable).parent / "hark")

    found = machine.path({"PATH": "/nowhere", "HOME": str(tmp_path / "it's")})

    assert found.hint.endswith(f'export PATH={shlex.quote(str(place))}:"$PATH"')


def test_wrong_settings_are_a_problem_and_the_rest_is_looked_at_with_the_defaults(home: Path) -> None:
    paths.config_dir().mkdir()
    paths.config_path().write_text("colour = 3")

    config, found = machine.settings()

    assert found.level is Level.PROBLEM
    assert "colour" in found.detail
    assert config.tmux == "tmux"


def test_a_wrong_agent_file_is_a_problem(home: Path) -> None:
    assert machine.agent_files().level is Level.OK
    (paths.config_dir() / "agents").mkdir(parents=True)
    (paths.config_dir() / "agents/mine.toml").write_text("name = 3")

    found = machine.agent_files()

    assert found.level is Level.PROBLEM
    assert "mine.toml" in found.detail


def test_the_runtime_directory_must_be_closed_to_others(home: Path) -> None:
    directory = home / "run"
    assert machine.runtime_directory(directory).level is Level.OK
    directory.mkdir(mode=0o700)
    assert machine.runtime_directory(directory).level is Level.OK

    directory.chmod(0o755)
    found = machine.runtime_directory(directory)

    assert (found.level, found.hint) == (Level.PROBLEM, f"chmod 700 {directory}")


def test_a_file_in_the_place_of_the_runtime_directory_is_a_problem(home: Path) -> None:
    (home / "run").write_text("")

    assert machine.runtime_directory(home / "run").level is Level.PROBLEM


def test_a_file_in_the_place_of_the_state_directory_is_a_problem(home: Path) -> None:
    (home / "state").write_text("")

    assert [found.level for found in machine.state_directory(home / "state")] == [Level.PROBLEM]


@pytest.mark.parametrize(
    ("free", "level"),
    [(10_000_000_000, Level.OK), (100_000_000, Level.WARNING), (1_000_000, Level.PROBLEM), (0, Level.PROBLEM)],
)
def test_a_disk_that_fills_up_is_noticed_in_time(free: int, level: Level) -> None:
    assert machine.disk_space(Path("/state"), free).level is level


@pytest.mark.parametrize(
    ("variables", "level", "words"),
    [
        ({"EDITOR": "ed"}, Level.OK, "yours is ed"),
        ({"EDITOR": "ed", "VISUAL": "code -w"}, Level.OK, "yours is code -w"),
        # Inside a session: hark-editor itself is not the human's own.
        ({"VISUAL": "/x/hark-editor", "EDITOR": "/x/hark-editor", "HARK_EDITOR": "ed"}, Level.OK, "yours is ed"),
        ({}, Level.OK, "yours is vi"),
        ({"EDITOR": "missing -w"}, Level.WARNING, "missing, which is not on your PATH"),
        ({"EDITOR": 'un"closed'}, Level.WARNING, 'un"closed, which'),
    ],
)
def test_the_users_own_editor_must_be_there(
    variables: dict[str, str], level: Level, words: str, tmp_path: Path
) -> None:
    for name in ("ed", "vi", "code"):
        program(tmp_path / name)

    found = machine.editor(variables | {"PATH": str(tmp_path)})

    assert found.level is level
    assert words in found.detail


def test_no_editor_at_all_is_a_warning(tmp_path: Path) -> None:
    assert machine.editor({"PATH": str(tmp_path)}).level is Level.WARNING


def test_paths_that_the_system_refuses_are_problems_and_end_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARK_HOME", str(tmp_path / ("x" * 300)))

    found = {one.check: one.level for one in machine.look_at_machine(os.environ)}

    refused = ("settings", "agent-files", "runtime-directory")
    assert {check: found[check] for check in refused} == dict.fromkeys(refused, Level.PROBLEM)


def test_a_socket_path_that_is_too_long_is_told_before_the_directory_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARK_HOME", str(tmp_path / ("x" * 100)))

    assert machine.runtime_directory(paths.runtime_dir()).level is Level.PROBLEM


def test_the_airlock_must_be_readable(tmp_path: Path) -> None:
    assert machine.airlock_file(tmp_path / "inside/airlock.py").level is Level.PROBLEM


def test_this_machine_has_what_the_tests_need() -> None:
    found = list(machine.look_at_machine(os.environ))

    assert [one for one in found if one.level is Level.PROBLEM] == []
    assert len({one.check for one in found}) == len(found)
