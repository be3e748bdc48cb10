import shutil
from pathlib import Path
from typing import Any

import pytest

from hark.agents.codex import trust
from hark.diagnosis.agents import look_at_agents, look_at_hooks, look_at_sessions
from hark.diagnosis.finding import Level
from hark.installing import hooks
from hark.installing.change import apply, installation
from hark.installing.hooks import find
from hark.installing.places import settings_path
from tests.unit.cli.samples import session


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    for name in ("claude", "codex", "hark-hook"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o700)
    return {"HOME": str(tmp_path), "PATH": str(tmp_path)}


def install(agent: str, environment: dict[str, str]) -> Path:
    change = installation(agent, environment, f"{environment['HOME']}/hark-hook")
    apply(change)
    return change.path


def trust_all(where: Path) -> None:
    """As Codex writes it when its user says so."""
    text = where.read_text()
    lines = []
    for ours in find(text, "codex"):
        handler = hooks.handler("codex", ours.event, ours.program, is_installed=True)
        lines += [
            f'[hooks.state."{trust.key(str(where), ours.event)}"]',
            f'trusted_hash = "{trust.checksum(ours.event, handler)}"',
        ]
    where.with_name("config.toml").write_text("\n".join(lines))


def test_only_agents_that_are_here_are_looked_at(environment: dict[str, str]) -> None:
    assert [found.about for found in look_at_agents(environment)] == ["claude", "codex"]


def test_missing_hooks_are_a_warning_that_says_how_to_get_them(environment: dict[str, str]) -> None:
    found = look_at_hooks("claude", environment)

    assert (found.level, found.about) == (Level.WARNING, "claude")
    assert "hark install claude" in found.hint


def test_installed_hooks_are_well(environment: dict[str, str]) -> None:
    install("claude", environment)

    assert look_at_hooks("claude", environment).level is Level.OK


def test_a_plugin_is_looked_at_as_hooks_are(environment: dict[str, str], tmp_path: Path) -> None:
    assert look_at_hooks("opencode", environment).level is Level.WARNING
    path = install("opencode", environment)
    assert look_at_hooks("opencode", environment).level is Level.OK

    path.write_text(path.read_text().replace('"session.idle"', '"session.was"'))
    assert look_at_hooks("opencode", environment).detail.endswith("lacks session.idle")
    install("opencode", environment)
    (tmp_path / "hark-hook").unlink()
    assert "is not a program" in look_at_hooks("opencode", environment).detail
    path.write_text("// somebody's\n")
    assert look_at_hooks("opencode", environment).level is Level.WARNING


def test_a_hook_program_that_is_gone_is_a_problem(environment: dict[str, str], tmp_path: Path) -> None:
    install("claude", environment)
    (tmp_path / "hark-hook").unlink()

    found = look_at_hooks("claude", environment)

    assert found.level is Level.PROBLEM
    assert "is not a program" in found.detail
    assert "hark install claude" in found.hint


def test_an_event_that_is_missing_is_a_problem(environment: dict[str, str]) -> None:
    path = install("claude", environment)
    path.write_text(path.read_text().replace("hark-hook claude Stop", "other claude Stop"))

    found = look_at_hooks("claude", environment)

    assert found.level is Level.PROBLEM
    assert found.detail.endswith("lacks Stop")


def test_hooks_that_are_switched_off_are_a_problem(environment: dict[str, str]) -> None:
    path = install("gemini", environment)
    path.write_text(path.read_text().replace("{", '{"hooksConfig": {"enabled": false},', 1))

    found = look_at_hooks("gemini", environment)

    assert (found.level, found.hint) == (Level.PROBLEM, "change hooksConfig.enabled there")


def test_settings_that_are_broken_are_a_problem(environment: dict[str, str]) -> None:
    settings_path("claude", environment).parent.mkdir()
    settings_path("claude", environment).write_text('{"hooks": ')

    found = look_at_hooks("claude", environment)

    assert found.level is Level.PROBLEM
    assert "cannot be understood" in found.detail


def test_codex_runs_only_what_its_user_trusts(environment: dict[str, str]) -> None:
    where = install("codex", environment)
    assert look_at_hooks("codex", environment).level is Level.PROBLEM

    trust_all(where)
    assert look_at_hooks("codex", environment).level is Level.OK

    shutil.move(f"{environment['HOME']}/hark-hook", f"{environment['HOME']}/x-hark-hook")
    (where.parent.parent / "y").mkdir()
    shutil.move(f"{environment['HOME']}/x-hark-hook", f"{environment['HOME']}/y/hark-hook")
    apply(installation("codex", environment, f"{environment['HOME']}/y/hark-hook"))
    found = look_at_hooks("codex", environment)
    assert found.level is Level.PROBLEM
    assert "does not trust SessionStart, UserPromptSubmit" in found.detail


def hook_event(session_id: str, **data: Any) -> dict[str, Any]:
    return {
        "seq": 1,
        "at": "2026-01-02T03:04:05Z",
        "kind": "hook",
        "session_id": session_id,
        "message_id": None,
        "data": data,
    }


def test_a_session_is_asked_for_its_hooks_and_its_airlock() -> None:
    sessions = [
        session(id="aaaaaaaa", name="heard", airlock="/run/a.sock"),
        session(id="bbbbbbbb", name="silent", airlock="/run/b.sock"),
        session(id="eeeeeeee", name="new", airlock="/run/e.sock"),
        session(id="cccccccc", name="adopted", agent="generic", is_adopted=True),
        # Its own API may tell all of it.
        session(id="dddddddd", name="native", agent="opencode", airlock="/run/d.sock"),
    ]
    events = [
        hook_event("aaaaaaaa", event="UserPromptSubmit"),
        hook_event("aaaaaaaa", event="Stop"),
        hook_event("bbbbbbbb", status="submitted") | {"kind": "message"},
        hook_event("eeeeeeee", status="queued") | {"kind": "message"},
    ]

    found = list(look_at_sessions(sessions, events))

    assert [(one.check, one.about, one.level) for one in found] == [
        ("session-hooks", "heard", Level.OK),
        ("session-hooks", "silent", Level.WARNING),
        ("session-hooks", "new", Level.OK),
        ("session-airlock", "adopted", Level.WARNING),
    ]
    assert found[0].detail == "heard: Stop at 2026-01-02T03:04:05Z"


def test_an_adopted_agent_that_was_never_heard_is_a_warning() -> None:
    found = list(look_at_sessions([session(name="adopted", agent="claude", is_adopted=True)], []))

    assert [(one.check, one.level) for one in found] == [
        ("session-hooks", Level.WARNING),
        ("session-airlock", Level.WARNING),
    ]
