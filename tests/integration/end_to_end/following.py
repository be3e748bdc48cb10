"""A command that goes on printing, read as it prints."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self

from tests.support.terminals import wait_until

DEADLINE_S = 90.0


class Following:
    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._command = command
        self._environment = environment
        self._read = b""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=dict(self._environment),
        )
        assert self._process.stdout is not None
        os.set_blocking(self._process.stdout.fileno(), False)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait(DEADLINE_S)
        assert self._process.stdout is not None
        self._process.stdout.close()

    def printed(self) -> str:
        """All of it so far."""
        assert self._process.stdout is not None
        self._read += self._process.stdout.read() or b""
        return self._read.decode(errors="replace")

    def wait_printed(self, text: str) -> str:
        wait_until(lambda: text in self.printed(), DEADLINE_S, f"{text!r} to be printed", self.printed)
        return self.printed()

    def wait_ended(self) -> int:
        """The exit status."""
        wait_until(lambda: self._process.poll() is not None, DEADLINE_S, "the command to end", self.printed)
        return int(self._process.returncode)
