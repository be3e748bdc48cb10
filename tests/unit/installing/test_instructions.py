"""What teaches an agent to signal goes into its instruction file and out of it again, and nothing else changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hark.installing.change import apply
from hark.installing.injection import teach
from hark.installing.instructions import (
    BEGIN,
    END,
    TEXT,
    has_ours,
    put,
    take,
    teaching,
    unteaching,
)
from hark.installing.places import agents_with_instructions, instructions_path


@given(st.text(alphabet="ab #<!-\n"))
def test_what_was_put_in_is_taken_out_to_the_letter(text: str) -> None:
    taught = put(text)

    assert has_ours(taught)
    assert put(taught) == taught
    assert take(taught) == (text if text.endswith("\n") or not text else text + "\n")


def test_lines_of_an_older_version_are_replaced_where_they_stand() -> None:
    old = f"# Mine\n\n{BEGIN}\nsomething old\n{END}\n\nMore of mine\n"

    assert put(old) == f"# Mine\n\n{BEGIN}\n{TEXT}\n{END}\n\nMore of mine\n"


@pytest.mark.parametrize("agent", agents_with_instructions())
def test_a_file_that_was_not_there_is_gone_again(agent: str, tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path)}
    path = instructions_path(agent, environment)

    apply(teaching(agent, environment))
    assert TEXT in path.read_text()
    assert not teaching(agent, environment).is_change

    apply(unteaching(agent, environment))
    assert not path.exists()
    assert not path.with_name(path.name + ".hark-backup").exists()


def test_what_the_user_wrote_stays(tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path)}
    path = instructions_path("claude", environment)
    path.parent.mkdir(parents=True)
    path.write_text("# My rules\n\nBe kind.\n")

    apply(teaching("claude", environment))
    path.write_text(path.read_text() + "\nOne more rule.\n")
    apply(unteaching("claude", environment))

    assert path.read_text() == "# My rules\n\nBe kind.\n\nOne more rule.\n"


@pytest.mark.parametrize(
    ("kind", "command", "is_taught"),
    [
        ("claude", ("claude", "--model", "opus"), True),
        ("claude", ("claude", "--append-system-prompt", "mine"), False),  # the user's own
        ("claude", ("claude", "--append-system-prompt-file=mine"), False),
        ("claude", ("claude", "-p", "a question"), False),
        ("claude", ("claude", "mcp", "list"), False),
        ("gemini", ("gemini",), False),  # no way that leaves its own prompt alone
        ("qwen", ("qwen", "--model", "large"), True),
        ("qwen", ("qwen", "--append-system-prompt", "mine"), False),
        ("qwen", ("qwen", "-p", "a question"), False),
        ("qwen", ("qwen", "--prompt=a question"), False),
        ("qwen", ("qwen", "mcp", "list"), False),
        ("aider", ("aider",), False),
    ],
)
def test_an_agent_is_taught_for_one_run_where_it_allows_it(
    kind: str, command: tuple[str, ...], is_taught: bool
) -> None:
    taught = teach(kind, command)

    assert (taught != command) is is_taught
    if is_taught:
        assert taught[:3] == (kind, "--append-system-prompt", TEXT)
