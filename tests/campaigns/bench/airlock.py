"""What the airlock costs: the same agent on the same kind of terminal, with it and without it, in turns."""

import contextlib
import os
import pty
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.campaigns.bench.stage import cpu_seconds, resident_mb
from tests.integration.airlock.running import AIRLOCK, LEAD

KEYS = 3000
WARM_UP_KEYS = 200
PRINTED_MB = 100
ROUNDS = 5

ECHO = "import os, tty; tty.setraw(0); os.write(1, b'.')\nwhile data := os.read(0, 4096): os.write(1, data)"
PRINT = f"""
import os, tty
tty.setraw(0)
os.write(1, b".")
os.read(0, 1)
data = (b"\\x1b[38;5;42m" + b"some words of an agent " * 3 + b"\\x1b[m\\r\\n") * 700
for _ in range({PRINTED_MB} * 1_000_000 // len(data)):
    left = data
    while left:
        left = left[os.write(1, left):]
os.write(1, b"\\0")
os.read(0, 1)
"""


class Program:
    """A Python program on a terminal of ours."""

    def __init__(self, program: str, before: Sequence[str]) -> None:
        self.terminal, line = pty.openpty()
        words = [sys.executable, "-ISE", "-c", LEAD, *before, sys.executable, "-ISE", "-c", program]
        self.process = subprocess.Popen(words, stdin=line, stdout=line, stderr=line)
        os.close(line)
        os.read(self.terminal, 1)

    def press(self) -> float:
        started = time.perf_counter()
        os.write(self.terminal, b"k")
        os.read(self.terminal, 1)
        return time.perf_counter() - started

    def print_all(self) -> float:
        """Megabytes a second."""
        started, count, data = time.perf_counter(), 0, b""
        os.write(self.terminal, b"k")
        while not data.endswith(b"\0"):
            data = os.read(self.terminal, 65536)
            count += len(data)
        return count / 1e6 / (time.perf_counter() - started)

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.terminal)


@contextlib.contextmanager
def both(program: str) -> Iterator[tuple[Program, Program]]:
    with tempfile.TemporaryDirectory(prefix="hk", dir="/tmp") as directory, contextlib.ExitStack() as stack:
        programs = []
        for before in ([], [*AIRLOCK, "--socket", str(Path(directory) / "s"), "--"]):
            programs.append(Program(program, before))
            stack.callback(programs[-1].end)
        yield programs[0], programs[1]


def run() -> None:
    print("the airlock (aim: less than 1 ms a key at p99, at least 100 MB/s)")
    with both(ECHO) as programs:
        times: tuple[list[float], list[float]] = ([], [])
        for number in range(WARM_UP_KEYS + KEYS):
            for program, seconds in zip(programs, times, strict=True):
                taken = program.press()
                if number >= WARM_UP_KEYS:
                    seconds.append(taken)
        memory_mb = resident_mb(programs[1].process.pid)
    for what, at in (("p50", 0.5), ("p99", 0.99)):
        bare, behind = (sorted(seconds)[int(at * KEYS)] * 1000 for seconds in times)
        print(
            f"  echo of a key, {what}   without {bare:6.3f} ms   with {behind:6.3f} ms   added {behind - bare:6.3f} ms"
        )
    rates: tuple[list[float], list[float]] = ([], [])
    processor_seconds = []
    for _ in range(ROUNDS):
        with both(PRINT) as programs:
            before = cpu_seconds(programs[1].process.pid)
            for program, measured in zip(programs, rates, strict=True):
                measured.append(program.print_all())
            processor_seconds.append(cpu_seconds(programs[1].process.pid) - before)
    bare, behind = (statistics.median(measured) for measured in rates)
    capacity = PRINTED_MB / statistics.median(processor_seconds)
    print(
        f"  output, median of {ROUNDS} x {PRINTED_MB} MB   without {bare:4.0f} MB/s   with {behind:4.0f} MB/s"
        f"   per processor second of the airlock {capacity:4.0f} MB"
    )
    print(f"  memory of the airlock's process   {memory_mb:.1f} MB\n")
