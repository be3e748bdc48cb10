"""Durable enqueues per second over the unix socket: every answer comes after its commit, with synchronous=FULL."""

import multiprocessing
import threading
import time
from pathlib import Path

from tests.bench.stage import Stage, cpu_seconds, stage, tell

PROCESSES = 2
CONNECTIONS = 16
EACH = 150


def run() -> None:
    print("durable enqueue over the socket (aim: at least 1,500/s)")
    with stage() as made:
        made.hark("new", "-d", "-n", "sink", "--", "sleep", "600")
        with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool:
            pool.map(_client, [(made.home, 5)] * PROCESSES)
            before, started = cpu_seconds(made.daemon_pid()), time.perf_counter()
            seconds = [s for part in pool.map(_client, [(made.home, EACH)] * PROCESSES) for s in part]
            took = time.perf_counter() - started
            cpu = cpu_seconds(made.daemon_pid()) - before
    tell(f"answer, {PROCESSES * CONNECTIONS} connections", seconds)
    print(f"  {len(seconds) / took:,.0f} messages/s, each on disk before its sender was answered")
    print(
        f"  {cpu / len(seconds) * 1000:.2f} ms of the daemon's CPU each: {len(seconds) / cpu:,.0f}/s if nothing else wanted a core\n"
    )


def _client(task: tuple[Path, int]) -> list[float]:
    home, each = task
    seconds: list[float] = []
    threads = [threading.Thread(target=_send, args=(Stage(home), each, seconds)) for _ in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return seconds


def _send(made: Stage, each: int, seconds: list[float]) -> None:
    connection = made.connection()
    for _ in range(each):
        started = time.perf_counter()
        made.call(connection, "POST", "/sessions/sink/send", {"text": "hello"})
        seconds.append(time.perf_counter() - started)
    connection.close()
