"""A program that records every byte it gets, humans who type all the time, and what a tmux server looks like."""

import fcntl
import os
import sys
import termios
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

from hark.demo.human import Human
from hark.model.session import Pane
from hark.terminal.holds.key_hold import KeyHold
from hark.terminal.tmux.commands import Line
from hark.terminal.tmux.control import Reply
from hark.terminal.tmux.server import TmuxServer
from tests.integration.terminal.connected import pane_of, until
from tests.support.terminals import PrivateTmux, wait_until

DEADLINE_S = 90.0
AT_ONCE = float("inf")
"""As keys per second."""

PASTE_BEGIN, PASTE_END = b"\x1b[200~", b"\x1b[201~"

RECORD = """
import os, sys, tty
tty.setraw(0)
record = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
os.write(1, b"\\x1b[?2004h" + sys.argv[2].encode())
while data := os.read(0, 65536):
    os.write(record, data + sys.argv[3].encode())
"""


class Recorder:
    """In a pane of its own; it asks for bracketed pastes, as agents do."""

    def __init__(self, tmux: PrivateTmux, modes: str = "", after_each_read: str = "") -> None:
        script = tmux.directory / "record.py"
        script.write_text(RECORD)
        self._path = tmux.directory / f"record-{len(list(tmux.directory.iterdir()))}"
        words = [str(script), str(self._path), f"{modes}ready", after_each_read]
        pane_id = tmux.new([sys.executable, "-ISE", *words])
        wait_until(lambda: "ready" in tmux.capture(pane_id), DEADLINE_S, "the recorder")
        self.pane: Pane = pane_of(tmux, pane_id)

    @property
    def record(self) -> bytes:
        return self._path.read_bytes()

    async def wait_for(self, record: bytes) -> None:
        """Exactly that, and nothing after it: what comes last must be waited for."""

        async def is_there() -> bool:
            return len(self.record) >= len(record)

        await until(is_there, f"{len(record)} bytes, such as {record[-40:]!r}, after {self.record[-40:]!r}")
        assert self.record == record


class Typist:
    """Types numbers in order, so that every loss and every exchange shows, until told to stop."""

    def __init__(self, human: Human, keys_per_second: float, digits: str = "0123456789,") -> None:
        self._human = human
        self._keys_per_second = keys_per_second
        self._digits = str.maketrans("0123456789,", digits)
        self._is_told_to_stop = threading.Event()
        self.typed = ""

    @contextmanager
    def typing(self) -> Iterator[None]:
        thread = threading.Thread(target=self._type, name="typist")
        thread.start()
        try:
            yield
        finally:
            self._is_told_to_stop.set()
            thread.join()

    def _type(self) -> None:
        for number in count():
            text = f"{number},".translate(self._digits)
            for key in text:
                self._human.type(key, self._keys_per_second)
                self.typed += key
            if self._is_told_to_stop.is_set():
                return


async def begin(
    server: TmuxServer,
    pane: Pane,
    seconds: float = 20.0,
    enter_gap_s: float = 0.0,
    label: str = "",
    key_gap_s: float = 0.0,
) -> KeyHold:
    """A hold, as soon as there can be one."""
    begun: list[KeyHold] = []

    async def is_begun() -> bool:
        begun.extend(
            hold for hold in [await KeyHold.begin(server, pane, seconds, enter_gap_s, label, key_gap_s)] if hold
        )
        return bool(begun)

    await until(is_begun, "a hold")
    return begun[0]


class Interposed(TmuxServer):
    """`before` is called with each line before it is sent: what can happen between two lines happens there."""

    def __init__(self, tmux: PrivateTmux, before: Callable[[Line], None]) -> None:
        super().__init__(str(tmux.socket), lambda changed: None)
        self._before = before

    async def run(self, line: Line, deadline_s: float = 5.0) -> list[Reply]:
        self._before(line)
        return await super().run(line, deadline_s)


def wait_read(tmux: PrivateTmux) -> None:
    """Until tmux has read all that humans have typed, whatever it does with it."""
    for terminal in tmux.run("list-clients", "-F", "#{client_tty}").split():
        wait_until(lambda: unread(terminal) == 0, DEADLINE_S, f"tmux to read what was typed at {terminal}")  # noqa: B023
    # It reads and handles keys in one go, so they are handled when it answers.
    tmux.run("list-sessions")


def unread(terminal: str) -> int:
    descriptor = os.open(terminal, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        waiting = fcntl.ioctl(descriptor, termios.FIONREAD, b"\0" * 4)
    finally:
        os.close(descriptor)
    return int.from_bytes(waiting, sys.byteorder)


def state_of(tmux: PrivateTmux) -> dict[str, str]:
    """All that a hold could leave behind."""
    sessions = tmux.run("list-sessions", "-F", "#{session_id}").split()
    questions = {
        "keys": ("list-keys",),
        "server options": ("show-options", "-s"),
        "global options": ("show-options", "-g"),
        "global window options": ("show-options", "-gw"),
        "hooks": ("show-hooks", "-g"),
        "buffers": ("list-buffers",),
        "windows": ("list-windows", "-a", "-F", "#{session_id} #{window_id}"),
        "modes": ("list-panes", "-a", "-F", "#{pane_id} #{pane_in_mode}"),
        "clients": ("list-clients", "-F", "#{client_tty} #{client_key_table} #{pane_id}"),
        **{f"options of {session}": ("show-options", "-t", f"{session}:") for session in sessions},
    }
    return {what: tmux.run(*question) for what, question in questions.items()}


def differences(before: dict[str, str], after: dict[str, str]) -> dict[str, tuple[str | None, str | None]]:
    return {
        what: (before.get(what), after.get(what))
        for what in sorted(before | after)
        if before.get(what) != after.get(what)
    }
