"""The wall time of `hark ask`, beside `hark send --wait completed` to the same agent: the difference is what the answer costs.

The agent is the demo agent, which answers at once and keeps no record: its answer is read from the screen."""

import statistics
import subprocess
import time

from tests.campaigns.bench.stage import PROGRAMS, stage, tell

ROUNDS = 20


def run() -> None:
    print("hark ask, beside hark send --wait completed")
    with stage() as made:
        agent = [str(PROGRAMS / "hark-demo-agent"), "--busy", "0.05"]
        made.hark("new", "-d", "-n", "demo", "--agent", "demo", "--", *agent)
        hark = str(PROGRAMS / "hark")
        commands = {
            "hark send --wait completed": [hark, "send", "demo", "hello", "--wait", "completed", "-q"],
            "hark ask": [hark, "ask", "demo", "hello"],
        }
        times: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(ROUNDS):
            for name, words in commands.items():
                started = time.perf_counter()
                subprocess.run(words, env=made.environment, capture_output=True, check=True)
                times[name].append(time.perf_counter() - started)
    for name, seconds in times.items():
        tell(name, seconds)
    sent, asked = (statistics.median(seconds) for seconds in times.values())
    print(f"  hark ask takes {asked / sent:.2f} times as long as hark send --wait completed\n")
