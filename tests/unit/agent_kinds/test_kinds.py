"""Which agent a command starts, and what users may say about agents of their own."""

from pathlib import Path

import pytest

from hark.agents.kinds import load_kinds
from hark.delivery.carriers.choose import carries_at_once, waits_for_stale
from hark.model.errors import HarkError
from hark.terminal.holds.keys import KEY_BYTES

KINDS = ("aider", "amp", "claude", "codex", "copilot", "demo", "gemini", "generic", "opencode", "qwen")

COMMANDS = {
    "the program": (("claude",), "claude"),
    "its path": (("/usr/local/bin/claude", "--resume"), "claude"),
    "node and its file": (("node", "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js"), "claude"),
    "node with options": (("node", "--max-old-space-size=4096", "/opt/claude-code/cli.js"), "claude"),
    "env and variables": (("env", "FOO=1", "BAR=claude-code/x", "claude"), "claude"),
    "a runner": (("npx", "@anthropic-ai/claude-code@latest"), "claude"),
    "the demo agent": (("hark-demo-agent", "--collapse"), "demo"),
    "the demo agent as a module": (("python", "-m", "hark.demo.agent"), "demo"),
    "the demo agent as a file": (("python3", "/src/hark/demo/agent.py"), "demo"),
    "a program with a longer name": (("claudette",), "generic"),
    "its name deep in the arguments": (("rsync", "a", "b", "claude"), "generic"),
    "its name in a variable": (("env", "X=claude", "top"), "generic"),
    "its name as an option": (("top", "--claude"), "generic"),
    "aider": (("aider", "--model", "x"), "aider"),
    "aider as a module": (("python", "-m", "aider.main"), "aider"),
    "OpenCode": (("/usr/bin/opencode", "--port", "0"), "opencode"),
    "unknown": (("tool", "--model", "x"), "generic"),
    "nothing": ((), "generic"),
}


@pytest.mark.parametrize(("command", "kind"), COMMANDS.values(), ids=COMMANDS.keys())
def test_a_command_is_recognised(command: tuple[str, ...], kind: str) -> None:
    assert load_kinds().recognise(command) == kind


def test_an_unknown_kind_is_refused_with_those_there_are() -> None:
    with pytest.raises(HarkError) as refused:
        load_kinds().get("clod")

    assert refused.value.code == "agent-unknown"
    assert refused.value.hint == "known kinds: " + ", ".join(KINDS)


def test_a_user_adds_a_kind(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        'name = "mine"\ncommands = ["mine"]\nsettle_s = 0.2\n[box]\nprompt = "❯ "\nindent = 2\n', encoding="utf-8"
    )

    kinds = load_kinds(tmp_path)

    assert kinds.recognise(("mine",)) == "mine"
    assert kinds.get("mine").settle_s == 0.2
    assert kinds.get("mine").box.prompt == "❯ "
    assert kinds.recognise(("claude",)) == "claude"


def test_a_users_file_replaces_the_built_in_kind_of_its_name(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('name = "claude"\ncommands = ["cl"]\n[box]\nprompt = "> "\nindent = 4\n')

    kinds = load_kinds(tmp_path)

    assert kinds.get("claude").box.indent == 4
    assert kinds.recognise(("cl",)) == "claude"
    assert kinds.recognise(("claude",)) == "generic"


def test_a_directory_that_is_not_there_changes_nothing(tmp_path: Path) -> None:
    assert load_kinds(tmp_path / "none").recognise(("claude",)) == "claude"


BOX = '\n[box]\nprompt = "> "\nindent = 2\n'

WRONG = {
    "no TOML": b"name = ",
    "no text": b'name = "\xff"',
    "an unknown field": b'name = "x"\ncolour = "red"' + BOX.encode(),
    "an unknown field of the box": b'name = "x"' + BOX.encode() + b"shadow = 1",
    "a field missing": b'name = "x"\n[box]\nprompt = "> "',
    "another type": b'name = "x"\nsettle_s = "soon"' + BOX.encode(),
    "a pattern that is none": b'name = "x"\n[box]\nprompt = "["\nindent = 2',
    "a pattern that is none, below": b'name = "x"' + BOX.encode() + b'below = "(\'"',
    "a pattern that is none, of the editor": b'name = "x"' + BOX.encode() + b'[editor]\nkey = ["C-g"]\nnot_for = "["',
    "lines of another sort": b'name = "x"\nlines = "curly"' + BOX.encode(),
    "an editor's key that is forbidden": b'name = "x"\nforbidden_keys = ["C-g"]'
    + BOX.encode()
    + b'[editor]\nkey = ["C-g"]',
    "a stash's key that is forbidden": b'name = "x"\nforbidden_keys = ["C-s"]'
    + BOX.encode()
    + b'[stash]\nkey = "C-s"\noccupied = "stashed"',
    "a key after the editor that is forbidden in an empty box": b'name = "x"\nforbidden_in_empty_box = ["Left"]'
    + BOX.encode()
    + b'[editor]\nkey = ["C-g"]\nafter = ["Left"]',
    "a way to the left that is forbidden in an empty box": b'name = "x"\nforbidden_in_empty_box = ["C-b"]'
    + BOX.encode()
    + b'left_key = "C-b"',
}


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG.keys())
def test_a_wrong_file_is_refused_by_its_name(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "wrong.toml").write_bytes(text)

    with pytest.raises(HarkError) as refused:
        load_kinds(tmp_path)

    assert refused.value.code == "config-invalid"
    assert str(tmp_path / "wrong.toml") in refused.value.detail
    assert refused.value.hint


def test_a_forbidden_key_of_its_own_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_bytes(WRONG["an editor's key that is forbidden"])

    with pytest.raises(HarkError, match="C-g is forbidden"):
        load_kinds(tmp_path)


@pytest.mark.parametrize("name", KINDS)
def test_every_key_of_a_built_in_kind_is_one_that_hark_can_press(name: str) -> None:
    kind = load_kinds().get(name)

    assert set(kind.own_keys) <= set(KEY_BYTES)
    assert kind.newline_key is None or kind.newline_key in KEY_BYTES


# name of the kind: how a draft is carried where hark has started the agent, and on an adopted pane
CARRYING = {
    "claude": ("at once", "at once"),
    "codex": ("at once", "at once"),
    "gemini": ("at once", "at once"),
    "demo": ("at once", "at once"),
    "opencode": ("at once", "never"),
    "copilot": ("at once", "never"),
    "qwen": ("at once", "never"),
    "amp": ("at once", "never"),
    "aider": ("at once", "when it is stale"),
    "generic": ("when it is stale", "when it is stale"),
}


@pytest.mark.parametrize(("kind", "expected"), CARRYING.items())
def test_when_a_draft_is_carried(kind: str, expected: tuple[str, str]) -> None:
    found = tuple(_carrying(kind, has_airlock=has_airlock) for has_airlock in (True, False))

    assert found == expected


def _carrying(name: str, *, has_airlock: bool) -> str:
    means = load_kinds().get(name).means(has_airlock=has_airlock)
    if carries_at_once(means):
        return "at once"
    return "when it is stale" if waits_for_stale(means) else "never"


def test_every_kind_that_ships_is_in_the_table() -> None:
    assert set(CARRYING) == set(KINDS)
