"""A tmux server of a test's own, and waiting with a deadline.

Real terminals are asynchronous: a test acts, then waits for what must follow. `wait_until` is the only wait, and it says
what it waited for and what it saw last. A `PrivateTmux` never meets the user's server: own socket, no configuration,
an environment without `TMUX`, gone with its panes and its directory when the block ends.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

Value = TypeVar("Value")

POLL_INTERVAL_S = 0.02
COMMAND_DEADLINE_S = 20.0


def wait_until(
    condition: Callable[[], Value], deadline_s: float, what: str, seen: Callable[[], object] | None = None
) -> Value:
    """The first truthy value of `condition`.

    When the deadline has passed: an AssertionError with the last value, or with what `seen` says, such as the screen.
    """
    ends_at = time.monotonic() + deadline_s
    while not (value := condition()):
        if time.monotonic() > ends_at:
            raise AssertionError(f"waited {deadline_s} s for {what}; last seen:\n{seen() if seen else value}")
        time.sleep(POLL_INTERVAL_S)
    return value


def clean_environment() -> dict[str, str]:
    """This process's environment without what would lead a program to the user's tmux, hark or agent settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TMUX", "HARK_", "LC_"))}
    return {**kept, "LANG": "C.UTF-8", "TERM": "xterm-256color"}


class PrivateTmux:
    def __init__(self) -> None:
        # A socket path has room for about 100 bytes, which pytest's own temporary directories can exceed.
        self.directory = Path(tempfile.mkdtemp(prefix="hk", dir="/tmp"))
        self.socket = self.directory / "s"

    def __enter__(self) -> Self:
        try:
            # A pane stays after its program has ended, so that a test can read its last screen and exit status.
            self.run("start-server", ";", "set", "-g", "exit-empty", "off", ";", "set", "-g", "remain-on-exit", "on")
        except BaseException:
            self.kill()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def run(self, *arguments: str, stdin: str | None = None) -> str:
        finished = self._call(arguments, stdin)
        if finished.returncode != 0:
            raise AssertionError(f"tmux {' '.join(arguments)}: {finished.stderr.strip()}")
        return finished.stdout

    def new(
        self,
        command: str | Sequence[str],
        columns: int = 80,
        rows: int = 24,
        environment: Mapping[str, str] | None = None,
    ) -> str:
        """A new session that runs `command` (a string for the shell, or the words themselves); answers its pane id."""
        words = [command] if isinstance(command, str) else list(command)
        settings = [word for name, value in (environment or {}).items() for word in ("-e", f"{name}={value}")]
        size = ("-x", str(columns), "-y", str(rows))
        return self.run("new-session", "-d", "-P", "-F", "#{pane_id}", *size, *settings, *words).strip()

    def capture(self, pane: str, history: bool = False) -> str:
        """The pane's screen as text, one line a row; with `history` all that has scrolled away comes before it."""
        return self.run("capture-pane", "-p", *(("-S", "-") if history else ()), "-t", pane)

    def read(self, pane: str, template: str) -> str:
        """A tmux format, such as `#{cursor_x}`, filled in for the pane."""
        return self.run("display-message", "-p", "-t", pane, template).rstrip("\n")

    def press(self, pane: str, *keys: str) -> None:
        """Keys by tmux's names (`Enter`, `C-s`, `M-Enter`); anything that is not a name is typed."""
        self.run("send-keys", "-t", pane, *keys)

    def type(self, pane: str, text: str) -> None:
        self.run("send-keys", "-l", "-t", pane, "--", text)

    def paste(self, pane: str, text: str) -> None:
        """A paste, bracketed if the program in the pane has asked for that."""
        self.run("load-buffer", "-b", "test", "-", stdin=text)
        self.run("paste-buffer", "-p", "-r", "-d", "-b", "test", "-t", pane)

    def is_dead(self, pane: str) -> bool:
        return self.read(pane, "#{pane_dead}") == "1"

    def exit_status(self, pane: str) -> int | None:
        """None while the pane's program runs."""
        dead, status = self.read(pane, "#{pane_dead} #{pane_dead_status}").split(" ")
        if dead == "1" and not status:
            # tmux 3.3 sometimes overlooks that a program has ended until another of its children ends.
            self.run("run-shell", "true")
        return int(status) if status else None

    def kill(self) -> None:
        try:
            self._call(("kill-server",), None)
        finally:
            shutil.rmtree(self.directory, ignore_errors=True)

    def _call(self, arguments: Sequence[str], stdin: str | None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["tmux", "-u", "-S", str(self.socket), "-f", "/dev/null", *arguments],
            input=stdin if stdin is not None else "",
            capture_output=True,
            encoding="utf-8",
            env=clean_environment(),
            timeout=COMMAND_DEADLINE_S,
            check=False,
        )
