"""The command that resumes a conversation keeps the options, and never sends the first prompt again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hark.agents.registry import find_agent
from hark.installing.resuming import can_resume, resume_command

ID = "0197-ab"


@pytest.mark.parametrize(
    ("kind", "command", "resumed"),
    [
        ("claude", "claude", "claude --resume 0197-ab"),
        (
            "claude",
            "claude --model opus fix-it",
            "claude --resume 0197-ab --model opus",
        ),  # The prompt is not sent again.
        ("claude", "claude --model=opus", "claude --resume 0197-ab --model=opus"),
        ("claude", "claude --resume other", "claude --resume 0197-ab"),
        ("claude", "claude --continue", "claude --resume 0197-ab"),
        ("claude", "claude --session-id x --verbose", "claude --resume 0197-ab --verbose"),
        ("claude", "claude --add-dir a b --verbose", "claude --resume 0197-ab --add-dir a b --verbose"),
        ("claude", "claude -- --prompt", "claude --resume 0197-ab"),  # What follows `--` is a prompt.
        ("claude", "claude --new-flag", "claude --resume 0197-ab --new-flag"),
        (
            "claude",
            "claude --new-option word",
            None,
        ),  # The word may be a prompt or the value of an option that hark does not know.
        ("claude", "env claude --verbose", "env claude --resume 0197-ab --verbose"),
        ("claude", "sudo claude", None),  # Not a program that is known to pass its arguments on.
        ("codex", "codex -m gpt do-it", "codex resume 0197-ab -m gpt"),
        ("codex", "codex resume --last", "codex resume 0197-ab"),
        ("codex", "codex resume other -a never", "codex resume 0197-ab -a never"),
        ("gemini", "gemini -i do-it -m pro", "gemini --resume 0197-ab -m pro"),
        ("gemini", "gemini --resume latest --yolo", "gemini --resume 0197-ab --yolo"),
        ("opencode", "opencode src -m a/b", "opencode -s 0197-ab src -m a/b"),  # The word is the project's directory.
        ("opencode", "opencode --prompt do-it --continue", "opencode -s 0197-ab"),
    ],
)
def test_the_options_stay_and_the_prompt_goes(kind: str, command: str, resumed: str | None) -> None:
    made = resume_command(kind, tuple(command.split()), ID)

    assert made == (tuple(resumed.split()) if resumed else None)


@pytest.mark.parametrize("conversation", ["", "--dangerously-skip-permissions", "-x", " a"])
def test_a_conversation_that_looks_like_an_option_is_refused(conversation: str) -> None:
    assert resume_command("claude", ("claude",), conversation) is None


def test_an_agent_without_a_way_to_resume_has_none() -> None:
    assert not can_resume("aider")
    assert resume_command("aider", ("aider",), ID) is None


@given(
    st.sampled_from(["claude", "codex", "gemini", "opencode"]),
    st.lists(st.sampled_from(["--model", "x", "PROMPT", "--resume", "-c", "--yolo", "--", "--unknown", "resume", "-"])),
)
def test_a_word_behind_no_option_is_never_passed_on_by_an_agent_that_takes_prompts(kind: str, words: list[str]) -> None:
    made = resume_command(kind, (kind, *words), ID)

    if made is None or find_agent(kind).resuming is None:
        return
    resuming = find_agent(kind).resuming
    assert resuming is not None
    kept = made[1 + len(resuming.opening) + 1 :]
    for before, word in zip(("", *kept), kept, strict=False):
        is_value = before in resuming.with_value or before in resuming.with_values or resuming.with_values & set(kept)
        assert word.startswith("-") or is_value or resuming.keeps_others
