import json
import tomllib
from pathlib import Path

import pytest

from hark.agents.codex import trust
from hark.agents.gemini import preload
from hark.agents.installation import Injection
from hark.installing.hooks import MARK, subscribed
from hark.installing.injection import inject, prepare

PROGRAM = "/opt/a venv/bin/hark-hook"
PLACE = Path("/state/hooks")


def given(kind: str, *words: str, **environment: str) -> Injection:
    return inject(kind, words, PROGRAM, PLACE, environment)


@pytest.mark.parametrize(
    ("words", "at"),
    [
        (("claude",), 0),
        (("claude", "--model", "opus", "fix it"), 0),
        # After an option that takes many values it would be one of them.
        (("claude", "--allowedTools", "Bash", "Edit"), 0),
        (("/usr/local/bin/claude", "-c"), 0),
        (("env", "-i", "A=b", "claude"), 3),
        (("npx", "-y", "@anthropic-ai/claude-code", "hello"), 2),
        (("node", "/x/node_modules/@anthropic-ai/claude-code/cli.js"), 1),
        # A prompt behind the options' end is no option.
        (("claude", "--", "-p"), 0),
    ],
)
def test_claude_gets_its_settings_right_after_its_name(words: tuple[str, ...], at: int) -> None:
    injection = given("claude", *words)

    file = PLACE / "claude-hooks.json"
    assert injection.command == (*words[: at + 1], "--settings", str(file), *words[at + 1 :])
    assert injection.environment == {MARK: "1"}
    assert list(json.loads(injection.files[file])["hooks"]) == subscribed("claude")


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("claude", ("claude", "--settings", "mine.json")),
        ("claude", ("claude", "--model", "x", "--settings={}")),
        ("claude", ("claude", "-p", "hello")),
        ("claude", ("claude", "--print")),
        ("claude", ("claude", "-cp", "hello")),
        ("claude", ("claude", "mcp", "list")),
        ("claude", ("claude", "update")),
        # What a shell or a script does with more words is not known.
        ("claude", ("sh", "-c", "claude")),
        ("claude", ("./start-claude.sh",)),
        ("claude", ()),
        ("codex", ("codex", "exec", "hello")),
        ("codex", ("codex", "--remote", "unix:///s")),
        ("codex", ("codex", "-c", "hooks.Stop=[]")),
        ("codex", ("codex", "-chooks={}")),
        ("codex", ("codex", "--config=hooks={}")),
        ("opencode", ("opencode",)),
        ("aider", ("aider",)),
        ("generic", ("bash",)),
    ],
)
def test_nothing_is_injected_where_it_is_not_sure_to_be_right(kind: str, words: tuple[str, ...]) -> None:
    assert given(kind, *words) == Injection(words)


@pytest.mark.parametrize(
    "words",
    [
        ("codex",),
        ("codex", "resume", "--last"),
        ("codex", "-c", 'model="hooks"'),
        ("codex", "-m", "x", "-c", "a=1", "hooks"),
    ],
)
def test_codex_gets_hooks_and_the_trust_in_exactly_these_on_its_command_line(words: tuple[str, ...]) -> None:
    injection = given("codex", *words)

    name, option, value, *rest = injection.command
    assert (name, option, *rest) == ("codex", "-c", *words[1:])
    hooks = tomllib.loads(value)["hooks"]
    assert list(hooks) == [*subscribed("codex"), "state"]
    for event in subscribed("codex"):
        [handler] = hooks[event][0]["hooks"]
        trusted = hooks["state"][trust.key(trust.COMMAND_LINE, event)]["trusted_hash"]
        assert trusted == trust.checksum(event, handler)
    assert len(hooks["state"]) == len(subscribed("codex"))


def test_the_checksum_is_the_one_that_codex_makes() -> None:
    # Seen in the answer of `hooks/list` of Codex 0.166.0.
    handler = {"type": "command", "command": "/opt/a/hark-hook codex Stop", "timeout": 5}

    assert trust.checksum("Stop", handler) == "sha256:5d0869825a9435ab859723f5f2906a985e7bdd748cbf6803c9297c6b0f83809c"
    assert trust.key("/f", "UserPromptSubmit") == "/f:user_prompt_submit:0:0"


def test_gemini_gets_a_file_below_the_users_settings() -> None:
    injection = given("gemini", "gemini")

    file = PLACE / "gemini-hooks.json"
    assert injection.command == ("gemini",)
    assert injection.environment == preload.environment(file, {}) | {MARK: "1"}
    assert list(json.loads(injection.files[file])["hooks"]) == subscribed("gemini")


def test_gemini_keeps_the_file_that_somebody_has_named() -> None:
    assert given("gemini", "gemini", **{preload.DEFAULTS: "/theirs"}) == Injection(("gemini",))


def test_files_are_written_for_their_owner_and_only_when_they_differ(tmp_path: Path) -> None:
    injection = inject("claude", ("claude",), PROGRAM, tmp_path / "made")

    assert prepare("claude", injection, {}) == injection
    [(path, text)] = injection.files.items()
    before = path.stat()
    prepare("claude", injection, {})

    assert path.read_text() == text
    assert before.st_mode & 0o777 == 0o600
    assert path.stat().st_ino == before.st_ino


def test_gemini_is_left_alone_where_an_administrator_has_settings(tmp_path: Path) -> None:
    injection = inject("gemini", ("gemini",), PROGRAM, tmp_path)
    assert prepare("gemini", injection, {}) == injection

    (tmp_path / "system-defaults.json").write_text("{}")
    assert prepare("gemini", injection, {preload.SYSTEM: f"{tmp_path}/settings.json"}) == Injection(("gemini",))


def test_gemini_inside_a_session_of_gemini_gets_hooks_once_beside_the_users_options_for_node() -> None:
    outer = given("gemini", "gemini", NODE_OPTIONS="--max-old-space-size=512").environment

    inner = given("gemini", "gemini", **outer).environment

    assert inner == outer
    first, *ours = inner[preload.OPTIONS].split(" ")
    assert first == "--max-old-space-size=512"
    assert len(ours) == 1


def test_a_hook_that_waits_is_given_to_claude_code_alone_and_beside_the_others() -> None:
    plain = inject("claude", ("claude",), PROGRAM, Path("/d"))
    waiting = inject("claude", ("claude",), PROGRAM, Path("/d"), has_waiter=True)

    [(path, text)] = waiting.files.items()
    hooks = json.loads(text)["hooks"]
    others = {event: [group for group in groups if "Wait" not in str(group)] for event, groups in hooks.items()}
    assert others == json.loads(plain.files[path])["hooks"]
    assert {event for event, groups in hooks.items() if "Wait" in str(groups)} == {
        "SessionStart",
        "UserPromptSubmit",
        "Stop",
    }
    assert inject("gemini", ("gemini",), PROGRAM, Path("/d"), has_waiter=True) == inject(
        "gemini", ("gemini",), PROGRAM, Path("/d")
    )
