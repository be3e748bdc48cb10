"""An agent's folder is the only place in the source that names the agent: every other place asks the registry."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from hark.kind_files import offered_agents

SOURCE = Path(__file__).parents[3] / "src/hark"
NAMES = re.compile(rf"(?<![a-z])(?:{'|'.join(offered_agents())})(?:_?code)?(?![a-z])", re.IGNORECASE)
EXCEPTIONS = {
    "api/mcp/tools.py": "the description of a parameter gives examples of agent kinds",
    "cli/starting_agents/spawn.py": "the help of an option gives examples of agent kinds",
    "demo/agent.py": "the help of the demo agent compares it with real agents",
}


def shared_files() -> list[Path]:
    """All files that are not in the folder of an agent."""
    folders = {SOURCE / "agents" / name for name in offered_agents()}
    return [path for path in sorted(SOURCE.rglob("*.py")) if not folders & set(path.parents)]


def names_in(tree: ast.AST) -> Iterator[str]:
    """The texts, names and imports of a program that name an agent. Docstrings may: they explain."""
    documented = {
        id(statement.value)
        for node in ast.walk(tree)
        for statement in ast.iter_child_nodes(node)
        if isinstance(statement, ast.Expr)
    }
    return (text for node in ast.walk(tree) if id(node) not in documented for text in texts_of(node) if named(text))


def named(text: str) -> bool:
    # An identifier in CamelCase has the name as one of its words.
    return NAMES.search(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", text)) is not None


def texts_of(node: ast.AST) -> list[str]:
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.keyword(arg=str(name)):
            return [name]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.ImportFrom(module=module, names=names):
            return [module or "", *(one.name for one in names)]
        case ast.Import(names=names):
            return [one.name for one in names]
    return []


@pytest.mark.parametrize(
    "program",
    [
        "KINDS = ('codex', 'other')",
        "def _find_opencode() -> None: ...",
        "class CodexChannel: ...",
        "from hark.agents.claude import files",
        "import hark.agents.gemini.preload",
        "VARIABLE = 'CLAUDE_CONFIG_DIR'",
        "note = f'start {x} or amp'",
        "start(codex=1)",
    ],
)
def test_a_name_is_seen(program: str) -> None:
    assert list(names_in(ast.parse(program)))


@pytest.mark.parametrize("program", ["'''As Codex does.'''", "example = 'an example of stamps'", "qwenches = 1"])
def test_other_words_are_no_names(program: str) -> None:
    assert not list(names_in(ast.parse(program)))


def test_no_other_file_names_an_agent() -> None:
    found = {
        str(path.relative_to(SOURCE)): names
        for path in shared_files()
        if (names := list(names_in(ast.parse(path.read_text()))))
    }

    assert {path: names for path, names in found.items() if path not in EXCEPTIONS} == {}
    assert set(found) == set(EXCEPTIONS), "an exception that is not needed any more"
