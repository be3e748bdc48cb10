"""Runs a command on a terminal of its own. This process stands between the command and the person: it passes on what the command
shows and what the person types.

A child process leads a session with the new terminal and starts the command in it, as a shell does, so Ctrl-C, Ctrl-Z and the
jobs of a shell work there as in any terminal. When the command stops, this process stops, so that the shell that started this
process has its terminal back; when this process is continued, it continues the command. Nothing that happens here ends the
command, not even that nobody sees its output any more.
"""

import contextlib
import os
import pty
import select
import signal
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fcntl import ioctl
from time import monotonic
from types import FrameType
from typing import Any, NoReturn

from hark.cli.text import say

CHUNK = 65536
LAST_WORDS_S = 0.2
"""How long to wait for more output when the command has ended, but a program that the command started keeps the terminal open."""
_PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_STOPPING = (signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU)
_NO_SIZE = b"\x18\0\x50\0\0\0\0\0"
"""The window size to use if no terminal tells its own: 24 rows of 80 columns."""


class Between:
    """Passes bytes between a command and a person. `on_output` gets what the command shows, `on_typed` gets what the person types, and
    `on_quiet` is called once when the command has shown nothing more for `quiet_s`."""

    def __init__(
        self,
        on_output: Callable[[bytes], None],
        on_typed: Callable[[bytes], None],
        on_quiet: Callable[[], None],
        quiet_s: float,
        *,
        is_shown: bool,
    ) -> None:
        self._on_output = on_output
        self._on_typed = on_typed
        self._on_quiet = on_quiet
        self._quiet_s = quiet_s
        self._is_shown = is_shown
        self._typed = b""
        """The typed bytes that are not written to the command's terminal yet."""
        self._status: int | None = None
        self._before: list[Any] | None = None
        """The settings of the person's terminal before raw mode; None while raw mode is off."""

    def run(self, words: list[str]) -> int:
        """Run the command and return its exit code; 128 plus the signal's number if a signal ended the command."""
        self._pid, self._ours = pty.fork()
        if self._pid == 0:
            _lead(words)
        with _woken_by_signals() as self._woken:
            self._copy_size()
            self._take_signals()
            os.set_blocking(self._ours, False)
            self._has_person = os.isatty(0)
            self._set_raw()
            try:
                self._pass_on()
            finally:
                self._restore()
                os.close(self._ours)
        while self._status is None:
            self._look_after(0)
        return (
            os.waitstatus_to_exitcode(self._status) if os.WIFEXITED(self._status) else 128 + os.WTERMSIG(self._status)
        )

    def _pass_on(self) -> None:
        last_s, is_quiet, ended_s = monotonic(), True, float("inf")
        while True:
            now_s = monotonic()
            until_s = min(float("inf") if is_quiet else last_s + self._quiet_s, ended_s + LAST_WORDS_S)
            inputs = [self._ours, self._woken, *([0] if self._has_person else [])]
            outputs = [self._ours] if self._typed else []
            wait_s = None if until_s == float("inf") else max(0.0, until_s - now_s)
            ready, writable, _ = select.select(inputs, outputs, [], wait_s)
            if self._woken in ready:
                _drain(self._woken)
                self._look_after(os.WNOHANG)
                ended_s = monotonic() if self._status is not None and ended_s == float("inf") else ended_s
            if 0 in ready:
                self._read_typed()
            if writable:
                self._write_typed()
            if self._ours in ready:
                data = _read(self._ours)
                if data == b"":
                    return
                if data:
                    self._show(data)
                    self._on_output(data)
                    last_s, is_quiet = monotonic(), False
            elif not is_quiet and monotonic() >= last_s + self._quiet_s:
                self._on_quiet()
                is_quiet = True
            if self._ours not in ready and monotonic() >= ended_s + LAST_WORDS_S:
                return

    def _read_typed(self) -> None:
        data = _read(0)
        if data == b"":
            self._has_person = False
        elif data:
            self._on_typed(data)
            self._typed += data

    def _write_typed(self) -> None:
        with contextlib.suppress(BlockingIOError):
            try:
                self._typed = self._typed[os.write(self._ours, self._typed) :]
            except BlockingIOError:
                raise
            except OSError:
                self._typed = b""

    def _show(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view and self._is_shown:
                view = view[os.write(1, view) :]
        except OSError:
            self._is_shown = False

    def _look_after(self, options: int) -> None:
        """Ask how the command is, with the given options of waitpid: note its end, and stop this process if the command has stopped."""
        if self._status is not None:
            return
        try:
            pid, status = os.waitpid(self._pid, options | os.WUNTRACED)
        except ChildProcessError:
            self._status = 0
            return
        if pid and os.WIFSTOPPED(status):
            self._stop()
        elif pid:
            self._status = status

    def _stop(self) -> None:
        if not self._has_person:
            return
        self._restore()
        # If no shell could continue this process, the kernel ignores this signal, and the command goes on at once.
        signal.raise_signal(signal.SIGTSTP)
        self._set_raw()
        self._copy_size()
        os.kill(self._pid, signal.SIGCONT)

    def _take_signals(self) -> None:
        signal.signal(signal.SIGWINCH, lambda *_: self._copy_size())
        # Without a handler nothing wakes this process when the command ends or stops.
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in _PASSED_ON:
            signal.signal(number, self._pass_on_signal)

    def _pass_on_signal(self, number: int, _: FrameType | None) -> None:
        self._signal_command(signal.Signals(number))

    def _signal_command(self, number: signal.Signals) -> None:
        """Send a signal to the process group in the foreground of the command's terminal. The child process that leads the session ends
        only when its command ends."""
        with contextlib.suppress(OSError):
            os.killpg(os.tcgetpgrp(self._ours), number)

    def _copy_size(self) -> None:
        with contextlib.suppress(OSError):
            ioctl(self._ours, termios.TIOCSWINSZ, _person_size())

    def _set_raw(self) -> None:
        if self._has_person:
            with contextlib.suppress(termios.error):
                self._before = termios.tcgetattr(0)
                # TCSANOW keeps what the person has typed before.
                tty.setraw(0, termios.TCSANOW)

    def _restore(self) -> None:
        if self._before is not None:
            with contextlib.suppress(termios.error):
                termios.tcsetattr(0, termios.TCSADRAIN, self._before)
            self._before = None


def _lead(words: list[str]) -> NoReturn:
    """Start the command in the foreground of the new terminal, stop when it stops, and end as it ends."""
    command = os.fork()
    if command == 0:
        _become(words)
    for number in (*_PASSED_ON, *_STOPPING):
        signal.signal(number, signal.SIG_IGN)
    # The kernel reports the end of a terminal only to the process that leads the session, which passes it on here.
    signal.signal(signal.SIGHUP, lambda *_: os.killpg(command, signal.SIGHUP))
    while True:
        _take_foreground(command)
        _, status = os.waitpid(command, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
        os.kill(os.getpid(), signal.SIGSTOP)
        _take_foreground(command)
        os.killpg(command, signal.SIGCONT)


def _become(words: list[str]) -> NoReturn:
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    _take_foreground(os.getpid())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    try:
        os.execvp(words[0], words)
    except OSError as failure:
        say(f"hark watch: {words[0]}: {failure.strerror}")
        os._exit(127 if isinstance(failure, FileNotFoundError) else 126)


def _take_foreground(group: int) -> None:
    """Put the process group into the foreground of the terminal. Both the command and the process that leads the session call this,
    because either may come first. An error means that the command has ended already, and is ignored."""
    with contextlib.suppress(OSError):
        os.setpgid(group, group)
    with contextlib.suppress(OSError):
        os.tcsetpgrp(0, group)


def _person_size() -> bytes:
    for descriptor in (1, 0, 2):
        with contextlib.suppress(OSError):
            return ioctl(descriptor, termios.TIOCGWINSZ, b"\0" * 8)
    return _NO_SIZE


@contextmanager
def _woken_by_signals() -> Iterator[int]:
    """Yield a descriptor that becomes readable when a signal has come; restore the signal handlers afterwards."""
    read_end, write_end = os.pipe()
    for descriptor in (read_end, write_end):
        os.set_blocking(descriptor, False)
    before = signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGWINCH, signal.SIGCHLD, *_PASSED_ON)}
    try:
        yield read_end
    finally:
        signal.set_wakeup_fd(before)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        os.close(read_end)
        os.close(write_end)


def _read(descriptor: int) -> bytes | None:
    """Read what is there: return b"" at the end of the input, None if there is nothing to read now."""
    try:
        return os.read(descriptor, CHUNK)
    except BlockingIOError:
        return None
    except OSError:
        return b""


def _drain(descriptor: int) -> None:
    with contextlib.suppress(BlockingIOError):
        while os.read(descriptor, CHUNK):
            pass
