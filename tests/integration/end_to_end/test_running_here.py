"""`hark run` and what stands around an agent that hark starts: its editor, and the shell functions that start it."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.end_to_end.agents import PROGRAM, Agent
from tests.integration.end_to_end.running import DEADLINE_S, HARK, RunningHark
from tests.support.terminals import PrivateTmux, wait_until

EDITOR = str(Path(sys.executable).with_name("hark-editor"))


def test_an_agent_started_in_a_pane_of_the_humans_own_is_reached_and_gives_the_pane_back(hark: RunningHark) -> None:
    log = hark.home / "log"
    settings = {name: value for name, value in hark.environment.items() if name.startswith("HARK_")}
    with PrivateTmux() as tmux:
        pane = tmux.new("exec env PS1='shell> ' bash --norc --noprofile -i", environment=settings)
        tmux.type(pane, f"{HARK} run -n here -- {PROGRAM} --log {log}\n")
        wait_until(
            lambda: log.exists() and "ready" in log.read_text(), DEADLINE_S, "the agent", lambda: tmux.capture(pane)
        )
        assert hark.json("ls")["sessions"][0]["airlock"]
        tmux.type(pane, "half a dra")
        wait_until(lambda: "half a dra" in tmux.capture(pane), DEADLINE_S, "the draft")

        hark.wait_status(hark.ok("send", "-q", "here", "hello").strip(), "completed")

        assert "❯ half a dra" in tmux.capture(pane)
        tmux.press(pane, "C-c")
        tmux.press(pane, "C-d")
        wait_until(lambda: tmux.capture(pane).rstrip().endswith("shell>"), DEADLINE_S, "the shell to be back")
        wait_until(lambda: hark.json("ls")["sessions"] == [], DEADLINE_S, "the session to be gone")


def test_a_suspended_agent_gets_nothing_and_goes_on_where_it_was(hark: RunningHark) -> None:
    log = hark.home / "log"
    settings = {name: value for name, value in hark.environment.items() if name.startswith("HARK_")}
    with PrivateTmux() as tmux:
        pane = tmux.new("exec env PS1='shell> ' bash --norc --noprofile -i", environment=settings)
        tmux.type(pane, f"{HARK} run -n here -- {PROGRAM} --log {log}\n")
        wait_until(
            lambda: log.exists() and "ready" in log.read_text(), DEADLINE_S, "the agent", lambda: tmux.capture(pane)
        )
        tmux.type(pane, "half a dra")
        wait_until(lambda: "half a dra" in tmux.capture(pane), DEADLINE_S, "the draft")

        tmux.press(pane, "C-z")
        wait_until(lambda: tmux.capture(pane).rstrip().endswith("shell>"), DEADLINE_S, "the shell")
        message = hark.ok("send", "-q", "here", "hello").strip()
        held = hark.wait_status(message, "held", "agent-not-running")
        tmux.type(pane, "echo $((6 * 7))\n")
        wait_until(lambda: "\n42\n" in tmux.capture(pane), DEADLINE_S, "the shell's answer", lambda: tmux.capture(pane))
        tmux.type(pane, "fg\n")

        assert "fg" in held["receipts"][-1]["detail"]
        hark.wait_status(message, "completed")
        wait_until(lambda: "❯ half a dra" in tmux.capture(pane), DEADLINE_S, "the draft", lambda: tmux.capture(pane))
        assert "hello" in log.read_text()


def test_an_agent_started_in_a_pane_of_the_humans_own_is_given_hooks_for_that_run(hark: RunningHark) -> None:
    told = hark.home / "told"
    claude = write_editor(hark.home / "claude", f'{{ echo "$@"; env; }} > {told}.new; mv {told}.new {told}; sleep 60')
    settings = {name: value for name, value in hark.environment.items() if name.startswith("HARK_")}
    with PrivateTmux() as tmux:
        pane = tmux.new("exec env PS1='shell> ' MINE=kept bash --norc --noprofile -i", environment=settings)
        tmux.type(pane, f"{HARK} run -n here -- {claude} --model opus\n")
        wait_until(told.exists, DEADLINE_S, "the agent", lambda: tmux.capture(pane))

    arguments, *environment = told.read_text().splitlines()
    session = hark.json("ls", "--all")["sessions"][0]
    assert arguments == f"--settings {hark.home}/state/hooks/claude-hooks.json --model opus"
    assert {"HARK_HOOKS=1", f"HARK_SESSION={session['id']}", f"VISUAL={EDITOR}", "MINE=kept"} <= set(environment)


def test_without_a_terminal_hark_run_is_the_plain_program(hark: RunningHark) -> None:
    assert hark.ok("run", "--", "echo", "plain") == "plain\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shell_init_defines_every_agent(hark: RunningHark, shell: str) -> None:
    script = hark.ok("shell-init", shell)

    assert script.count("command hark run -- claude") == 1
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=script, text=True, check=True)


def write_editor(path: Path, body: str) -> Path:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_a_humans_own_editor_key_opens_the_humans_own_editor(hark: RunningHark) -> None:
    mine = write_editor(
        hark.home / "mine", f'printf "%s|" "$@" > {hark.home}/arguments; printf "edited by hand" > "$3"'
    )
    agent = Agent(hark, "a", environment={"EDITOR": f"{mine} -x 'two words'", "VISUAL": ""})
    agent.hark.tmux("send-keys", "-t", agent.pane, "-l", "a draft")
    agent.wait_box("a draft")

    agent.hark.tmux("send-keys", "-t", agent.pane, "C-g")

    agent.wait_box("edited by hand")
    first, second, _, _ = (hark.home / "arguments").read_text().split("|")
    assert (first, second) == ("-x", "two words")


def test_with_the_daemon_away_the_editor_is_the_humans(tmp_path: Path) -> None:
    mine = write_editor(tmp_path / "mine", 'echo "$1" > "$1"')
    file = tmp_path / "draft"
    file.write_text("a draft")
    environment = {"PATH": os.environ["PATH"], "HARK_HOME": str(tmp_path), "HARK_SESSION": "abcd1234", "EDITOR": EDITOR}

    subprocess.run([EDITOR, str(file)], env=environment | {"HARK_EDITOR": str(mine)}, check=True, timeout=DEADLINE_S)

    assert file.read_text() == f"{file}\n"
