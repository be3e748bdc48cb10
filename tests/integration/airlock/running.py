"""The airlock at work on a terminal of the test's own, with an agent that writes down what it reads, and a client."""

from __future__ import annotations

import base64
import contextlib
import fcntl
import json
import os
import pty
import select
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from hark.inside import airlock
from tests.support.terminals import clean_environment, wait_until

DEADLINE_S = 90.0
AIRLOCK = (sys.executable, "-ISE", airlock.__file__)

# The leader of a session on the given terminal, as the process of a pane is.
LEAD = """
import os, signal, sys
os.login_tty(0)
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.SIG_DFL)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])
"""

# Every read on a line of its own.
RECORD = """
import os, sys, tty
tty.setraw(0)
record = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
os.write(1, b"READY")
tail = b""
while tail != b"<quit>":
    data = os.read(0, 65536)
    os.write(record, data.hex().encode() + b"\\n")
    tail = (tail + data)[-6:]
"""

Reply = dict[str, Any]


class Client:
    def __init__(self, path: Path) -> None:
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.settimeout(DEADLINE_S)
        try:
            self.connection.connect(str(path))
        except OSError:
            self.connection.close()
            raise
        self._replies = self.connection.makefile("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._replies.close()
        self.connection.close()

    def ask(self, **request: object) -> None:
        self.send(json.dumps(request).encode() + b"\n")

    def send(self, data: bytes) -> None:
        self.connection.sendall(data)

    def hear(self) -> Reply:
        reply: Reply = json.loads(self._replies.readline())
        return reply

    def is_closed(self) -> bool:
        """By the other side; waits for it."""
        with contextlib.suppress(ConnectionError):
            return self._replies.readline() == b""
        return True

    def call(self, **request: object) -> Reply:
        self.ask(**request)
        return self.hear()

    def facts(self) -> Reply:
        return self.call(op="facts")

    def hold(self, seconds: float = 2.0, **gaps: float) -> str:
        reply = self.call(op="hold", seconds=seconds, **gaps)
        assert reply["ok"], reply
        return str(reply["hold"])

    def write(self, hold: str, data: bytes, if_output: int | None = None) -> Reply:
        return self.call(op="write", hold=hold, data=base64.b64encode(data).decode(), if_output=if_output)

    def release(self, hold: str) -> Reply:
        return self.call(op="release", hold=hold)

    def wait_facts(self, **wanted: object) -> None:
        wait_until(
            lambda: wanted.items() <= self.facts().items(), DEADLINE_S, f"the airlock to say {wanted}", self.facts
        )


class Running:
    """A command on a terminal that the test holds the other end of; ended when the block ends, whatever happens."""

    def __init__(
        self,
        command: Sequence[str],
        columns: int = 80,
        rows: int = 24,
        stderr: int | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._terminal, self.line = pty.openpty()
        self._stop, self._stopped = os.pipe()
        self._settings = termios.tcgetattr(self.line)
        self._seen = bytearray()
        self._lock = threading.Lock()
        self._may_read = threading.Event()
        self._may_read.set()
        self._is_open = True
        self.resize(columns, rows)
        self.process = subprocess.Popen(
            [sys.executable, "-ISE", "-c", LEAD, *command],
            stdin=self.line,
            stdout=self.line,
            stderr=self.line if stderr is None else stderr,
            env=clean_environment() if environment is None else dict(environment),
        )
        self._reader = threading.Thread(target=self._read, name="eyes", daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(DEADLINE_S)
        self.hang_up()

    @property
    def seen(self) -> bytes:
        with self._lock:
            return bytes(self._seen)

    @property
    def is_restored(self) -> bool:
        return termios.tcgetattr(self.line) == self._settings

    def type(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._terminal, data) :]

    def resize(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def look_away(self) -> None:
        """Nothing is read from the terminal until `look`."""
        self._may_read.clear()

    def look(self) -> None:
        self._may_read.set()

    def wait_seen(self, text: bytes) -> None:
        wait_until(lambda: text in self.seen, DEADLINE_S, f"{text!r} on the terminal", lambda: self.seen[-2000:])

    def wait_end(self) -> int:
        """The exit status, when all that was printed has been seen."""
        status = self.process.wait(DEADLINE_S)
        wait_until(self._has_seen_all, DEADLINE_S, "the terminal to be read to its end")
        return status

    def hang_up(self) -> None:
        """As a terminal window that is closed."""
        if not self._is_open:
            return
        self._is_open = False
        os.write(self._stopped, b".")
        self._may_read.set()
        self._reader.join(DEADLINE_S)
        for descriptor in (self._terminal, self.line, self._stop, self._stopped):
            os.close(descriptor)

    def _has_seen_all(self) -> bool:
        with self._lock:
            return not select.select([self._terminal], [], [], 0)[0]

    def _read(self) -> None:
        while self._stop not in select.select([self._terminal, self._stop], [], [])[0]:
            self._may_read.wait()
            with self._lock:
                if select.select([self._terminal], [], [], 0)[0]:
                    self._seen += os.read(self._terminal, 65536)


class Recorded(Running):
    """The airlock with an agent, a Python program, that prints READY and writes down each of its reads."""

    def __init__(self, agent: str = RECORD, before: Sequence[str] = AIRLOCK) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="hk", dir="/tmp"))
        self.socket = self.directory / "s"
        self.record = self.directory / "record"
        program = self.directory / "agent.py"
        program.write_text(agent)
        command = [sys.executable, "-ISE", str(program), str(self.record)]
        super().__init__([*before, "--socket", str(self.socket), "--", *command])

    def __enter__(self) -> Self:
        try:
            self.wait_seen(b"READY")
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            super().__exit__(kind, error, trace)
        finally:
            shutil.rmtree(self.directory, ignore_errors=True)

    def client(self) -> Client:
        return Client(self.socket)

    @property
    def reads(self) -> list[bytes]:
        text = self.record.read_text() if self.record.exists() else ""
        return [bytes.fromhex(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]

    @property
    def input(self) -> bytes:
        return b"".join(self.reads)

    def wait_input(self, data: bytes) -> None:
        """Exactly this has reached the agent since its start."""
        wait_until(
            lambda: len(self.input) >= len(data), DEADLINE_S, f"{data[:200]!r} at the agent", lambda: self.input[:2000]
        )
        assert self.input == data
