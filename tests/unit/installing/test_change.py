import os
from pathlib import Path

import pytest

from hark.installing.change import Change, apply, diff, installation, removal
from hark.installing.hooks import find
from hark.installing.places import settings_path
from hark.model.errors import HarkError

PROGRAM = "/opt/hark/bin/hark-hook"
AGENTS = ("claude", "codex", "gemini")
SETTINGS = b'{\r\n    // mine\r\n    "model": "opus",\r\n    "hooks": {},\r\n}'


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path)}


def written(agent: str, environment: dict[str, str], data: bytes = SETTINGS) -> Path:
    path = settings_path(agent, environment)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def install(agent: str, environment: dict[str, str], program: str = PROGRAM) -> Change:
    change = installation(agent, environment, program)
    apply(change)
    return change


def uninstall(agent: str, environment: dict[str, str]) -> Change:
    change = removal(agent, environment)
    apply(change)
    return change


def everything(environment: dict[str, str]) -> dict[str, tuple[bytes, int]]:
    files = [path for path in Path(environment["HOME"]).rglob("*") if path.is_file()]
    return {str(path): (path.read_bytes(), path.stat().st_mode) for path in files}


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("data", [SETTINGS, b"", b" \n", b"{}", '\ufeff{"ä": 1}'.encode()])
def test_a_file_is_as_before_in_bytes_and_mode_when_nobody_has_changed_it(
    agent: str, data: bytes, environment: dict[str, str]
) -> None:
    written(agent, environment, data).chmod(0o640)
    before = everything(environment)

    install(agent, environment)
    assert everything(environment) != before
    assert not install(agent, environment).is_change
    uninstall(agent, environment)

    assert everything(environment) == before


@pytest.mark.parametrize("agent", AGENTS)
def test_a_file_that_was_not_there_is_not_there_again(agent: str, environment: dict[str, str]) -> None:
    made = install(agent, environment)
    assert made.path.stat().st_mode & 0o777 == 0o600

    uninstall(agent, environment)

    assert everything(environment) == {}


def test_a_copy_from_before_is_kept_and_stays_the_one_from_before(environment: dict[str, str]) -> None:
    path = written("claude", environment)

    change = install("claude", environment, "/old/hark-hook")
    install("claude", environment)

    assert change.backup.read_bytes() == SETTINGS
    assert {ours.program for ours in find(path.read_text(), "claude")} == {PROGRAM}
    uninstall("claude", environment)
    assert path.read_bytes() == SETTINGS
    assert not change.backup.exists()


def test_what_a_user_has_changed_stays_and_so_does_the_copy(environment: dict[str, str]) -> None:
    path = written("claude", environment)
    change = install("claude", environment)
    path.write_bytes(path.read_bytes().replace(b"opus", b"sonnet"))

    uninstall("claude", environment)

    text = path.read_text()
    assert "sonnet" in text
    assert "// mine" in text
    assert "hark-hook" not in text
    assert change.backup.read_bytes() == SETTINGS


def test_an_old_copy_does_not_outlive_the_next_installation(environment: dict[str, str]) -> None:
    path = written("claude", environment)
    install("claude", environment)
    path.unlink()

    change = install("claude", environment)
    assert not change.backup.exists()
    uninstall("claude", environment)

    assert everything(environment) == {}


def test_a_broken_copy_says_nothing(environment: dict[str, str]) -> None:
    path = written("claude", environment)
    change = install("claude", environment)
    change.backup.write_bytes(b"{")

    uninstall("claude", environment)

    assert b"hark-hook" not in path.read_bytes()
    assert b"// mine" in path.read_bytes()


def test_a_link_stays_a_link(environment: dict[str, str], tmp_path: Path) -> None:
    path = written("gemini", environment)
    real = tmp_path / "dotfiles.json"
    path.rename(real)
    path.symlink_to(real)

    change = install("gemini", environment)

    assert path.is_symlink()
    assert b"hark-hook" in real.read_bytes()
    assert change.backup.parent == path.parent
    uninstall("gemini", environment)
    assert path.is_symlink()
    assert real.read_bytes() == SETTINGS


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (b"{", "cannot be understood: line 1, column 2"),
        (b"[]", "cannot be understood: it is not an object"),
        (b'{"hooks": 3}', "cannot be understood: hooks is not an object"),
        (b"\xff", "is not UTF-8"),
    ],
)
def test_a_file_that_is_broken_is_refused_and_left_alone(data: bytes, wanted: str, environment: dict[str, str]) -> None:
    path = written("claude", environment, data)

    with pytest.raises(HarkError, match=wanted) as refused:
        installation("claude", environment, PROGRAM)

    assert refused.value.code == "agent-config-invalid"
    assert refused.value.hint
    assert everything(environment) == {str(path): (data, path.stat().st_mode)}


def test_a_directory_in_its_place_is_refused(environment: dict[str, str]) -> None:
    settings_path("claude", environment).mkdir(parents=True)

    with pytest.raises(HarkError, match="cannot read") as refused:
        installation("claude", environment, PROGRAM)
    assert refused.value.code == "agent-config-invalid"


def test_a_file_that_changes_under_our_hands_is_left_alone(environment: dict[str, str]) -> None:
    path = written("claude", environment)
    change = installation("claude", environment, PROGRAM)
    path.write_bytes(b'{"newer": 1}')

    with pytest.raises(HarkError, match="at this very moment"):
        apply(change)
    assert path.read_bytes() == b'{"newer": 1}'


def test_a_hook_program_that_has_moved_is_replaced(environment: dict[str, str]) -> None:
    written("codex", environment)
    install("codex", environment, "/old place/hark-hook")

    change = install("codex", environment)

    assert {ours.program for ours in find(change.after or "", "codex")} == {PROGRAM}


def test_the_difference_is_a_patch(environment: dict[str, str], tmp_path: Path) -> None:
    path = written("claude", environment, b'{\n  "model": "opus"\n}')
    change = installation("claude", environment, PROGRAM)

    shown = diff(change)

    assert shown.startswith(f"--- {path}\n+++ {path}\n@@ ")
    assert '-  "model": "opus"\n+  "model": "opus",\n' in shown
    assert shown.endswith(" }\n\\ No newline at end of file\n")


def test_agents_settings_are_where_their_variables_say(tmp_path: Path) -> None:
    environment = {"HOME": "/home/me", "CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/x", "GEMINI_CLI_HOME": "/g"}

    assert settings_path("claude", {"HOME": "/home/me"}) == Path("/home/me/.claude/settings.json")
    assert settings_path("codex", {"HOME": "/home/me"}) == Path("/home/me/.codex/hooks.json")
    assert settings_path("gemini", {"HOME": "/home/me"}) == Path("/home/me/.gemini/settings.json")
    assert settings_path("claude", environment) == Path("/c/settings.json")
    assert settings_path("codex", environment) == Path("/x/hooks.json")
    assert settings_path("gemini", environment) == Path("/g/.gemini/settings.json")


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_a_directory_that_is_not_ours_to_write_is_an_error(environment: dict[str, str]) -> None:
    path = written("claude", environment)
    path.parent.chmod(0o500)
    try:
        with pytest.raises(HarkError) as refused:
            install("claude", environment)
        assert refused.value.code == "state-not-writable"
    finally:
        path.parent.chmod(0o700)
