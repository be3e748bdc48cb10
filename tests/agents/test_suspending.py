"""Ctrl-Z of real agents under `hark run`, outside tmux: the shell has its terminal, and `fg` brings the agent back."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.agents.launch import NOWHERE
from tests.agents.test_plain_calls import LAUNCHES
from tests.integration.airlock.running import Client
from tests.integration.airlock.test_job_control import Shell
from tests.integration.end_to_end.running import DEADLINE_S, HARK, RunningHark
from tests.support.terminals import wait_until

# by agent: how its box shows what was typed into it
TYPED = {"claude": "❯\u00a0abc", "codex": "› abc"}


@pytest.mark.parametrize("name", TYPED)
def test_ctrl_z_and_fg(tmp_path: Path, name: str) -> None:
    typed = TYPED[name]
    launch = LAUNCHES[name](tmp_path, NOWHERE)
    with RunningHark(native="false") as hark:
        hark.ok("ls")
        with Shell(hark.environment | launch.environment | {"TERM": "xterm-256color"}) as shell:
            shell.wait_next(b"$ ")
            shell.enter(f"cd {launch.directory} && {HARK} run -n a -- {shlex.join(launch.command)}")

            def screen() -> str:
                sessions = hark.json("ls")["sessions"]
                return hark.tmux("capture-pane", "-p", "-t", sessions[0]["pane_id"]) if sessions else ""

            wait_until(lambda: typed.rstrip("abc") in screen(), DEADLINE_S, "the box", screen)
            shell.type(b"abc")
            wait_until(lambda: typed in screen(), DEADLINE_S, "the draft", screen)

            shell.type(b"\x1a")
            shell.wait_next(b"Stopped")
            shell.wait_next(b"$ ")
            shell.enter("echo still $((40 + 2))")
            shell.wait_next(b"still 42\r\n")
            shell.enter("fg")
            shell.wait_next(b"\x1b[?1049h")
            shell.wait_next(b"abc")
            with Client(Path(hark.session("a")["airlock"])) as client:
                client.wait_facts(is_stopped=False)

            def takes_keys() -> bool:
                """Codex loses a key that comes while it takes its terminal back, so another one is typed."""
                shell.type(b"d")
                return f"{typed}d" in screen()

            wait_until(takes_keys, DEADLINE_S, "the draft and another key", screen)
