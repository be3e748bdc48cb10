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
WIRING = Path("daemon/service.py")
"""The module that makes and connects the parts of the daemon; it used to be `app.py`, outside `daemon/`."""
LONG_FUNCTION, MANY_PARAMETERS, LARGE_FOLDER, LONG_FILE = 30, 6, 13, 400
AGENTS = re.compile(r"\b(claude|codex|gemini|opencode|copilot|aider|qwen)\b", re.IGNORECASE)
PER_SESSION = re.compile(r"\b(?:dict|set|defaultdict)\[(?:SessionId|Pane)\b")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def main() -> None:
    columns = {commit: figures_of_commit(commit) for commit in sys.argv[1:]} | {"now": figures(ROOT)}
    width = max(len(name) for name in columns["now"])
    print(f"{'':{width}}  " + "  ".join(f"{commit:>9}" for commit in columns))
    for name in columns["now"]:
        print(f"{name:{width}}  " + "  ".join(f"{column[name]:>9}" for column in columns.values()))


def figures_of_commit(commit: str) -> dict[str, int]:
    archive = subprocess.run(
        ["git", "archive", commit, "src/hark", "tests"], capture_output=True, check=True, cwd=ROOT
    ).stdout
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run(["tar", "-x", "-C", directory], input=archive, check=True)
        return figures(Path(directory))


def figures(root: Path) -> dict[str, int]:
    source = root / "src/hark"
    texts = {path.relative_to(source): path.read_text() for path in sorted(source.rglob("*.py"))}
    trees = {path: ast.parse(text) for path, text in texts.items()}
    functions = [function for tree in trees.values() for function in functions_of(tree)]
    folders = Counter(path.parent for path in texts if path.name != "__init__.py")
    daemon = [path for path in texts if path.parts[0] == "daemon" and path.name != "__init__.py"]
    imports = {path: list(imports_of_daemon(trees[path])) for path in daemon}
    connected = [path for path in daemon if path != WIRING]
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
        "imports among the daemon's modules": sum(len(imports[path]) for path in daemon),
        "… without the module that connects them": sum(len(imports[path]) for path in connected),
        "… of these, in 10 modules": round(10 * sum(len(imports[path]) for path in connected) / len(connected)),
        "… and most of them in one module": max(len(imports[path]) for path in connected),
        "… and from one room of the daemon into another": sum(
            room_of(path) != room_of(target) for path in connected for target in imports[path]
        ),
        "modules of the daemon that no unit test imports": len(set(daemon) - modules_in_unit_tests(root)),
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


def imports_of_daemon(tree: ast.AST) -> Iterator[Path]:
    """Yield the module of the daemon that each import statement names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("hark.daemon."):
            yield Path(*(node.module or "").split(".")[1:]).with_suffix(".py")


def modules_in_unit_tests(root: Path) -> set[Path]:
    """Return the modules of the daemon that unit tests import: `from module import name` or `from package import module`."""
    trees = [ast.parse(path.read_text()) for path in (root / "tests/unit").rglob("*.py")]
    imports = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    names = {name for node in imports for name in (node.module, *(f"{node.module}.{one.name}" for one in node.names))}
    return {
        Path(*str(name).split(".")[1:]).with_suffix(".py") for name in names if str(name).startswith("hark.daemon.")
    }


def room_of(module: Path) -> Path:
    return module.parent


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
