"""The wall time of `hark status-line`, which a status line runs every second, beside a bare Python.

The processor time is told too: unlike the wall time it says something on a machine that is busy with other things."""

import resource
import statistics
import subprocess
import sys
import time

from tests.campaigns.bench.stage import PROGRAMS, stage, tell

ROUNDS = 100
SESSIONS = 8


def run() -> None:
    print(f"hark status-line, daemon up, {SESSIONS} sessions (aim: at most 25 ms)")
    with stage() as made:
        for number in range(SESSIONS):
            made.hark("new", "-d", "-n", f"s{number}", "--", "sleep", "600")
            made.call(made.connection(), "POST", f"/sessions/s{number}/signal", {"state": "needs_input"})
        commands = {
            "hark status-line": [str(PROGRAMS / "hark"), "status-line"],
            "python3 -c pass": [sys.executable, "-c", "pass"],
            "hark status-line --json": [str(PROGRAMS / "hark"), "status-line", "--json"],
        }
        times: dict[str, list[float]] = {name: [] for name in commands}
        processor: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(ROUNDS):
            for name, words in commands.items():
                used, started = _children_s(), time.perf_counter()
                subprocess.run(words, env=made.environment, capture_output=True, check=True)
                times[name].append(time.perf_counter() - started)
                processor[name].append(_children_s() - used)
    for name, seconds in times.items():
        tell(name, seconds)
        tell(f"  processor time of {name}", processor[name])
    more_ms = 1000 * (statistics.median(times["hark status-line"]) - statistics.median(times["python3 -c pass"]))
    print(f"  hark status-line takes {more_ms:.1f} ms longer than a Python that does nothing\n")


def _children_s() -> float:
    """The processor time of all commands that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
