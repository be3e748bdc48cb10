"""Kills a real agent in the middle of its turn again and again, and starts it again each time.

Every time somebody waits for the message that the agent works on, and another message waits behind it. The waiter must end soon, with exit
code 1, and its message must be `failed`. The agent comes back in its conversation, and gets the other message once.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections import Counter

from tests.agents.delivering import HARK, Delivering, delivering
from tests.agents.running import processes
from tests.campaigns.bench.stage import tell
from tests.support.terminals import wait_until

DEADLINE_S = 120.0
SOON_S = 2.0
"""Within this time whoever waits must hear that the agent has ended."""
NATIVE = ("codex", "opencode")


def run(kind: str, kills: int) -> int:
    """Run the campaign and print its numbers. Return the exit status."""
    times: list[float] = []
    codes: Counter[int] = Counter()
    statuses: Counter[str] = Counter()
    behind: Counter[str] = Counter()
    resumed = 0
    with delivering(kind, is_native=kind in NATIVE, by_hook=True) as agent:
        first = agent.send("begin")
        agent.hark.wait_reached(first, "completed")
        for number in range(kills):
            took_s, code, status, waiting = kill_once(agent, number)
            times.append(took_s)
            codes[code] += 1
            statuses[status] += 1
            resumed += bool(agent.restart()["conversation"])
            behind[agent.hark.wait_end(waiting)] += 1
        arrived = Counter(agent.bodies())
        agent.hark.run("kill", "a")
    once = sum(arrived[text_behind(number)] == 1 for number in range(kills))
    twice = sum(arrived[text] > 1 for number in range(kills) for text in (text_behind(number), text_at_work(number)))
    print(f"{kind}, killed {kills} times in the middle of a turn, and started again")
    tell("from the kill to the end of the wait", times)
    print(f"  slowest {max(times):.2f} s; exit codes of the waiters: {dict(codes)}; their messages: {dict(statuses)}")
    print(
        f"  conversations resumed: {resumed}; messages behind: {dict(behind)}, at the model once: {once}, twice: {twice}"
    )
    is_right = codes == {1: kills} and statuses == {"failed": kills} and max(times) <= SOON_S
    return 0 if is_right and behind == {"completed": kills} and once == kills and not twice else 1


def text_at_work(number: int) -> str:
    return f"[[busy=600]] work {number:03d}"


def text_behind(number: int) -> str:
    return f"behind {number:03d}"


def kill_once(agent: Delivering, number: int) -> tuple[float, int, str, str]:
    """Kill the agent at work. Return the seconds until the waiter ended, the waiter's exit code, the status of its message, and the id of
    the message that waits behind."""
    command = [HARK, "send", "a", text_at_work(number), "--wait", "completed", "-q"]
    waiter = subprocess.Popen(command, env=agent.hark.environment, stdout=subprocess.DEVNULL)
    try:
        wait_until(lambda: newest(agent)[1] == "acknowledged", DEADLINE_S, "the turn", lambda: agent.screen().text)
        working = newest(agent)[0]
        agent.hark.ok("hold", "a")
        waiting = agent.send(text_behind(number))
        killed_at_s = time.monotonic()
        os.kill(agent_pid(agent), signal.SIGKILL)
        code = waiter.wait(DEADLINE_S)
        took_s = time.monotonic() - killed_at_s
    finally:
        waiter.kill()
        waiter.wait()
    agent.hark.wait_gone("a")
    agent.hark.ok("release", "a")
    return took_s, code, str(agent.hark.message(working)["status"]), waiting


def newest(agent: Delivering) -> tuple[str, str]:
    message = agent.hark.api("GET", "/sessions/a/messages?limit=1").json["messages"][0]
    return str(message["id"]), str(message["status"])


def agent_pid(agent: Delivering) -> int:
    """Return the process of the agent: the child of the keeper, which is the child of the airlock."""
    parents = {int(pid): int(parent) for pid, parent in map(str.split, processes("pid=,ppid="))}
    airlock = agent.hark.session("a")["pane_pid"]
    (keeper,) = [pid for pid, parent in parents.items() if parent == airlock]
    (pid,) = [pid for pid, parent in parents.items() if parent == keeper]
    return pid
