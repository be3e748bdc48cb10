"""The wall time of `hark send`, as a sender feels it, beside a bare Python and a bare tmux client."""

import statistics
import subprocess
import sys
import time

from tests.campaigns.bench.stage import PROGRAMS, stage, tell

ROUNDS = 40


def run() -> None:
    print("hark send, daemon up (aim: at most 120 ms)")
    with stage() as made:
        made.hark("new", "-d", "-n", "sink", "--", "sleep", "600")
        commands = {
            "hark send": [str(PROGRAMS / "hark"), "send", "sink", "hello", "-q"],
            "python3 -c pass": [sys.executable, "-c", "pass"],
            "tmux send-keys": ["tmux", "-S", str(made.tmux), "send-keys", "-t", "sink", "-l", "hello"],
        }
        times: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(ROUNDS):
            for name, words in commands.items():
                started = time.perf_counter()
                subprocess.run(words, env=made.environment, capture_output=True, check=True)
                times[name].append(time.perf_counter() - started)
    for name, seconds in times.items():
        tell(name, seconds)
    ratio = statistics.median(times["hark send"]) / statistics.median(times["python3 -c pass"])
    print(f"  hark send takes {ratio:.1f} times as long as a Python that does nothing\n")
