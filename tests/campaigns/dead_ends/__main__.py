"""python -m tests.campaigns.dead_ends [--kills N] [--agent KIND]

Kill a demo agent, or with --agent a real one (`real_agents.py`), in the middle of its turn N times, and print how long `hark send --wait completed` took from the kill to its end, and
with which exit codes the waiters ended. Exit status 1 if a waiter did not end with code 1, or a message did not become `failed`.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from collections import Counter

from tests.agents.running import processes
from tests.campaigns.bench.stage import PROGRAMS, Stage, stage, tell
from tests.campaigns.dead_ends import real_agents
from tests.integration.end_to_end.agents import PROGRAM
from tests.support.terminals import wait_until

DEADLINE_S = 60.0


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--kills", type=int, default=20)
    options.add_argument("--agent", choices=("demo", "claude", "codex", "gemini", "opencode"), default="demo")
    chosen = options.parse_args()
    if chosen.agent != "demo":
        return real_agents.run(chosen.agent, chosen.kills)
    kills = chosen.kills
    times: list[float] = []
    codes: Counter[int] = Counter()
    statuses: Counter[str] = Counter()
    with stage() as made:
        for number in range(kills):
            took_s, code, status = kill_once(made, f"agent-{number}")
            times.append(took_s)
            codes[code] += 1
            statuses[status] += 1
    print(f"{kills} agents killed in the middle of a turn")
    tell("from the kill to the end of the wait", times)
    print(f"  exit codes of the waiters: {dict(codes)}; statuses of the messages: {dict(statuses)}")
    return 0 if codes == {1: kills} and statuses == {"failed": kills} else 1


def kill_once(made: Stage, name: str) -> tuple[float, int, str]:
    """Kill an agent at work. Return the seconds until its waiter ended, the waiter's exit code, and the message's status."""
    log = made.home / f"{name}.log"
    made.hark("new", "-d", "-n", name, "--", PROGRAM, "--log", str(log))
    wait_until(lambda: log.exists() and "ready" in log.read_text(), DEADLINE_S, "the agent")
    command = [str(PROGRAMS / "hark"), "send", name, "[[busy=600]] work", "--wait", "completed", "-q"]
    waiter = subprocess.Popen(command, env=made.environment, stdout=subprocess.DEVNULL)
    try:
        wait_until(lambda: status_of(made, name) == "acknowledged", DEADLINE_S, "the turn")
        killed_at_s = time.monotonic()
        os.kill(agent_pid(made, name), signal.SIGKILL)
        code = waiter.wait(DEADLINE_S)
    finally:
        waiter.kill()
        waiter.wait()
    return time.monotonic() - killed_at_s, code, status_of(made, name)


def status_of(made: Stage, name: str) -> str:
    messages = made.call(made.connection(), "GET", f"/sessions/{name}/messages")["messages"]
    return str(messages[0]["status"]) if messages else ""


def agent_pid(made: Stage, name: str) -> int:
    """Return the process of the agent, which is the child of its airlock."""
    airlock = made.call(made.connection(), "GET", f"/sessions/{name}")["pane_pid"]
    (pid,) = [int(pid) for pid, parent in map(str.split, processes("pid=,ppid=")) if int(parent) == airlock]
    return pid


if __name__ == "__main__":
    sys.exit(main())
