"""A scripted human at a real tmux client.

Keys that tmux's own `send-keys` writes do not pass through a client, so they show nothing about a human who types into the
pane: they have no client activity, no key tables and no pauses. This human sits at a terminal of its own, attached with
`tmux attach`, and writes to that terminal what a keyboard would send, one key at a time.
"""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import string
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

KEPT_BYTES = 64 * 1024
POLL_INTERVAL_S = 0.02
COMMAND_DEADLINE_S = 10.0
CLOSE_DEADLINE_S = 2.0

KEYS = {
    "Enter": b"\r",
    "Escape": b"\x1b",
    "Up": b"\x1b[A",
    "Down": b"\x1b[B",
    "Right": b"\x1b[C",
    "Left": b"\x1b[D",
    "Home": b"\x1b[H",
    "End": b"\x1b[F",
    "Backspace": b"\x7f",
    "Delete": b"\x1b[3~",
    "Tab": b"\t",
    "M-Enter": b"\x1b\r",
    **{f"C-{letter}": bytes([number]) for number, letter in enumerate(string.ascii_lowercase, start=1)},
}


class Human:
    def __init__(self, socket: str | Path, target: str, columns: int = 80, rows: int = 24) -> None:
        self._tmux = ("tmux", "-u", "-S", str(socket))
        self._target = target
        self._size = (columns, rows)
        self._seen = bytearray()
        self._lock = threading.Lock()
        self._is_closed = False

    def __enter__(self) -> Self:
        self._terminal, line = pty.openpty()
        self._line_name = os.ttyname(line)
        self._set_size(*self._size)
        try:
            # A process session of its own keeps the signals of the terminal in which this program runs away from the client.
            self._client = subprocess.Popen(
                [*self._tmux, "attach", "-t", self._target],
                stdin=line,
                stdout=line,
                stderr=line,
                env=clean_environment(),
                start_new_session=True,
            )
        except BaseException:
            os.close(self._terminal)
            raise
        finally:
            os.close(line)
        self._reader = threading.Thread(target=self._read, name="human-eyes", daemon=True)
        self._reader.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def seen(self) -> bytes:
        """The last 64 KB that the terminal has shown, including escape sequences."""
        with self._lock:
            return bytes(self._seen)

    def type(self, text: str, keys_per_second: float = 10) -> None:
        """Type a text with one key per write, and a human's pause after each key."""
        for character in text:
            self._write(KEYS["Enter"] if character == "\n" else character.encode())
            time.sleep(1 / keys_per_second)

    def press(self, name: str) -> None:
        self._write(KEYS[name])

    def paste(self, text: str) -> None:
        """Send a paste as a terminal does: in brackets, with carriage returns as line ends."""
        self._write(b"\x1b[200~" + text.replace("\n", "\r").encode() + b"\x1b[201~")

    def resize(self, columns: int, rows: int) -> None:
        self._set_size(columns, rows)
        # The terminal is no process's controlling terminal (making it one would need a fork while threads run), so the kernel sends
        # SIGWINCH to nobody.
        self._client.send_signal(signal.SIGWINCH)

    def wait_attached(self, deadline_s: float = 10.0) -> None:
        """Wait until tmux lists this client; raise TimeoutError if it does not within the deadline."""
        if not wait_for(self._is_listed, deadline_s):
            shown = self.seen.decode(errors="replace").strip()
            raise TimeoutError(f"tmux listed no client on {self._line_name} within {deadline_s} s; it shows: {shown}")

    def close(self) -> None:
        """Detach the client, and kill it if it does not end. The tmux session stays. A second call does nothing."""
        if self._is_closed:
            return
        self._is_closed = True
        self._client.send_signal(signal.SIGHUP)
        try:
            self._client.wait(CLOSE_DEADLINE_S)
        except subprocess.TimeoutExpired:
            self._client.kill()
            self._client.wait()
        self._reader.join(CLOSE_DEADLINE_S)
        os.close(self._terminal)

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def _is_listed(self) -> bool:
        listed = subprocess.run(
            [*self._tmux, "list-clients", "-F", "#{client_tty}"],
            capture_output=True,
            text=True,
            env=clean_environment(),
            timeout=COMMAND_DEADLINE_S,
            check=False,
        )
        return self._line_name in listed.stdout.split()

    def _write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._terminal, data) :]

    def _read(self) -> None:
        # The read fails with EIO once the client has closed the other end, and so ends this thread.
        with suppress(OSError):
            while chunk := os.read(self._terminal, 65536):
                with self._lock:
                    self._seen += chunk
                    del self._seen[:-KEPT_BYTES]


def clean_environment() -> dict[str, str]:
    """Return this process's environment without TMUX variables, or tmux would take the client for one inside another, and with a fixed
    TERM and locale."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TMUX", "LC_"))}
    return {**kept, "TERM": "xterm-256color", "LANG": "C.UTF-8"}


def wait_for(condition: Callable[[], bool], deadline_s: float) -> bool:
    ends_at = time.monotonic() + deadline_s
    while not condition():
        if time.monotonic() > ends_at:
            return False
        time.sleep(POLL_INTERVAL_S)
    return True
