"""hark's own tmux server passes on what a terminal and a program say to each other, and a user's tmux.conf wins."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from hark.terminal.tmux.configuration import own_files
from tests.integration.airlock.running import Running
from tests.integration.end_to_end.running import DEADLINE_S, HARK, RunningHark
from tests.support.terminals import wait_until

# Asks for focus reports, and at the key p sets a title and prints 24-bit colour and a passed-through sequence: tmux passes such
# a sequence on to the clients that show the pane at that moment, and draws it for none that come later. Writes down every key.
PROGRAM = r"""
import os, sys, tty
tty.setraw(0)
os.write(1, b"\x1b[?1004hREADY")
record = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
while (data := os.read(0, 1024)) != b"q":
    if b"p" in data:
        os.write(1, b"\x1b]2;a title\x1b\\\x1b[38;2;1;2;3mcoloured\x1b[0m\x1bPtmux;\x1b\x1b]9;passed\x07\x1b\\")
    os.write(record, data)
"""


@pytest.fixture
def running(hark: RunningHark) -> Iterator[Running]:
    hark.ok("ls")
    (hark.home / "program.py").write_text(PROGRAM)
    command = [HARK, "run", "-n", "here", "--", "python3", str(hark.home / "program.py"), str(hark.home / "record")]
    with Running(command, environment=hark.environment | {"COLORTERM": "truecolor"}) as terminal:
        terminal.wait_seen(b"READY")
        yield terminal


def test_colours_titles_and_foreign_sequences_reach_the_terminal(running: Running) -> None:
    running.type(b"p")

    running.wait_seen(b"\x1b[38;2;1;2;3mcoloured")
    running.wait_seen(b"a title\x07")
    running.wait_seen(b"\x1b]9;passed\x07")


def test_focus_and_escape_reach_the_program(hark: RunningHark, running: Running) -> None:
    record = hark.home / "record"
    running.wait_seen(b"\x1b[?1004h")

    running.type(b"\x1b[O")
    wait_until(lambda: b"\x1b[O" in record.read_bytes(), DEADLINE_S, "the focus to go", record.read_bytes)
    running.type(b"\x1b[I")
    wait_until(lambda: b"\x1b[I" in record.read_bytes(), DEADLINE_S, "the focus to come", record.read_bytes)
    running.type(b"\x1b")
    wait_until(lambda: record.read_bytes().endswith(b"\x1b"), DEADLINE_S, "the Escape", record.read_bytes)


OPTIONS = {
    "escape-time": "0",
    "focus-events": "on",
    "set-clipboard": "on",
    "set-titles": "on",
    "mouse": "on",
    "allow-passthrough": "on",
    "history-limit": "50000",
}


def options(hark: RunningHark) -> dict[str, str]:
    shown = (hark.tmux("show-options", "-g" + scope) for scope in ("s", "", "w"))
    return dict(line.split(" ", 1) for text in shown for line in text.splitlines() if " " in line)


def test_the_server_has_the_options_of_a_plain_terminal(hark: RunningHark) -> None:
    hark.ok("new", "-d", "--", "cat")

    assert OPTIONS.items() <= options(hark).items()


def test_a_users_own_configuration_wins(hark: RunningHark) -> None:
    mine = hark.home / "mine #{x} 'y'.conf"
    mine.write_text("set -g mouse off\nset -s escape-time 25\n")
    hark.set(tmux_config=str(mine))

    hark.ok("new", "-d", "--", "cat")

    assert (OPTIONS | {"mouse": "off", "escape-time": "25"}).items() <= options(hark).items()


def test_the_files_that_tmux_would_read_come_after_ours_each_once(tmp_path: Path) -> None:
    config = tmp_path / ".config/tmux"
    config.mkdir(parents=True)
    for file in (tmp_path / ".tmux.conf", config / "tmux.conf"):
        file.write_text("")
    environment = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / ".config")}

    ours, *theirs = own_files(None, environment)

    assert os.path.basename(ours) == "own.conf"
    theirs = [file for file in theirs if file != "/etc/tmux.conf"]
    assert theirs == [str(tmp_path / ".tmux.conf"), str(config / "tmux.conf")]
    assert own_files("/mine", environment)[1:] == ("/mine",)
