"""500 sessions: how long `hark ls` takes, and what the daemon costs while nothing happens."""

import subprocess
import threading
import time

from tests.campaigns.bench.stage import PROGRAMS, Stage, cpu_seconds, resident_mb, stage, tell

SESSIONS = 500
STARTERS = 8
LOOKS = 15
IDLE_S = 10.0


def run() -> None:
    print(f"{SESSIONS} sessions")
    with stage() as made:
        started = time.perf_counter()
        _start(made)
        print(f"  started in {time.perf_counter() - started:.1f} s")
        seconds = []
        for _ in range(LOOKS):
            started = time.perf_counter()
            listed = subprocess.run(
                [PROGRAMS / "hark", "ls"], env=made.environment, capture_output=True, text=True, check=True
            )
            seconds.append(time.perf_counter() - started)
        tell(f"hark ls, {len(listed.stdout.splitlines()) - 1} lines", seconds)
        pid = made.daemon_pid()
        before, at = cpu_seconds(pid), time.perf_counter()
        time.sleep(IDLE_S)
        share = (cpu_seconds(pid) - before) / (time.perf_counter() - at)
        print(f"  the idle daemon takes {share * 100:.2f} % of a core and {resident_mb(pid):.0f} MB\n")


def _start(made: Stage) -> None:
    numbers = iter(range(SESSIONS))
    lock = threading.Lock()

    def starter() -> None:
        connection = made.connection()
        while True:
            with lock:
                number = next(numbers, None)
            if number is None:
                break
            made.call(
                connection,
                "POST",
                "/sessions",
                {
                    "command": ["sleep", "600"],
                    "name": f"s{number}",
                    "directory": "/",
                    "environment": {"PATH": made.environment["PATH"]},
                },
            )
        connection.close()

    threads = [threading.Thread(target=starter) for _ in range(STARTERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
