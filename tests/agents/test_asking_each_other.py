"""Two real Claude Code sessions that ask each other by `hark ask` from their shell tool, without a human."""

from __future__ import annotations

import shlex
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from tests.agents.delivering import HARK, Delivering, delivering
from tests.agents.launch import LAUNCHES, Launch, write_json
from tests.agents.running import DEADLINE_S, START_DEADLINE_S, end_processes
from tests.support.terminals import wait_until


def with_shell(launch: Launch) -> Launch:
    """Let Claude Code run its shell tool without asking."""
    write_json(Path(launch.environment["HOME"]) / ".claude/settings.json", {"permissions": {"allow": ["Bash"]}})
    return launch


@pytest.fixture(scope="module")
def both() -> Iterator[Delivering]:
    """Two sessions, `a` and `b`, of one hark."""
    with (
        tempfile.TemporaryDirectory(prefix="hk", dir="/tmp", ignore_cleanup_errors=True) as made,
        delivering("claude", by_hook=True, change=with_shell) as agent,
    ):
        root = Path(made).resolve()
        launch = with_shell(LAUNCHES["claude"](root, agent.stand_in.url))
        settings = {name: value for name, value in agent.hark.environment.items() if name.startswith("HARK_")}
        command = [
            HARK,
            "new",
            "-d",
            "-n",
            "b",
            "--agent",
            "claude",
            "-C",
            str(launch.directory),
            "--",
            *launch.command,
        ]
        environment = launch.environment | settings
        subprocess.run(command, env=environment, check=True, capture_output=True, timeout=START_DEADLINE_S)
        try:
            agent.hark.ok("send", "-q", "--wait", "completed", "b", "are you there?")
            yield agent
        finally:
            agent.hark.run("kill", "b")
            end_processes(root)


class Asking(msgspec.Struct, frozen=True):
    """A script that an agent runs in its shell tool: it asks another session, and leaves what came of it in files."""

    directory: Path
    name: str

    def write(self, session: str, text: str) -> str:
        """Write the script, and return the text that makes an agent run it."""
        words = self.directory / f"{self.name}.txt"
        words.write_text(text)
        script = self.directory / f"{self.name}.sh"
        out, error, code = (shlex.quote(str(self.path(part))) for part in ("out", "err", "code"))
        script.write_text(f"{HARK} ask {session} - <{shlex.quote(str(words))} >{out} 2>{error}\necho $? >{code}\n")
        return f"[[tool=sh {script}]]"

    def path(self, part: str) -> Path:
        return self.directory / f"{self.name}.{part}"

    def wait(self) -> tuple[str, str, str]:
        """Return the exit code, stdout and stderr."""
        code = self.path("code")
        wait_until(lambda: code.exists() and code.read_text().endswith("\n"), DEADLINE_S, f"the end of {self.name}")
        return code.read_text().strip(), self.path("out").read_text().strip(), self.path("err").read_text()


def test_one_asks_the_other_and_gets_its_answer(both: Delivering, tmp_path: Path) -> None:
    asking = Asking(tmp_path, "question")

    message_id = both.send(asking.write("b", "[[say=forty-two]]"))

    assert asking.wait()[:2] == ("0", "forty-two")
    both.hark.wait_reached(message_id, "completed")


def test_one_that_is_asked_and_asks_back_is_refused_at_once(both: Delivering, tmp_path: Path) -> None:
    asking, asking_back = Asking(tmp_path, "question"), Asking(tmp_path, "back")

    message_id = both.send(asking.write("b", asking_back.write("a", "are you waiting for me?")))

    code, said, error = asking_back.wait()
    assert code != "0"
    assert said == ""
    assert "ask-loop" in error or "waits for" in error
    assert asking.wait()[0] == "0"
    both.hark.wait_reached(message_id, "completed")
