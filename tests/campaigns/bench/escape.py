"""How long a key takes from the terminal to the program: plainly, and under `hark run` outside tmux. Escape is the key that tmux by
itself waits with."""

import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.campaigns.bench.stage import tell
from tests.integration.airlock.running import Running
from tests.integration.end_to_end.running import HARK, RunningHark
from tests.support.terminals import wait_until

ROUNDS = 50
DEADLINE_S = 30.0
KEYS = {"Escape": b"\x1b", "a letter": b"a"}
PROGRAM = """
import os, sys, time, tty
tty.setraw(0)
os.write(1, b"READY")
record = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
while os.read(0, 64):
    os.write(record, b"%d\\n" % time.monotonic_ns())
"""


def run() -> None:
    print("a key from the terminal to the program, plainly and under `hark run` outside tmux")
    with RunningHark() as hark, tempfile.TemporaryDirectory() as directory:
        hark.ok("ls")
        program = Path(directory, "program.py")
        program.write_text(PROGRAM)
        for name, key in KEYS.items():
            medians = []
            for way, before in {"plainly": [], "hark run": [HARK, "run", "--"]}.items():
                record = Path(directory, f"{name} {way}")
                words = [*before, sys.executable, "-ISE", str(program), str(record)]
                measured = _measure(words, hark.environment, record, key)
                tell(f"{name}, {way}", measured)
                medians.append(statistics.median(measured))
            print(f"  {name}: {medians[1] / medians[0]:.1f} times the plain time", flush=True)
    print()


def _measure(words: Sequence[str], environment: dict[str, str], record: Path, key: bytes) -> list[float]:
    with Running(words, environment=environment) as running:
        running.wait_seen(b"READY")
        return [_press(running, record, key, number) for number in range(ROUNDS)]


def _press(running: Running, record: Path, key: bytes, number: int) -> float:
    started = time.monotonic_ns()
    running.type(key)
    read = lambda: record.read_text().splitlines()[number:] if record.exists() else []  # noqa: E731
    return (int(wait_until(read, DEADLINE_S, "the key at the program")[0]) - started) / 1e9
