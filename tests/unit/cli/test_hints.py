"""Hints tell people what to do next, so what they name is there: commands, and options of that command."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import click
import pytest

from hark.cli.main import NAMES, cli
from hark.cli.messages.reasons import HELD, when
from hark.model.message import HoldReason

RAISING = {"HarkError", "_invalid", "UsageError"}


def hints() -> list[str]:
    """What every error of the source says after its code, f-strings with their holes left open."""
    found: list[str] = []
    for path in Path("src/hark").rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text())):
            if isinstance(call, ast.Call) and getattr(call.func, "id", getattr(call.func, "attr", "")) in RAISING:
                found += [text for argument in call.args[1:] for text in _texts(argument)]
    return found


def _texts(node: ast.expr) -> list[str]:
    if isinstance(node, ast.JoinedStr):
        return ["".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values)]
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    return [text for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr) for text in _texts(child)]


def options() -> dict[str, set[str]]:
    context = click.Context(cli)
    found: dict[str, set[str]] = {}
    for name in NAMES:
        command = cli.get_command(context, name)
        assert command is not None
        commands = [command, *command.commands.values()] if isinstance(command, click.Group) else [command]
        found[name] = {"--help", *(one for each in commands for param in each.params for one in (*param.opts, *param.secondary_opts))}  # fmt: skip
    return found


HINTS = hints()
OPTIONS = options()


def test_there_are_hints_to_look_at() -> None:
    assert len([hint for hint in HINTS if "`hark " in hint]) > 10


@pytest.mark.parametrize("hint", [hint for hint in HINTS if "`hark " in hint])
def test_commands_in_hints_are_there_with_their_options(hint: str) -> None:
    for words in re.findall(r"`hark ([^`]*)`", hint):
        name, *rest = words.split()
        assert name in NAMES, hint
        own = [word for word in rest if re.fullmatch(r"--?[A-Za-z][a-z-]*", word)]
        assert set(own) <= OPTIONS[name], hint


@pytest.mark.parametrize(
    "hint", [hint for hint in HINTS if re.search(r"(?<![\w`-])--[a-z]", hint) and "pip" not in hint]
)
def test_options_in_hints_are_there(hint: str) -> None:
    everywhere = set().union(*OPTIONS.values())

    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", hint)) <= everywhere, hint


def test_every_reason_to_wait_has_words() -> None:
    assert set(HELD) == {str(reason) for reason in HoldReason}


@pytest.mark.parametrize(
    ("estimate", "words"),
    [
        ("now", "now"),
        ("waiting_for_busy", "held: the agent is busy"),
        ("waiting_for_idle", "when the agent is idle"),
        ("waiting_for_do_not_disturb", "held: a human does not want to be disturbed; `hark release` ends that"),
        ("waiting_for_something_new", "held: something-new"),
        ("a_word_of_a_newer_daemon", "a word of a newer daemon"),
    ],
)
def test_when_a_message_goes_is_said_in_words(estimate: str, words: str) -> None:
    assert when(estimate) == words
