"""The command `hark-demo-agent` from outside: options, quitting, and what it says when it cannot run."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import termios
import threading
from pathlib import Path

import pytest

from tests.integration.demo.running import DEADLINE_S, PROGRAM, RunningAgent
from tests.support.terminals import PrivateTmux, clean_environment, wait_until


@pytest.mark.parametrize(("key", "reason"), [("C-c", "ctrl-c"), ("C-d", "ctrl-d")])
def test_it_quits_on_an_empty_box(agent: RunningAgent, key: str, reason: str) -> None:
    agent.press(key)

    assert agent.wait_ended() == 0
    assert agent.wait_event("quit")["reason"] == reason


def test_ctrl_d_in_a_draft_deletes_forward(agent: RunningAgent) -> None:
    agent.type("draft")
    agent.press("Left", "C-d")

    agent.wait_box("draf")
    assert agent.named("quit") == []


def test_quitting_leaves_the_transcript_and_takes_the_box_away(agent: RunningAgent) -> None:
    agent.submit("hello")
    agent.wait_event("stopped")

    agent.press("C-d")

    agent.wait_ended()
    screen = agent.tmux.capture(agent.pane, history=True)
    assert "> hello\n● received 5 characters\n" in screen
    assert "─" not in screen


def test_it_quits_in_the_middle_of_a_turn(agent: RunningAgent) -> None:
    agent.submit("[[busy=600]]")
    agent.wait_event("prompt")

    agent.press("C-d")

    assert agent.wait_ended() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("options", [[], ["--ask-at-start", "ls"]], ids=["box", "dialog"])
def test_a_signal_quits_and_restores_the_terminal(tmp_path: Path, number: signal.Signals, options: list[str]) -> None:
    log = tmp_path / "log"
    terminal, line = pty.openpty()
    before = termios.tcgetattr(line)
    shown = bytearray()
    agent = subprocess.Popen(
        [PROGRAM, "--log", str(log), *options], stdin=line, stdout=line, stderr=line, env=clean_environment()
    )
    reader = threading.Thread(target=read_all, args=(terminal, shown), daemon=True)
    reader.start()
    try:
        wait_until(lambda: log.exists() and "ready" in log.read_text(), DEADLINE_S, "the agent to be ready")
        assert termios.tcgetattr(line) != before

        agent.send_signal(number)

        assert agent.wait(DEADLINE_S) == 0
        assert termios.tcgetattr(line) == before
        assert number.name in log.read_text()
    finally:
        agent.kill()
        agent.wait()
        os.close(line)
        reader.join(DEADLINE_S)
        os.close(terminal)
    assert shown.rindex(b"\x1b[?2004l") > shown.rindex(b"\x1b[?2004h")


def read_all(terminal: int, into: bytearray) -> None:
    try:
        while chunk := os.read(terminal, 65536):
            into += chunk
    except OSError:
        return  # the last writer has closed the line


def test_the_record_can_be_named_by_the_environment(tmux: PrivateTmux, tmp_path: Path) -> None:
    log = tmp_path / "record"

    tmux.new([PROGRAM], environment={"HARK_DEMO_LOG": str(log)})

    wait_until(lambda: log.exists() and "ready" in log.read_text(), DEADLINE_S, "a record")


def test_help_names_every_option_key_directive_and_event() -> None:
    finished = subprocess.run([PROGRAM, "--help"], capture_output=True, encoding="utf-8", check=True)

    for word in (
        *("--log", "--busy", "--collapse", "--newlines-after-paste", "--ask-at-start", "--no-hooks"),
        *("Ctrl-J", "Alt-Enter", "Ctrl-S", "Ctrl-G", "Escape", "Ctrl-C", "Ctrl-D"),
        *("[[busy=", "[[ask=", "[[ask-after=", "[[say="),
        *("ready", "prompt", "queued", "asked", "approved", "denied", "interrupted", "stopped", "editor", "quit"),
        *("prompt-submitted", "permission-asked", "permission-answered"),
        *("HARK_DEMO_LOG", "HARK_SESSION", "HARK_HOOK_COMMAND", "VISUAL"),
    ):
        assert word in finished.stdout


def test_without_a_terminal_it_says_what_to_do() -> None:
    finished = subprocess.run([PROGRAM], stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", check=False)

    assert finished.returncode == 1
    assert "not a terminal" in finished.stderr
    assert "hint:" in finished.stderr


def test_without_prompt_toolkit_it_says_what_to_install() -> None:
    script = "import sys; sys.modules['prompt_toolkit'] = None; from hark.demo.agent import main; sys.exit(main(['--busy', '1']))"

    finished = subprocess.run([sys.executable, "-c", script], capture_output=True, encoding="utf-8", check=False)

    assert finished.returncode == 1
    assert "pip install 'hark[demo]'" in finished.stderr
    assert "Traceback" not in finished.stderr
