"""hark watch: hears signals in the output of any command, such as a terminal on a host where nothing of ours can be installed."""

import os
import pty
import select
import subprocess
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import ioctl
from time import monotonic
from typing import TYPE_CHECKING

import click

from hark.cli.client import Client, segment
from hark.cli.text import say

if TYPE_CHECKING:
    from hark.signals.marker import Found

CHUNK = 65536


@click.command(context_settings={"allow_interspersed_args": False})
@click.option("-n", "--name", metavar="NAME", help="The session that the signals are announced for.")
@click.option("-q", "--quiet", is_flag=True, help="Do not show the output.")
@click.argument("words", metavar="CMD…", nargs=-1, required=True, type=click.UNPROCESSED)
def command(name: str | None, quiet: bool, words: tuple[str, ...]) -> int:
    """Run CMD on a terminal of its own, pass on what it shows and what is typed, and hear what is announced in its output.

    With -n, or inside a session, the signals are that session's; otherwise each is printed on stderr. Ends with CMD's own exit code.

    \b
    Example:
      hark watch -n far -- ssh HOST tmux attach
      hark watch -q -- ./run-agent.sh
    """
    teller = Teller(name or os.environ.get("HARK_SESSION"))
    return watch(list(words), teller, is_quiet=quiet)


class Teller:
    """Tells each signal once. What a program draws, it may draw again: then the same words count once until the next Enter."""

    def __init__(self, session: str | None) -> None:
        self._session = session
        self._client = Client() if session else None
        self._told: set[str] = set()
        self.is_drawn = False

    def typed(self, data: bytes) -> None:
        if b"\r" in data or b"\n" in data:
            self._told.clear()

    def tell(self, found: "list[Found]") -> None:
        from hark.signals.marker import Marker

        for one in found:
            if isinstance(one, Marker) and not (self.is_drawn and one.fingerprint in self._told):
                self._told.add(one.fingerprint)
                self._announce(str(one.state), one.text)

    def _announce(self, state: str, text: str) -> None:
        if self._client and self._session:
            self._client.post(f"/sessions/{segment(self._session)}/signal", {"state": state, "text": text})
        else:
            say(f"hark: signal {state}: {text}")


def watch(words: list[str], teller: Teller, *, is_quiet: bool) -> int:
    from hark.signals.detector import DRAWS, FLUSH_S, SignalDetector

    detector = SignalDetector()
    ours, theirs = pty.openpty()
    _copy_size(theirs)
    process = subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
    os.close(theirs)
    inputs, last_s, is_flushed = [ours, *([0] if sys.stdin.isatty() else [])], monotonic(), True
    with _raw_terminal():
        while True:
            wait_s = None if is_flushed else max(0.0, last_s + FLUSH_S - monotonic())
            ready, _, _ = select.select(inputs, [], [], wait_s)
            if not ready:
                teller.tell(detector.flush())
                is_flushed = True
            if 0 in ready:
                typed = os.read(0, CHUNK)
                teller.typed(typed)
                os.write(ours, typed)
            if ours in ready:
                data = _read(ours)
                if not data:
                    break
                if not is_quiet:
                    _write(data)
                teller.is_drawn = teller.is_drawn or DRAWS.search(data) is not None
                teller.tell(detector.feed(data))
                last_s, is_flushed = monotonic(), False
    teller.tell(detector.flush())
    os.close(ours)
    return process.wait()


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, CHUNK)
    except OSError:
        return b""


def _write(data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(1, view) :]


def _copy_size(descriptor: int) -> None:
    try:
        size = ioctl(1, termios.TIOCGWINSZ, b"\0" * 8)
    except OSError:
        size = b"\x18\0\x50\0\0\0\0\0"
    ioctl(descriptor, termios.TIOCSWINSZ, size)


@contextmanager
def _raw_terminal() -> Iterator[None]:
    if not sys.stdin.isatty():
        yield
        return
    before = termios.tcgetattr(0)
    try:
        tty.setraw(0)
        yield
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, before)
