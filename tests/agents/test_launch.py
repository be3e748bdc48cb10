"""Every real agent starts as its tests need it, and does with a paste, a turn and a dialog what hark relies on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

import pytest

from tests.agents.launch import LAUNCHES, installed
from tests.agents.running import DEADLINE_S, Agent, running
from tests.agents.screen import Screen
from tests.support.terminals import wait_until


@pytest.fixture(params=LAUNCHES)
def agent(request: pytest.FixtureRequest) -> Iterator[Agent]:
    with running(request.param) as started:
        started.wait_ready()
        yield started


def test_a_pasted_text_reaches_the_model_exactly_once_and_to_the_letter(agent: Agent) -> None:
    text = f"[message {uuid4().hex}] Grüße, 漢字; $HOME `x`\nsecond line; with 2 things"

    agent.submit(text)
    received = agent.stand_in.wait_received(lambda one: one.holds(text), DEADLINE_S)
    agent.wait_ready()

    assert received.texts == (text,)
    assert received.session == agent.launch.session
    assert agent.stand_in.submitted() == [text]


def test_a_busy_turn_shows_and_ends(agent: Agent) -> None:
    ending = f"end-{uuid4().hex[:8]}"

    agent.submit(f"[[busy=3]][[say={ending}]]")

    agent.wait_for(agent.marks.is_busy, "a busy agent")
    agent.wait_for(lambda screen: is_said(ending, screen), "the end of the turn")
    agent.wait_ready()
    agent.wait_for(lambda screen: not agent.marks.is_busy(screen), "an idle agent")


def test_a_paste_into_a_permission_dialog_approves_nothing_and_a_denial_ends_it(agent: Agent) -> None:
    made = agent.launch.directory / "made"
    agent.submit(f"[[tool=touch {made}]]")
    agent.wait_for(lambda screen: agent.marks.dialog in screen.text, "the permission dialog")
    agent.wait_quiet()

    agent.tmux.paste(agent.pane, "some text that is no answer")
    after_paste = agent.wait_quiet()

    assert agent.marks.dialog in after_paste.text
    assert not made.exists()

    deny(agent)

    agent.wait_ready()
    assert not made.exists()


def test_an_approved_command_runs_and_its_result_ends_the_turn(agent: Agent) -> None:
    made = agent.launch.directory / "made"
    agent.submit(f"[[tool=touch {made}]]")
    agent.wait_for(lambda screen: agent.marks.dialog in screen.text, "the permission dialog")
    agent.wait_quiet()

    agent.tmux.press(agent.pane, "Enter")

    wait_until(made.exists, DEADLINE_S, "the command to have run", lambda: agent.screen().text)
    agent.wait_ready()


@pytest.mark.parametrize("kind", LAUNCHES)
def test_the_editor_of_the_launch_gets_the_draft_to_the_letter(kind: str, tmp_path: Path) -> None:
    draft, copy, editor = "a draft, Grüße", tmp_path / "copy", tmp_path / "editor"
    editor.write_text(f'#!/bin/sh\ncat "$1" > {copy}.new && mv {copy}.new {copy}\n')
    editor.chmod(0o700)
    with running(kind, editor=str(editor)) as agent:
        agent.wait_ready()
        agent.tmux.paste(agent.pane, draft)
        agent.wait_for(lambda screen: draft in screen.text, "the draft")
        agent.wait_quiet()

        agent.tmux.press(agent.pane, *agent.marks.editor)

        wait_until(copy.exists, DEADLINE_S, "the editor to run", lambda: agent.screen().text)
        assert copy.read_text().rstrip("\n") == draft


def test_an_agent_that_is_not_installed_is_installed_once_when_it_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    with ThreadPoolExecutor() as both:
        first, second = both.map(installed, ("codex", "codex"))

    assert [first] == list((tmp_path / "hark-agents").glob("codex-*")) == [second]
    assert (first / "node_modules/.bin/codex").exists()


def deny(agent: Agent) -> None:
    if agent.launch.kind == "aider":
        # A line of input like any other: what was pasted stands in it.
        agent.tmux.press(agent.pane, "C-u")
    agent.tmux.press(agent.pane, *agent.marks.denial)


def is_said(text: str, screen: Screen) -> bool:
    """Said by the model, not shown as what the user has asked it to say."""
    return re.search(rf"(?<!=){text}", screen.text) is not None
