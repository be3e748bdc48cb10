"""A draft that was out of the box when its agent ended is shown, printed, and put into the box of the agent that comes back."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import RunningHark

DRAFT = "half a thought\n  and its second line"


def end_with_draft(agent: Agent, carrier: str) -> None:
    """Leave the session as a daemon and an agent leave it that both end while a draft is out of the box."""
    message_id = agent.send_and_wait("hello", "completed")
    agent.hark.ok("daemon", "stop")
    with closing(sqlite3.connect(agent.hark.database)) as database, database:
        row = (agent.id, message_id, DRAFT, 4, 1_800_000_000_000_000, carrier)
        database.execute(
            "INSERT INTO drafts (session_id, message_id, text, cursor, taken_at, carrier) VALUES (?, ?, ?, ?, ?, ?)",
            row,
        )
    agent.hark.tmux("kill-pane", "-t", agent.pane)
    agent.hark.ok("daemon", "start")
    agent.hark.wait_gone("a")


def test_the_draft_of_a_gone_session_is_told_and_printed(agent: Agent) -> None:
    end_with_draft(agent, "editor")

    told = agent.hark.ok("show", "a")

    assert "hark keeps a draft of yours (36 characters in 2 lines): `hark draft a` prints it" in told
    assert "half a thought" not in told
    assert agent.hark.ok("draft", "a") == f"{DRAFT}\n"
    assert agent.hark.json("draft", "a")["cursor"] == 4


@pytest.mark.parametrize("carrier", ["stash", "editor", "sentinel"])
def test_the_draft_goes_into_the_box_of_the_agent_that_comes_back(agent: Agent, carrier: str) -> None:
    end_with_draft(agent, carrier)

    told = agent.hark.ok("restart", "-d", "a")

    assert "your draft goes back into its box" in told
    agent.pane = agent.hark.session("a")["pane_id"]
    agent.wait_box(*DRAFT.splitlines())
    assert agent.send_and_wait("and a message", "completed")
    agent.wait_box(*DRAFT.splitlines())
    assert agent.hark.refused("draft", "a").code == "draft-not-found"


def test_the_draft_stays_with_the_gone_session_when_another_takes_its_name(agent: Agent) -> None:
    end_with_draft(agent, "editor")

    told = agent.hark.run("new", "-d", "-n", "a", "--", "sleep", "600")

    assert f"hark keeps a draft of yours (36 characters in 2 lines): `hark draft a~{agent.id}` prints it" in told.stderr
    assert agent.hark.ok("draft", f"a~{agent.id}") == f"{DRAFT}\n"


def test_a_session_without_a_kept_draft_says_so(hark: RunningHark) -> None:
    Agent(hark)

    refusal = hark.refused("draft", "a")

    assert (refusal.exit_code, refusal.code) == (3, "draft-not-found")
    assert "draft" not in hark.ok("show", "a")


def test_a_session_is_shown_with_the_last_words_of_its_agent(agent: Agent) -> None:
    agent.send_and_wait("hello", "completed")

    shown = agent.hark.ok("show", "a")

    assert f"session   a {agent.id} (demo)" in shown
    assert "said last " in shown
    assert agent.hark.json("show", "a")["id"] == agent.id
    assert agent.hark.refused("show", "nobody").code == "message-not-found"
