import json
import sys
from pathlib import Path

import pytest

from hark.cli.main import run
from hark.model.errors import Exit

PROGRAM = Path(sys.executable).parent / "hark-hook"


@pytest.fixture(autouse=True)
def user(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user who has Claude Code's settings and no agent on the PATH."""
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", str(home))
    settings = home / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text('{\n  "model": "opus" // the large one\n}\n')
    return home


def test_a_dry_run_shows_the_difference_and_changes_nothing(user: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (user / ".claude/settings.json").read_bytes()

    assert run(["install", "claude", "--dry-run"]) == Exit.OK

    shown = capsys.readouterr().out
    assert shown.startswith(f"--- {user}/.claude/settings.json\n+++ ")
    assert '+  "model": "opus", // the large one\n' in shown
    assert f"{PROGRAM} claude Stop" in shown
    assert (user / ".claude/settings.json").read_bytes() == before
    assert [path.name for path in (user / ".claude").iterdir()] == ["settings.json"]


def test_all_is_every_agent_that_is_here_and_says_what_was_done(user: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["install", "all"]) == Exit.OK
    assert capsys.readouterr().out.split() == ["claude", "installed", f"{user}/.claude/settings.json"]

    assert run(["install", "all"]) == Exit.OK
    assert capsys.readouterr().out.split() == ["claude", "unchanged", f"{user}/.claude/settings.json"]


def test_what_was_installed_is_removed(user: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (user / ".claude/settings.json").read_bytes()

    run(["install", "claude"])
    assert (user / ".claude/settings.json.hark-backup").read_bytes() == before
    assert run(["uninstall", "all"]) == Exit.OK

    assert (user / ".claude/settings.json").read_bytes() == before
    assert [path.name for path in (user / ".claude").iterdir()] == ["settings.json"]
    assert "removed" in capsys.readouterr().out


def test_a_user_is_told_about_the_copy_when_the_file_was_changed_since(
    user: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["install", "claude"])
    settings = user / ".claude/settings.json"
    settings.write_text(settings.read_text().replace("opus", "sonnet"))

    assert run(["uninstall", "claude"]) == Exit.OK

    assert "settings.json.hark-backup" in capsys.readouterr().err
    assert settings.read_text() == '{\n  "model": "sonnet" // the large one\n}\n'


def test_a_user_of_codex_is_told_that_codex_will_ask(user: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["install", "codex"]) == Exit.OK

    assert "trust" in capsys.readouterr().err
    assert (user / ".codex/hooks.json").exists()


def test_opencode_gets_a_plugin_and_loses_it_again(user: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (user / ".config/opencode").mkdir(parents=True)
    plugin = user / ".config/opencode/plugin/hark.js"

    assert run(["install", "opencode", "--dry-run"]) == Exit.OK
    assert f'+const PROGRAM = "{PROGRAM}"\n' in capsys.readouterr().out
    assert not plugin.exists()
    assert run(["install", "all", "--signals"]) == Exit.OK
    assert ["opencode", "installed", str(plugin)] in [line.split() for line in capsys.readouterr().out.splitlines()]
    assert "--<[hark:STATE:" in (user / ".config/opencode/AGENTS.md").read_text()

    assert run(["uninstall", "all"]) == Exit.OK
    assert [path for path in (user / ".config").rglob("*") if path.is_file()] == []


def test_hooks_that_the_user_has_switched_off_are_mentioned(user: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (user / ".claude/settings.json").write_text('{"disableAllHooks": true}')

    run(["install", "claude"])

    assert "disableAllHooks" in capsys.readouterr().err


def test_the_same_as_json(user: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["install", "claude", "--json"])

    path = f"{user}/.claude/settings.json"
    change = {"agent": "claude", "path": path, "action": "installed", "backup": f"{path}.hark-backup", "notes": []}
    assert json.loads(capsys.readouterr().out) == {"changes": [change], "notes": [], "is_dry_run": False}


def test_a_broken_file_is_refused_with_its_place_and_nothing_else_is_changed(
    user: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (user / ".gemini").mkdir()
    (user / ".gemini/settings.json").write_text("{\n  oops\n}")
    before = (user / ".claude/settings.json").read_bytes()

    assert run(["install", "all"]) == Exit.FAILURE

    told = capsys.readouterr().err
    assert "line 2, column 3" in told
    assert "hint: nothing was changed" in told
    assert (user / ".claude/settings.json").read_bytes() == before


def test_what_cannot_be_installed_is_refused() -> None:
    assert run(["install", "emacs"]) == Exit.USAGE


def test_an_agent_is_taught_to_signal_and_forgets_it_again(user: Path) -> None:
    assert run(["install", "claude", "--signals"]) == Exit.OK
    assert "--<[hark:STATE:" in (user / ".claude/CLAUDE.md").read_text()

    assert run(["uninstall", "claude"]) == Exit.OK
    assert not (user / ".claude/CLAUDE.md").exists()


@pytest.mark.parametrize(
    ("agent", "file"),
    [("qwen", ".qwen/QWEN.md"), ("copilot", ".copilot/copilot-instructions.md"), ("amp", ".config/amp/AGENTS.md")],
)
def test_an_agent_without_hooks_is_taught_to_signal_and_unlearns_it(
    user: Path, capsys: pytest.CaptureFixture[str], agent: str, file: str
) -> None:
    assert run(["install", agent]) == Exit.FAILURE
    assert "--signals" in capsys.readouterr().err
    assert run(["install", agent, "--signals"]) == Exit.OK
    assert "--<[hark:STATE:" in (user / file).read_text()

    assert run(["uninstall", agent]) == Exit.OK
    assert not (user / file).exists()


def test_an_agent_that_has_no_instruction_file_says_what_to_do_instead(
    user: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["install", "aider", "--signals"]) == Exit.FAILURE
    assert "hark new --signals -- aider" in capsys.readouterr().err
