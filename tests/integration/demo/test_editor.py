"""Ctrl-G: the exact draft goes to the human's editor and comes back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.demo.running import DEADLINE_S, RunningAgent
from tests.support.terminals import PrivateTmux, wait_until

DRAFT = "first\n\n\ttabbed, blanks behind  \n漢字 🎉\n"


def write_editor(directory: Path, body: str) -> Path:
    script = directory / "editor"
    script.write_text(f"#!/bin/sh\n{body}\n")
    script.chmod(0o700)
    return script


@pytest.mark.parametrize("variable", ["VISUAL", "EDITOR"])
def test_the_editor_gets_the_exact_draft_and_its_text_comes_back(
    tmux: PrivateTmux, tmp_path: Path, variable: str
) -> None:
    editor = write_editor(tmp_path, 'cp "$2" "$1"; printf "%s" "new\n\ntext" > "$2"')
    agent = RunningAgent(tmux, environment={variable: f"'{editor}' '{tmp_path / 'seen'}'"})
    agent.paste(DRAFT)

    agent.press("C-g")

    agent.wait_box("new", "", "text")
    assert (tmp_path / "seen").read_text() == DRAFT
    event = agent.wait_event("editor")
    assert (event["before"], event["after"]) == (DRAFT, "new\n\ntext")
    agent.submit("!")
    assert agent.wait_event("prompt")["text"] == "new\n\ntext!"


def test_visual_goes_before_editor(tmux: PrivateTmux, tmp_path: Path) -> None:
    editor = write_editor(tmp_path, 'printf "%s" "$1" > "$2"')
    agent = RunningAgent(tmux, environment={"VISUAL": f"{editor} visual", "EDITOR": f"{editor} editor"})

    agent.press("C-g")

    agent.wait_box("visual")


def test_an_editor_that_fails_changes_nothing(tmux: PrivateTmux, tmp_path: Path) -> None:
    editor = write_editor(tmp_path, 'echo other > "$1"; exit 1')
    agent = RunningAgent(tmux, environment={"EDITOR": str(editor)})
    agent.paste(DRAFT)

    agent.press("C-g")
    agent.wait_event("editor")
    agent.press("Enter")

    assert agent.wait_event("prompt")["text"] == DRAFT


def test_an_unchanged_file_keeps_cursor_and_collapsed_pastes(tmux: PrivateTmux, tmp_path: Path) -> None:
    editor = write_editor(tmp_path, f'cp "$1" "{tmp_path / "seen"}"')
    agent = RunningAgent(tmux, "--collapse", "2", environment={"EDITOR": str(editor)})
    agent.paste("1\n2\n3")
    agent.type(" end")
    agent.press("Left")

    agent.press("C-g")
    agent.wait_event("editor")
    agent.type("X")

    agent.wait_box("[Pasted text #1 +2 lines] enXd")
    assert (tmp_path / "seen").read_text() == "1\n2\n3 end"


def test_an_empty_file_clears_the_box(tmux: PrivateTmux, tmp_path: Path) -> None:
    agent = RunningAgent(tmux, environment={"EDITOR": str(write_editor(tmp_path, ': > "$1"'))})
    agent.type("draft")
    agent.wait_box("draft")

    agent.press("C-g")

    agent.wait_box("")


def test_keys_typed_while_the_editor_is_open_are_kept(tmux: PrivateTmux, tmp_path: Path) -> None:
    opened, release = tmp_path / "opened", tmp_path / "release"
    editor = write_editor(tmp_path, f'touch "{opened}"; while [ ! -e "{release}" ]; do sleep 0.05; done')
    agent = RunningAgent(tmux, environment={"EDITOR": str(editor)})
    agent.type("be")

    agent.press("C-g")
    wait_until(opened.exists, DEADLINE_S, "the editor to open")
    agent.type("fore")
    agent.press("Enter")
    release.touch()

    assert agent.wait_event("prompt")["text"] == "before"


def test_without_an_editor_it_says_so(tmux: PrivateTmux) -> None:
    agent = RunningAgent(tmux, environment={"VISUAL": "/no/such/editor"})
    agent.type("draft")

    agent.press("C-g")

    agent.wait_screen("no editor: set VISUAL or EDITOR")
    agent.wait_box("draft")
