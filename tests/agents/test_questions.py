"""What real agents ask: listed with the exact command, answered through their own hook or API, and left to the human in every other
case."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hark.demo.human import Human
from tests.agents.delivering import Delivering, delivering
from tests.agents.running import DEADLINE_S
from tests.support.terminals import wait_until

KINDS = ("claude", "codex", "opencode")
"""The agents that take answers from elsewhere."""


@pytest.fixture(scope="module", params=KINDS)
def both(request: pytest.FixtureRequest) -> Iterator[tuple[Delivering, Human]]:
    is_native = request.param != "claude"
    with delivering(request.param, is_native=is_native, answers=True) as agent, agent.human() as human:
        human.wait_attached(DEADLINE_S)
        agent.wait_ready()
        yield agent, human


def listed(agent: Delivering, *options: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = agent.hark.json("questions", *options)["questions"]
    return found


def wait_question(agent: Delivering, command: str) -> dict[str, Any]:
    found = wait_until(
        lambda: [one for one in listed(agent) if one["text"] == command],
        DEADLINE_S,
        f"the question {command!r}",
        lambda: (listed(agent, "--all"), agent.screen().text),
    )
    return found[0]


def wait_ended(agent: Delivering, question: dict[str, Any]) -> dict[str, Any]:
    found = wait_until(
        lambda: [one for one in listed(agent, "--all") if one["id"] == question["id"] and one["end"]],
        DEADLINE_S,
        f"the end of {question['text']!r}",
        lambda: (listed(agent, "--all"), agent.screen().text),
    )
    return found[0]


def ask(agent: Delivering, name: str) -> dict[str, Any]:
    """Let the agent ask whether it may make a file."""
    agent.wait_ready()
    agent.send(f"[[tool=touch {name} && touch '{name} b']]")
    return wait_question(agent, f"touch {name} && touch '{name} b'")


def is_made(agent: Delivering, name: str) -> bool:
    return (agent.launch.directory / f"{name} b").exists()


def wait_idle(agent: Delivering) -> None:
    agent.hark.ok("wait", "a", "--timeout", "60s")
    agent.wait_ready()


def test_an_allowed_command_runs_and_a_denied_one_does_not(both: tuple[Delivering, Human]) -> None:
    agent, _ = both
    question = ask(agent, "allowed")
    assert (question["kind"], question["is_command"], question["answers"]) == ("permission", True, ["allow", "deny"])
    agent.wait_dialog()
    assert not is_made(agent, "allowed")

    answered = agent.hark.json("answer", question["id"], "allow")

    assert (answered["end"], answered["answer"], answered["answered_by"]) == ("answered", "allow", "hark")
    wait_until(lambda: is_made(agent, "allowed"), DEADLINE_S, "the command to run", lambda: agent.screen().text)
    wait_idle(agent)
    denied = ask(agent, "denied")
    agent.hark.ok("answer", "a", "deny", "-m", "not on this branch")
    wait_idle(agent)
    assert not is_made(agent, "denied")
    assert wait_ended(agent, denied)["answer"] == "deny"
    assert listed(agent) == []
    agent.hark.wait_keys_flow()


def test_the_human_answers_at_the_terminal_and_the_question_ends(both: tuple[Delivering, Human]) -> None:
    agent, human = both
    question = ask(agent, "by-hand")
    agent.wait_dialog()

    human.press("Enter")

    wait_until(lambda: is_made(agent, "by-hand"), DEADLINE_S, "the command to run", lambda: agent.screen().text)
    ended = wait_ended(agent, question)
    assert (ended["end"], ended["answered_by"]) == ("answered", "terminal")
    assert agent.hark.refused("answer", "a", "deny").code == "question-not-found"
    wait_idle(agent)


def test_a_daemon_that_is_killed_leaves_the_dialog_to_the_human(both: tuple[Delivering, Human]) -> None:
    agent, human = both
    question = ask(agent, "left-alone")
    agent.wait_dialog()

    agent.hark.kill_daemon()
    agent.hark.ok("daemon", "start")

    assert wait_question(agent, question["text"])["id"] == question["id"]
    agent.wait_dialog()
    assert not is_made(agent, "left-alone")
    human.press("Escape")
    assert wait_ended(agent, question)["end"] in ("answered", "turn-ended")
    assert not is_made(agent, "left-alone")
    wait_idle(agent)


@pytest.fixture
def policy() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="hark-test-") as made:
        path = Path(made) / "policy.toml"
        path.write_text('[[rule]]\nanswer = "deny"\ncommands = ["touch denied **"]\n')
        path.chmod(0o600)
        yield path


@pytest.mark.parametrize("kind", ["gemini"])
def test_what_gemini_asks_is_listed_and_left_to_the_human_unless_the_policy_denies_it(kind: str, policy: Path) -> None:
    with delivering(kind, answers=True, policy=policy) as agent, agent.human() as human:
        human.wait_attached(DEADLINE_S)
        question = ask(agent, "by-hand")
        assert question["answers"] == []
        assert "takes no answer from a hook" in question["cannot_answer"]

        assert agent.hark.refused("answer", "a", "allow").code == "not-answerable"

        agent.wait_dialog()
        assert not is_made(agent, "by-hand")
        human.press("Enter")
        wait_until(lambda: is_made(agent, "by-hand"), DEADLINE_S, "the command to run", lambda: agent.screen().text)
        ended = wait_ended(agent, question)
        assert (ended["end"], ended["answered_by"]) == ("answered", "terminal")
        agent.wait_ready()

        denied = agent.send("[[tool=touch denied && touch 'denied b']]")

        agent.hark.wait_status(denied, "completed")
        assert not is_made(agent, "denied")
        [*_, last] = listed(agent, "--all")
        assert (last["text"], last["answer"], last["answered_as"]) == (
            "touch denied && touch 'denied b'",
            "deny",
            "policy rule 1",
        )
