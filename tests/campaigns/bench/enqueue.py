"""Durable enqueues per second over the unix socket: every answer comes after its commit, with synchronous=FULL."""

import multiprocessing
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.campaigns.bench.stage import Stage, cpu_seconds, stage, tell

PROCESSES = 2
CONNECTIONS = 16
SESSIONS = 8
EACH = 250


def run() -> None:
    print("durable enqueue over the socket (aim: at least 1,500/s)")
    with stage() as made:
        for number in range(SESSIONS):
            made.hark("new", "-d", "-n", f"sink{number}", "--", "sleep", "600")
        with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool:
            pool.map(_client, [(made.home, 5)] * PROCESSES)
            before, started = cpu_seconds(made.daemon_pid()), time.perf_counter()
            seconds = [s for part in pool.map(_client, [(made.home, EACH)] * PROCESSES) for s in part]
            took = time.perf_counter() - started
            cpu = cpu_seconds(made.daemon_pid()) - before
    tell(f"answer, {PROCESSES * CONNECTIONS} connections, {SESSIONS} sessions", seconds)
    print(f"  {len(seconds) / took:,.0f} messages/s, each on disk before its sender was answered")
    print(
        f"  {cpu / len(seconds) * 1000:.2f} ms of the daemon's CPU each: {len(seconds) / cpu:,.0f}/s if nothing else wanted a core\n"
    )


def _client(task: tuple[Path, int]) -> list[float]:
    home, each = task
    with ThreadPoolExecutor(CONNECTIONS) as threads:
        parts = threads.map(lambda number: _send(Stage(home), number, each), range(CONNECTIONS))
        return [seconds for part in parts for seconds in part]


def _send(made: Stage, number: int, each: int) -> list[float]:
    """Bare sockets: the client shares the cores with what it measures."""
    body = b'{"text":"hello"}'
    head = b"POST /sessions/sink%d/send HTTP/1.1\r\nHost: hark\r\nContent-Length: %d\r\n\r\n"
    request = head % (number % SESSIONS, len(body)) + body
    seconds: list[float] = []
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(made.home / "run" / "hark.sock"))
        for _ in range(each):
            started = time.perf_counter()
            connection.sendall(request)
            answer = connection.recv(65536)
            while not answer.endswith(b"}"):
                answer += connection.recv(65536)
            seconds.append(time.perf_counter() - started)
            if not answer.startswith(b"HTTP/1.1 202"):
                raise RuntimeError(answer)
    return seconds
