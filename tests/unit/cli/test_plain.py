"""Which calls `hark run` leaves alone."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hark.agents.kinds import load_kinds
from hark.cli.starting_agents.plain_calls import is_plain_call
from hark.model.plain import PlainCalls

CALLS = {
    # a session
    "claude": False,
    "claude --model opus": False,
    "claude --continue": False,
    "claude fix the mcp server": False,
    "claude -- mcp": False,
    "claude -c": False,
    "codex": False,
    "codex -p profile": False,  # a profile, not a print
    "codex resume --last": False,
    "gemini -i hello": False,
    "opencode -p": False,
    "opencode attach http://localhost:1": False,
    "vim --version": False,  # nothing is known of it
    "hark-demo-agent": False,
    # none
    "claude --version": True,
    "claude -v": True,
    "claude --help": True,
    "claude mcp list": True,
    "claude --debug mcp list": True,
    "claude -p hello": True,
    "claude --print=hello": True,
    "claude -cp hello": True,
    "/usr/local/bin/claude update": True,
    "env A=1 claude doctor": True,
    "node /opt/@anthropic-ai/claude-code/cli.js --version": True,
    "codex exec hello": True,
    "codex login": True,
    "codex -V": True,
    "gemini -p hello": True,
    "gemini extensions list": True,
    "opencode run hello": True,
    "opencode models": True,
    "copilot -p hello": True,
    "qwen -p hello": True,
    "aider --message hello": True,
    "amp -x hello": True,
}


@pytest.mark.parametrize(("call", "is_plain"), CALLS.items())
def test_a_call_opens_a_session_or_is_left_alone(call: str, is_plain: bool) -> None:
    assert is_plain_call(call.split()) is is_plain


def test_a_users_own_description_of_an_agent_counts(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('name = "mine"\ncommands = ["mine"]\n[plain]\ncommands = ["list"]\n')
    (tmp_path / "claude.toml").write_text('name = "claude"\ncommands = ["claude"]\n')
    (tmp_path / "broken.toml").write_text("name =")

    assert is_plain_call(["mine", "list"], tmp_path)
    assert not is_plain_call(["claude", "mcp"], tmp_path)
    assert is_plain_call(["codex", "exec"], tmp_path)


@pytest.mark.parametrize("name", ["claude", "codex", "gemini", "opencode", "copilot", "qwen", "aider", "amp"])
def test_the_daemon_reads_the_same(name: str) -> None:
    plain = load_kinds().get(name).plain

    assert "--help" in plain.options
    assert all(is_plain_call([name, command]) for command in plain.commands)
    assert all(is_plain_call([name, option]) for option in plain.options)


@given(st.lists(st.text()), st.lists(st.text()))
def test_what_stands_behind_two_dashes_is_a_prompt(before: list[str], after: list[str]) -> None:
    plain = PlainCalls(commands=("mcp",), options=("-p", "--print"))
    before = [word for word in before if word != "--"]

    assert plain.include([*before, "--", *after]) == plain.include(before)
