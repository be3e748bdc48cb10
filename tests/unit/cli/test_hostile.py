"""No command lets anything through to the terminal that agents, senders or files control: every command of the registry is called
with hostile arguments, and every answer of the daemon is hostile."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from hark.cli.main import cli
from tests.unit.cli.hostile_daemon import HOSTILE

HARK = str(Path(sys.executable).with_name("hark"))
DEADLINE_S = 60.0
ARGUMENT = HOSTILE.replace("\x00", "")
DRIVING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
OWN_COLOURS = re.compile(r"\x1b\[(?:0|3[0-7]|90)m")

INSTEAD = {
    "serve": ["-o", f"{ARGUMENT}=1"],
    "remind": ["5m", "--to", ARGUMENT, ARGUMENT],
    "wake": ["5m", "--to", ARGUMENT, ARGUMENT],
    "send": [ARGUMENT, "text"],
    "watch": ["--", "true"],
    "spawn": ["--agent", ARGUMENT, "text"],
}
"""Where plain hostile words would be refused before anything is printed."""
ENDLESS = {"logs"}
"""Follow a file, not the daemon: nobody ends them. They print what they print without --follow."""
HANDS_OVER = {"new", "attach", "run", "watch", "mcp", "serve"}
"""Give their terminal to another program, or are none for a terminal."""


def commands() -> list[tuple[str, ...]]:
    """Every command of the registry, also those of groups."""
    context = click.Context(cli)
    found: list[tuple[str, ...]] = []
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        found += [(name, one) for one in command.commands] if isinstance(command, click.Group) else [(name,)]
    return found


def options_of(path: tuple[str, ...]) -> tuple[click.Command, list[str]]:
    command: click.Command = cli
    for name in path:
        assert isinstance(command, click.Group)
        found = command.get_command(click.Context(command), name)
        assert found is not None
        command = found
    return command, [option for param in command.params for option in param.opts if isinstance(param, click.Option)]


def calls(path: tuple[str, ...]) -> list[list[str]]:
    """With its arguments alone, with each of its flags that a command may have, and with nothing but hostile words."""
    command, options = options_of(path)
    words = [
        choice if isinstance(param.type, click.Choice) and (choice := param.type.choices[0]) else ARGUMENT
        for param in command.params
        if isinstance(param, click.Argument)
    ]
    plain = INSTEAD.get(path[-1], words)
    ends = () if path[0] in ENDLESS else ("--follow",)
    flags = [[flag] for flag in ("--json", *ends, "--all") if flag in options]
    flags += [["--follow", "--json"]] if ends and {"--follow", "--json"} <= set(options) else []
    variants = [[*path, *flag, *plain] for flag in ([], *flags)]
    return [*variants, [*path, *words]] if plain != words and path[0] not in HANDS_OVER else variants


CALLS = {" ".join(word if word.isascii() and word.isprintable() else "HOSTILE" for word in call): call for path in commands() for call in calls(path)}  # fmt: skip


class HostileHome:
    def __init__(self, *options: str) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="hk", dir="/tmp"))
        (self.home / "run").mkdir(mode=0o700)
        (self.home / "state").mkdir(mode=0o700)
        log = {"at": HOSTILE, "level": HOSTILE, "message": HOSTILE, HOSTILE: HOSTILE}
        lines = [json.dumps(log), json.dumps(log, ensure_ascii=False), HOSTILE.replace("\n", ""), "{"]
        (self.home / "state/hark.log").write_text("\n".join(lines) + "\n")
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("HARK_", "TMUX", "XDG_", "LC_", "NO_COLOR"))}
        self.environment = kept | {
            "HARK_HOME": str(self.home),
            "HOME": str(self.home),
            "HARK_NO_AUTOSTART": "1",
            "HARK_SESSION": ARGUMENT,
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
        }
        program = [sys.executable, "-m", "tests.unit.cli.hostile_daemon", str(self.home / "run/hark.sock"), *options]
        self._daemon = subprocess.Popen(program, stdout=subprocess.PIPE)
        assert self._daemon.stdout is not None
        assert self._daemon.stdout.readline() == b"ready\n"

    def close(self) -> None:
        self._daemon.kill()
        self._daemon.communicate(timeout=DEADLINE_S)
        shutil.rmtree(self.home)

    def run(self, call: list[str], **environment: str) -> tuple[bytes, bytes]:
        done = subprocess.run(
            [HARK, *call],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=self.environment | environment,
            timeout=DEADLINE_S,
            check=False,
        )
        return done.stdout, done.stderr

    def run_in_terminal(self, call: list[str], **environment: str) -> str:
        """Both, as a terminal gets them."""
        ours, theirs = pty.openpty()
        try:
            program = subprocess.Popen(
                [HARK, *call],
                stdin=subprocess.DEVNULL,
                stdout=theirs,
                stderr=theirs,
                env=self.environment | environment,
            )
            os.close(theirs)
            received = b""
            while piece := _read(ours):
                received += piece
            program.wait(DEADLINE_S)
            return received.decode().replace("\r\n", "\n")
        finally:
            os.close(ours)


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:
        return b""


@pytest.fixture(scope="module")
def hostile() -> Iterator[HostileHome]:
    home = HostileHome()
    yield home
    home.close()


@pytest.fixture(scope="module")
def refusing() -> Iterator[HostileHome]:
    home = HostileHome("refusing")
    yield home
    home.close()


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_nothing_that_drives_a_terminal_is_printed(hostile: HostileHome, call: list[str]) -> None:
    out, err = hostile.run(call)

    for printed in (out.decode(), err.decode()):
        assert not (hit := DRIVING.search(printed)), (hit, printed)
    assert b"unexpected" not in err
    if "--json" in call and out:
        documents = [out] if "--follow" not in call and call[0] not in ("events", "logs") else out.splitlines()
        for document in documents:
            if call[0] != "logs":
                json.loads(document)


@pytest.mark.parametrize("path", commands(), ids=" ".join)
def test_nor_are_the_daemons_errors(refusing: HostileHome, path: tuple[str, ...]) -> None:
    out, err = refusing.run(calls(path)[0])

    assert not DRIVING.search(out.decode())
    assert not DRIVING.search(err.decode())


IN_TERMINALS = [path for path in commands() if path[0] not in HANDS_OVER]


@pytest.mark.parametrize("path", IN_TERMINALS, ids=" ".join)
def test_a_terminal_gets_harks_own_colours_and_no_others(hostile: HostileHome, path: tuple[str, ...]) -> None:
    printed = hostile.run_in_terminal(calls(path)[0])

    assert not DRIVING.search(OWN_COLOURS.sub("", printed)), printed
    # The colour in the hostile text is none of ours.
    assert "x\x1b[31m" not in printed


@pytest.mark.parametrize("path", [("ls",), ("queue",), ("show",), ("history",), ("doctor",)], ids=" ".join)
def test_who_wants_no_colour_gets_none(hostile: HostileHome, path: tuple[str, ...]) -> None:
    call = calls(path)[0]

    assert "\x1b" not in hostile.run_in_terminal(call, NO_COLOR="1")
    assert "\x1b" not in hostile.run_in_terminal(call, TERM="dumb")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
@pytest.mark.parametrize("name", ["ls", "ls --json", "show HOSTILE", "inbox", "events --json", "queue HOSTILE"])
def test_a_terminal_that_is_not_unicode_gets_what_it_can_carry(hostile: HostileHome, encoding: str, name: str) -> None:
    out, err = hostile.run(CALLS[name], PYTHONIOENCODING=encoding, PYTHONUTF8="0")

    assert b"unexpected" not in err
    assert not DRIVING.search(out.decode(encoding) + err.decode(encoding))
    if "--json" in name:
        assert "漢" in json.dumps([json.loads(one) for one in ([out] if name[0] == "l" else out.splitlines())], ensure_ascii=False)  # fmt: skip


def test_one_printer_prints_everything() -> None:
    """A second one would have to know all this too."""
    others = {
        path.name
        for path in Path("src/hark/cli").rglob("*.py")
        for line in path.read_text().splitlines()
        if re.search(r"\bprint\(|click\.s?echo\(|sys\.std(out|err)\.(write|buffer)", line) and path.name != "text.py"
    }

    # hark run gives back the last words of the program that had this very terminal, with their colours.
    assert others <= {"main.py", "outside_tmux.py"}, "print with hark.cli.text: show, say, print_json"
