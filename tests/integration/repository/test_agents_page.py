"""What docs/agents.md says is true: its table has every field of a data file, and its example is an agent."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.integration.repository.fields import DOCUMENT, table

ROOT = Path(__file__).parents[3]
PAGE = DOCUMENT.read_text()
FILE = re.compile(
    r"^`src/(?P<path>hark/agents/parrot/[^`]+)`[^\n]*:\n\n```\w+\n(?P<text>.*?)^```", re.DOTALL | re.MULTILINE
)
REPORT = re.compile(r"^```json\n(.*?)^```", re.DOTALL | re.MULTILINE)

# What the example promises, as seen by a program that runs with the folder in its place.
LOOK = """
import json, sys
from pathlib import Path

from hark.agents.decoders import decode
from hark.agents.kinds import load_kinds
from hark.agents.records.record import read_line
from hark.agents.registry import agent_names, find_agent
from hark.cli.starting_agents.plain_calls import is_plain_call
from hark.installing.change import installation
from hark.installing.hooks import find
from hark.kind_files import offered_agents

report = decode("parrot", "Asked", json.loads(sys.argv[1]))
change = installation("parrot", {"HOME": "/home/you"}, "/bin/hark-hook")
print(json.dumps({
    "is found": "parrot" in agent_names() and type(find_agent("parrot")).__name__,
    "is recognised": load_kinds().recognise(("node", "/lib/parrot-cli/index.js")),
    "comes last": offered_agents()[-1],
    "runs plainly": is_plain_call(["parrot", "login"]) and not is_plain_call(["parrot"]),
    "report": [report.said, report.prompt, report.agent_session_id, report.transcript],
    "other event": decode("parrot", "Other", {}).said,
    "words": read_line("parrot", b'{"said": "hello"}', "1").text,
    "settings": str(change.path),
    "hooks": [ours.event for ours in find(change.after, "parrot")],
}))
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A copy of the package with the folder of the example in it."""
    shutil.copytree(ROOT / "src/hark", tmp_path / "hark", ignore=shutil.ignore_patterns("__pycache__", "static"))
    for file in FILE.finditer(PAGE):
        path = tmp_path / file["path"]
        path.parent.mkdir(exist_ok=True)
        path.write_text(file["text"])
    return tmp_path


def look(source: Path, report: str) -> dict[str, Any]:
    program = f"import sys; sys.path.insert(0, {str(source)!r})\n{LOOK}"
    done = subprocess.run([sys.executable, "-c", program, report], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_the_table_has_every_field_in_the_words_of_the_source() -> None:
    assert table() in PAGE, "scripts/fields writes it"


def test_every_field_says_something() -> None:
    rows = table().splitlines()[2:]

    assert [row for row in rows if row.rstrip(" |").endswith("`")] == []
    for field in ("`[sentinel] is_preferred`", "`keeps_brackets`", "`[title] waiting`", "`[interrupt] recall`"):
        assert any(row.startswith(f"| {field} |") for row in rows)


def test_the_example_is_three_files_of_one_folder() -> None:
    assert [Path(file["path"]).name for file in FILE.finditer(PAGE)] == ["kind.toml", "__init__.py", "agent.py"]


def test_the_folder_of_the_example_makes_an_agent(source: Path) -> None:
    [report] = REPORT.findall(PAGE)

    assert look(source, report) == {
        "is found": "Parrot",
        "is recognised": "parrot",
        "comes last": "parrot",
        "runs plainly": True,
        "report": ["prompt-submitted", "say hello", "c1", "/home/you/.parrot/c1.jsonl"],
        "other event": "unknown",
        "words": "hello",
        "settings": "/home/you/.parrot/settings.json",
        "hooks": ["Asked", "ToolDone", "Done"],
    }


def test_the_code_of_the_example_is_typed(source: Path) -> None:
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "-p", "hark.agents.parrot"]
    environment = {"MYPYPATH": str(source), "PATH": "/usr/bin:/bin"}

    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=source, env=environment)

    assert done.returncode == 0, done.stdout + done.stderr
