"""python -m tests.campaigns.figures [COMMIT …]: the figures of the source at these commits and of the working tree, side by side."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[3]
LONG_FUNCTION, MANY_PARAMETERS, LARGE_FOLDER, LONG_FILE = 30, 6, 13, 400
AGENTS = re.compile(r"\b(claude|codex|gemini|opencode|copilot|aider|qwen)\b", re.IGNORECASE)
PER_SESSION = re.compile(r"\b(?:dict|set|defaultdict)\[(?:SessionId|Pane)\b")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def main() -> None:
    columns = {commit: figures_of_commit(commit) for commit in sys.argv[1:]} | {"now": figures(ROOT / "src/hark")}
    width = max(len(name) for name in columns["now"])
    print(f"{'':{width}}  " + "  ".join(f"{commit:>9}" for commit in columns))
    for name in columns["now"]:
        print(f"{name:{width}}  " + "  ".join(f"{column[name]:>9}" for column in columns.values()))


def figures_of_commit(commit: str) -> dict[str, int]:
    archive = subprocess.run(["git", "archive", commit, "src/hark"], capture_output=True, check=True, cwd=ROOT).stdout
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run(["tar", "-x", "-C", directory], input=archive, check=True)
        return figures(Path(directory) / "src/hark")


def figures(source: Path) -> dict[str, int]:
    texts = {path.relative_to(source): path.read_text() for path in sorted(source.rglob("*.py"))}
    trees = {path: ast.parse(text) for path, text in texts.items()}
    functions = [function for tree in trees.values() for function in functions_of(tree)]
    folders = Counter(path.parent for path in texts if path.name != "__init__.py")
    daemon = [path for path in texts if path.parts[0] == "daemon"]
    return {
        "lines": sum(text.count("\n") for text in texts.values()),
        "files": len(texts),
        f"files of more than {LONG_FILE} lines": sum(text.count("\n") > LONG_FILE for text in texts.values()),
        f"folders of more than {LARGE_FOLDER} files": sum(count > LARGE_FOLDER for count in folders.values()),
        "files in the largest folder": max(folders.values()),
        f"functions of more than {LONG_FUNCTION} lines": sum(lines_of(one) > LONG_FUNCTION for one in functions),
        f"functions of more than {MANY_PARAMETERS} parameters": sum(
            parameters_of(one) > MANY_PARAMETERS for one in functions
        ),
        "imports among the daemon's modules": sum(imports_of_daemon(trees[path]) for path in daemon),
        "maps by session or pane": sum(len(PER_SESSION.findall(texts[path])) for path in daemon),
        "files outside agents/ that name an agent in code": sum(
            names_agent(trees[path]) for path in texts if path.parts[0] != "agents"
        ),
        "`Any` in the API": sum(texts[path].count(": Any") for path in texts if path.parts[0] == "api"),
    }


def functions_of(tree: ast.AST) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def lines_of(function: Function) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


def parameters_of(function: Function) -> int:
    arguments = function.args
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return len([name for name in names if name not in ("self", "cls")])


def imports_of_daemon(tree: ast.AST) -> int:
    return sum(
        isinstance(node, ast.ImportFrom) and (node.module or "").startswith("hark.daemon.") for node in ast.walk(tree)
    )


def names_agent(tree: ast.AST) -> bool:
    """Return whether a string that is no docstring names an agent."""
    documented = {
        id(statement.value)
        for node in ast.walk(tree)
        for statement in ast.iter_child_nodes(node)
        if isinstance(statement, ast.Expr)
    }
    texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return any(AGENTS.search(str(text.value)) for text in texts if id(text) not in documented)


if __name__ == "__main__":
    main()
