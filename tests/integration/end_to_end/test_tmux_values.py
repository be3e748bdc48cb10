"""Hostile names of directories, values of variables and words of a command: by the command, the API and MCP alike, the agent
starts where it shall with what it shall have, and nothing is executed."""

from __future__ import annotations

import asyncio
import json
import shlex
import sys
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from tests.integration.end_to_end.running import DEADLINE_S, RunningHark
from tests.integration.mcp.connecting import connected
from tests.support.terminals import wait_until

# The name of a file has no slash, so the command makes one.
COMMAND = r'#(touch $(printf "\57tmp\57hark-trap-%s" $PPID))'
HOSTILE = {
    "a command": COMMAND,
    "a variable": "#{pane_id} #H",
    "a style": "##[bold]#[x",
    "a time": "%H:%M %%",
    "syntax": "a;b \\; 'c' \"d\" `e` $HOME ~ {f}",
    "lines": "two\nlines\tand a tab",
    "letters": "漢字 🎉 é",
    "an option": "-d",
}
WORST = [HOSTILE["a command"], HOSTILE["a variable"], HOSTILE["lines"]]
REPORT = """
import json, os, pathlib, sys, time
made = pathlib.Path(os.environ.get("REPORT") or sys.argv[1])
made.with_suffix(".part").write_text(json.dumps([os.getcwd(), os.environ.get("VALUE"), sys.argv[2:]]))
made.with_suffix(".part").rename(made)
time.sleep(1000)
"""


@pytest.fixture(autouse=True)
def no_old_traps() -> Iterator[None]:
    remove_traps()
    yield
    remove_traps()


class Reporting:
    """A program that says where it runs, and with what."""

    def __init__(self, hark: RunningHark, directory: str) -> None:
        self.hark = hark
        self.directory = hark.home / "work" / directory
        self.directory.mkdir(parents=True)
        self._report = hark.home / "report"
        script = hark.home / "report.py"
        script.write_text(REPORT)
        self.command = [sys.executable, "-ISE", str(script), str(self._report)]

    def report(self) -> list[Any]:
        wait_until(self._report.exists, DEADLINE_S, "the program's report", self.hark.log)
        found: list[Any] = json.loads(self._report.read_text())
        return found

    def was_executed(self) -> bool:
        """tmux runs commands in the background; one that is waited for comes after them."""
        self.hark.tmux("run-shell", "true")
        return bool(sprung_traps())


def remove_traps() -> None:
    for trap in sprung_traps():
        trap.unlink(missing_ok=True)


def sprung_traps() -> list[Path]:
    return list(Path("/tmp").glob("hark-trap-*"))


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hark_new_starts_the_agent_in_that_very_directory(hark: RunningHark, text: str) -> None:
    program = Reporting(hark, text)

    made = hark.json(
        "new", "-d", "-C", str(program.directory), "--", *program.command, text, environment={"VALUE": text}
    )

    assert program.report() == [str(program.directory), text, [text]]
    assert made["directory"] == str(program.directory)
    assert not program.was_executed()


@pytest.mark.parametrize("text", WORST)
def test_the_api_starts_the_agent_in_that_very_directory(hark: RunningHark, text: str) -> None:
    hark.ok("ls")
    program = Reporting(hark, text)
    body = {"command": [*program.command, text], "directory": str(program.directory), "environment": {"VALUE": text}}

    assert hark.api("POST", "/sessions", body).status == 201

    assert program.report() == [str(program.directory), text, [text]]
    assert not program.was_executed()


@pytest.mark.parametrize("text", WORST)
def test_an_agent_that_another_one_starts_is_in_that_very_directory(hark: RunningHark, text: str) -> None:
    program = Reporting(hark, text)
    script = hark.home / "reporting-agent"
    script.write_text(f"#!/bin/sh\nexec {shlex.join(program.command)}\n")
    script.chmod(0o755)
    described = (resources.files("hark.agents") / "demo" / "kind.toml").read_text()
    place = hark.home / "config/agents"
    place.mkdir(parents=True)
    (place / "demo.toml").write_text(described.replace('["hark-demo-agent"]', json.dumps([str(script)])))

    hark.ok("ls")

    async def spawn() -> None:
        async with connected(hark, None) as pipe:
            await pipe.call("spawn", agent="demo", task="look around", directory=str(program.directory))

    asyncio.run(spawn())

    assert program.report()[0] == str(program.directory)
    assert not program.was_executed()


BAD_NAMES = {"nothing": "", "an equals sign": "A=B", "a NUL": "A\0"}


@pytest.mark.parametrize("name", BAD_NAMES.values(), ids=BAD_NAMES.keys())
def test_what_cannot_be_the_name_of_a_variable_is_refused(hark: RunningHark, name: str) -> None:
    hark.ok("ls")

    answer = hark.api("POST", "/sessions", {"command": ["sleep", "1000"], "environment": {name: "x"}})

    assert (answer.status, answer.json["code"]) == (422, "request-invalid")
