"""python -m tests.campaigns.compare.measurement PROGRAMS: measures the `hark` in that directory, and prints the numbers as JSON.

It uses the commands and the HTTP API only, so the same program measures any commit. `PROGRAMS` is the `bin` of a virtual environment.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.campaigns.bench.stage import Stage, cpu_seconds, resident_mb, stage
from tests.campaigns.load.__main__ import load, measure_idle, quantile, seconds_between, start

STARTS = 15
DELIVERIES = 20
ENQUEUED, CONNECTIONS = 1000, 8
SESSIONS, RATE, LOAD_S = 40, 20.0, 20.0
IDLE_S = 8.0
DEADLINE_S = 30.0


def measure(programs: Path) -> dict[str, float]:
    with stage(programs=programs) as made:
        numbers = measure_sending(made)
    with stage(programs=programs) as made:
        return numbers | measure_delivering(made)


def measure_sending(made: Stage) -> dict[str, float]:
    made.hark("new", "-d", "-n", "sink", "--", "sleep", "600")
    made.hark("hold", "sink")
    numbers = {"`hark send`, ms": 1000 * median_of(STARTS, lambda: made.hark("send", "sink", "hello", "-q"))}
    return numbers | measure_enqueue(made)


def measure_delivering(made: Stage) -> dict[str, float]:
    names = start(made, SESSIONS)
    idle_share, _ = measure_idle(made, IDLE_S)
    delivered_s = [deliver(made, names[number % len(names)]) for number in range(DELIVERIES)]
    numbers = {
        f"idle daemon, {SESSIONS} sessions, % of a core": 100 * idle_share,
        "one message, queued to submitted, ms": 1000 * statistics.median(delivered_s),
    }
    numbers |= load_numbers(load(made, names, RATE, LOAD_S))
    return numbers | {"daemon after the load, MB": resident_mb(made.daemon_pid())}


def median_of(times: int, act: Callable[[], object]) -> float:
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        act()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def measure_enqueue(made: Stage) -> dict[str, float]:
    def send_some(_: int) -> None:
        connection = made.connection()
        for _ in range(ENQUEUED // CONNECTIONS):
            made.call(connection, "POST", "/sessions/sink/send", {"text": "hello"})
        connection.close()

    before, began = cpu_seconds(made.daemon_pid()), time.perf_counter()
    with ThreadPoolExecutor(CONNECTIONS) as threads:
        list(threads.map(send_some, range(CONNECTIONS)))
    cpu_s, took_s = cpu_seconds(made.daemon_pid()) - before, time.perf_counter() - began
    return {"durable enqueue, ms": 1000 * took_s / ENQUEUED, "daemon's CPU for an enqueue, ms": 1000 * cpu_s / ENQUEUED}


def deliver(made: Stage, name: str) -> float:
    """Send one message to an idle agent; return the seconds from its queueing to its submission, by its own receipts."""
    connection = made.connection()
    sent = made.call(connection, "POST", f"/sessions/{name}/send", {"text": "hello"})["id"]
    made.call(connection, "GET", f"/messages/{sent}?wait=submitted&wait_seconds={DEADLINE_S:g}")
    message = made.call(connection, "GET", f"/messages/{sent}")
    connection.close()
    return seconds_between(message["queued_at"], message["delivered_at"])


def load_numbers(report: dict[str, Any]) -> dict[str, float]:
    if report["lost"] or report["doubled"] or report["overtaken"] or report["waiting"]:
        kept = ("lost", "doubled", "overtaken", "waiting")
        raise RuntimeError(f"the load was not delivered: { {name: report[name] for name in kept} }")
    under = f"{SESSIONS} sessions, {RATE:g} messages/s"
    return {
        f"{under}: queued to submitted, median, ms": 1000 * quantile(report["latencies"], 0.5),
        f"{under}: queued to submitted, p95, ms": 1000 * quantile(report["latencies"], 0.95),
        f"{under}: daemon's CPU for a message, ms": 1000
        * report["parts"]["daemon"]
        * report["sending_s"]
        / report["sent"],
    }


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]).absolute())))
