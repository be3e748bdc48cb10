"""The stand-in as a process of a test's own."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.support.stand_in import record
from tests.support.stand_in.record import Received
from tests.support.terminals import wait_until

START_DEADLINE_S = 60.0
STOP_DEADLINE_S = 10.0
REPOSITORY = Path(__file__).parents[3]


class StandIn:
    url: str
    """Without a path, such as http://127.0.0.1:40123."""

    def __init__(self, thinks_s: tuple[float, float] = (0.0, 0.0)) -> None:
        """`thinks_s`: how long an answer takes, from and to."""
        self._thinks_s = thinks_s
        self._owned = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as starting:
            directory = Path(starting.enter_context(tempfile.TemporaryDirectory(prefix="hark-stand-in-")))
            self.log = directory / "received.jsonl"
            self._output = directory / "output"
            self._process = self._start()
            starting.callback(self._stop)
            self.url = wait_until(
                self._announced_url, START_DEADLINE_S, "the stand-in to listen", self._output.read_text
            )
            self._owned = starting.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._owned.close()

    def received(self) -> list[Received]:
        """All requests so far, in order, side requests too."""
        return record.read(self.log)

    def submitted(self) -> list[str]:
        """Every text that users have submitted so far, as often as they did."""
        return record.submitted_texts(self.received())

    def wait_received(self, predicate: Callable[[Received], bool], deadline_s: float) -> Received:
        """The first request of a turn that the predicate holds for."""

        def find() -> list[Received]:
            return [one for one in self.received() if not one.is_side and predicate(one)]

        return wait_until(find, deadline_s, "a request at the stand-in", self.received)[0]

    def _start(self) -> subprocess.Popen[bytes]:
        command = [
            sys.executable,
            "-m",
            "tests.support.stand_in",
            "--log",
            str(self.log),
            "--thinks",
            *map(str, self._thinks_s),
        ]
        with self._output.open("wb") as output:
            return subprocess.Popen(
                command, cwd=REPOSITORY, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
            )

    def _announced_url(self) -> str:
        text = self._output.read_text()
        assert self._process.poll() is None, f"the stand-in has ended: {text}"
        return text.splitlines()[0] if "\n" in text else ""

    def _stop(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(STOP_DEADLINE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
