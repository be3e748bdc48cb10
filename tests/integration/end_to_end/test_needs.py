"""Where a human is needed: the status line, `hark next`, and a list that keeps itself up to date."""

from __future__ import annotations

import contextlib
import os
import pty
import signal
import subprocess

from tests.integration.end_to_end.agents import Agent
from tests.integration.end_to_end.running import DEADLINE_S, HARK, RunningHark
from tests.support.terminals import wait_until


def announce(hark: RunningHark, session: str, state: str, text: str = "") -> None:
    assert hark.api("POST", f"/sessions/{session}/signal", {"state": state, "text": text}).status == 200


def idle(hark: RunningHark, *names: str) -> None:
    for name in names:
        hark.ok("new", "-d", "-n", name, "--", "sleep", "600")


def shown_panes(hark: RunningHark) -> list[str]:
    """The panes that terminals show; the daemon's own connection is no terminal."""
    lines = hark.tmux("list-clients", "-F", "#{client_control_mode} #{pane_id}").splitlines()
    return [line.removeprefix("0 ") for line in lines if line.startswith("0 ")]


def test_the_session_that_has_waited_longest_is_next(hark: RunningHark) -> None:
    idle(hark, "a", "b", "c")
    nobody = hark.run("next", "--print")
    announce(hark, "b", "needs_input", "There are two.\nWhich one?")
    announce(hark, "a", "error", "no disk")
    announce(hark, "c", "working")

    found = hark.api("GET", "/needs").json

    assert (nobody.returncode, nobody.stderr) == (1, "nobody needs you\n")
    assert [(need["name"], need["why"], need["question"]) for need in found["needs"]] == [
        ("b", "input", "Which one?"),
        ("a", "error", "no disk"),
    ]
    assert hark.ok("next", "--print") == "b\n"
    assert hark.ok("status-line") == "2 need you · 1 working\n"
    assert hark.json("status-line") == found
    announce(hark, "b", "completed")
    assert hark.ok("next", "--print") == "a\n"
    hark.ok("kill", "a", "c")
    assert hark.ok("status-line") == ""


def test_a_dialog_of_an_agent_needs_a_human_and_says_what_it_asks(hark: RunningHark) -> None:
    agent = Agent(hark)
    agent.post("[[ask=make all]] go")
    wait_until(lambda: hark.session("a")["phase"] == "waiting", DEADLINE_S, "its dialog", agent.screen)

    session = hark.session("a")

    assert session["need"] == "permission"
    assert session["question"]
    assert hark.ok("status-line") == "1 needs you\n"
    assert session["question"] in hark.ok("ls")


def test_next_switches_the_terminal_that_is_in_tmux(hark: RunningHark) -> None:
    idle(hark, "a", "b")
    announce(hark, "b", "needs_input")
    hark.tmux("set-option", "-g", "default-size", "80x24")
    ours, theirs = pty.openpty()
    command = ["tmux", "-S", str(hark.tmux_socket), "attach-session", "-t", hark.session("a")["pane_id"]]
    client = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=hark.environment | {"TERM": "xterm"}
    )
    try:
        wait_until(lambda: shown_panes(hark) == [hark.session("a")["pane_id"]], DEADLINE_S, "a client")
        inside = {"TMUX": f"{hark.tmux_socket},1,0", "TMUX_PANE": hark.session("a")["pane_id"]}

        hark.ok("next", environment=inside)

        assert shown_panes(hark) == [hark.session("b")["pane_id"]]
    finally:
        client.kill()
        client.wait(DEADLINE_S)
        os.close(ours)
        os.close(theirs)


def test_a_watched_list_follows_what_happens_and_ends_with_ctrl_c(hark: RunningHark) -> None:
    idle(hark, "a")
    watching = subprocess.Popen(
        [HARK, "ls", "-w"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=hark.environment
    )
    assert watching.stdout is not None
    assert watching.stderr is not None
    os.set_blocking(watching.stdout.fileno(), False)
    seen = b""

    def has_shown(text: bytes) -> bool:
        nonlocal seen
        assert watching.stdout is not None
        seen += watching.stdout.read() or b""
        return text in seen

    try:
        wait_until(lambda: has_shown(b"COMMAND"), DEADLINE_S, "the first list")
        announce(hark, "a", "needs_input", "Which one?")
        wait_until(lambda: has_shown(b"needs_input: Which"), DEADLINE_S, "the announcement", lambda: seen)
        watching.send_signal(signal.SIGINT)

        assert watching.wait(DEADLINE_S) == 130
        assert b"\x1b" not in seen
        assert watching.stderr.read().strip() == b""
    finally:
        watching.kill()
        watching.wait(DEADLINE_S)
        watching.stdout.close()
        watching.stderr.close()


def test_a_watched_list_draws_itself_in_place_on_a_terminal(hark: RunningHark) -> None:
    idle(hark, "a")
    announce(hark, "a", "error", "x")
    ours, theirs = pty.openpty()
    os.set_blocking(ours, False)
    subprocess.run(["stty", "rows", "20", "cols", "120"], stdin=theirs, check=True)
    watching = subprocess.Popen(
        [HARK, "ls", "-w"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=hark.environment | {"TERM": "xterm", "COLUMNS": "120"},
    )
    seen = b""

    def has_shown(text: bytes) -> bool:
        nonlocal seen
        with contextlib.suppress(BlockingIOError):
            seen += os.read(ours, 65536)
        return text in seen

    try:
        wait_until(lambda: has_shown(b"error: x"), DEADLINE_S, "the list", lambda: seen)
        announce(hark, "a", "needs_testing", "try it")
        wait_until(lambda: has_shown(b"needs_testing: try it"), DEADLINE_S, "the announcement", lambda: seen)

        assert seen.startswith(b"\x1b[H\x1b[K")
    finally:
        watching.kill()
        watching.wait(DEADLINE_S)
        os.close(ours)
        os.close(theirs)
