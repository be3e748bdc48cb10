"""Agents that are taught to signal, and an agent on a host where nothing of ours can be installed."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.integration.end_to_end.agents import PROGRAM
from tests.integration.end_to_end.running import DEADLINE_S, HARK, RunningHark
from tests.integration.end_to_end.test_signals import wait_signals
from tests.support.terminals import wait_until

TAUGHT = "When your status changes, announce it"


def prompts(log: Path) -> list[str]:
    lines = log.read_text().splitlines() if log.exists() else []
    events = [json.loads(line) for line in lines]
    return [event["text"] for event in events if event["event"] == "prompt"]


def wait_taught(log: Path) -> None:
    wait_until(lambda: len(prompts(log)) == 1, DEADLINE_S, "the instruction", lambda: prompts(log))
    assert TAUGHT in prompts(log)[0]
    assert prompts(log)[0].startswith("[Input from: hark via hark send")


def test_an_agent_without_instructions_for_one_run_is_told_by_its_first_message(hark: RunningHark) -> None:
    log = hark.home / "log"

    hark.ok("new", "-d", "-n", "a", "--signals", "--", PROGRAM, "--log", str(log))

    wait_taught(log)


def test_an_adopted_agent_is_told_by_a_message_and_one_that_nobody_asked_to_teach_is_not(hark: RunningHark) -> None:
    hark.ok("daemon", "start")
    logs = [hark.home / "first", hark.home / "second"]
    for name, log in zip(("one", "other"), logs, strict=True):
        hark.tmux("-f", "/dev/null", "new-session", "-d", "-s", name, PROGRAM, "--log", str(log))
        wait_until(lambda log=log: log.exists() and "ready" in log.read_text(), DEADLINE_S, "the agent")  # type: ignore[misc]

    hark.ok("adopt", "-S", str(hark.tmux_socket), "-n", "taught", "--signals", "one:0.0")
    hark.ok("adopt", "-S", str(hark.tmux_socket), "-n", "untaught", "other:0.0")

    wait_taught(logs[0])
    assert hark.json("history", "untaught")["messages"] == []


def test_an_agent_that_is_run_in_the_current_pane_is_told_too(hark: RunningHark) -> None:
    hark.ok("daemon", "start")
    log = hark.home / "log"

    hark.tmux(
        "-f", "/dev/null", "new-session", "-d", "-s", "one", HARK, "run", "--signals", "--", PROGRAM, "--log", str(log)
    )

    wait_taught(log)


@pytest.mark.parametrize("words", [("new", "-d", "--signals", "--", "sh"), ("new", "-d", "--signals", "--", "cat")])
def test_a_program_that_is_no_agent_is_told_nothing_and_not_started(hark: RunningHark, words: tuple[str, ...]) -> None:
    refusal = hark.refused(*words)

    assert (refusal.code, refusal.exit_code) == ("request-invalid", 2)
    assert "--agent" in refusal.hint
    assert hark.json("ls")["sessions"] == []


def test_a_shell_is_not_adopted_to_be_told_something(hark: RunningHark) -> None:
    hark.ok("daemon", "start")
    hark.tmux("-f", "/dev/null", "new-session", "-d", "-s", "one", "cat")

    assert hark.refused("adopt", "-S", str(hark.tmux_socket), "--signals", "one:0.0").code == "request-invalid"
    assert hark.json("ls")["sessions"] == []


def test_an_agent_behind_ssh_is_heard_by_its_screen_and_gets_messages(hark: RunningHark) -> None:
    ssh, log = hark.home / "ssh", hark.home / "log"
    ssh.write_text(
        f"#!{sys.executable}\n"
        "import os, sys\n"
        "from hark.cli.signals.inner_terminal import Between\n"
        "for name in [name for name in os.environ if name.startswith(('HARK_', 'TMUX', 'EDITOR', 'VISUAL'))]:\n"
        "    del os.environ[name]\n"
        "far = Between(lambda _: None, lambda _: None, lambda: None, 1.0, is_shown=True)\n"
        "sys.exit(far.run(sys.argv[3:]))\n"
    )
    ssh.chmod(0o700)

    hark.ok("new", "-d", "-n", "far", "--agent", "demo", "--", str(ssh), "-t", "HOST", PROGRAM, "--log", str(log))
    wait_until(lambda: log.exists() and "ready" in log.read_text(), DEADLINE_S, "the far agent")
    message = hark.ok("send", "-q", "--wait", "submitted", "far", "[[say=--<[hark:completed:from far]>--]]").strip()

    wait_signals(hark, ("completed", "from far"))
    assert hark.session("far")["signal_source"] == "terminal"
    assert message in prompts(log)[0]
    hark.tmux("resize-window", "-t", hark.session("far")["pane_id"], "-x", "70", "-y", "20")
    hark.ok("send", "-q", "--wait", "submitted", "far", "[[say=--<[hark:error:second]>--]]")
    wait_signals(hark, ("completed", "from far"), ("error", "second"))
