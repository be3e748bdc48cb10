"""500 sessions, 20 of which print without a pause: how long it takes until a signal of one of the others is heard."""

import json
import subprocess
import threading
import time
from contextlib import suppress
from queue import Empty, SimpleQueue

from tests.campaigns.bench.stage import PROGRAMS, Stage, UnixConnection, cpu_seconds, resident_mb, stage, tell

SESSIONS, FLOODING = 500, 20
STARTERS = 8
SIGNALS = 60
WARM_S = 3.0
DEADLINE_S = 10.0
FLOOD = ["sh", "-c", "while :; do printf '%s\\n' 'a line of output that nobody reads, over and over again'; done"]
QUIET = ["sh", "-c", 'stty -echo; while read -r word; do echo "--<[hark:completed:$word]>--"; done']


def run() -> None:
    print(f"{SESSIONS} sessions, {FLOODING} of them flooding (aim: every signal of the others within 1 s)")
    with stage() as made:
        started = time.perf_counter()
        _start(made)
        print(f"  started in {time.perf_counter() - started:.1f} s", flush=True)
        panes = {one["name"]: one["pane_id"] for one in json.loads(made.hark("ls", "--json"))["sessions"]}
        time.sleep(WARM_S)
        pid = made.daemon_pid()
        before, at = cpu_seconds(pid), time.perf_counter()
        latencies = _measure(made, [panes[f"s{number}"] for number in range(FLOODING, FLOODING + SIGNALS)])
        share = (cpu_seconds(pid) - before) / (time.perf_counter() - at)
        tell("line written to the pane → signal event", latencies)
        late = sum(one > 1.0 for one in latencies)
        print(f"  heard {len(latencies)} of {SIGNALS}, later than 1 s: {late}; the longest took {max(latencies):.2f} s")
        print(f"  the daemon takes {share * 100:.0f} % of a core and {resident_mb(pid):.0f} MB meanwhile\n")


def _measure(made: Stage, panes: list[str]) -> list[float]:
    heard: dict[str, float] = {}
    written: dict[str, float] = {}
    follower = subprocess.Popen(
        [PROGRAMS / "hark", "signals", "-f", "--json"], env=made.environment, stdout=subprocess.PIPE, text=True
    )
    reading = threading.Thread(target=_read, args=(follower, heard))
    reading.start()
    try:
        time.sleep(1.0)
        for number, pane in enumerate(panes):
            word = f"word{number}"
            written[word] = time.perf_counter()
            subprocess.run(["tmux", "-S", made.tmux, "send-keys", "-t", pane, word, "Enter"], check=True)
            time.sleep(0.05)
        ends_at = time.perf_counter() + DEADLINE_S
        while len(heard) < len(panes) and time.perf_counter() < ends_at:
            time.sleep(0.01)
    finally:
        follower.terminate()
        reading.join()
        follower.wait()
    return [heard[word] - written[word] for word in written if word in heard] or [float("inf")]


def _read(follower: "subprocess.Popen[str]", heard: dict[str, float]) -> None:
    assert follower.stdout is not None
    for line in follower.stdout:
        heard.setdefault(json.loads(line)["data"]["text"], time.perf_counter())


def _start(made: Stage) -> None:
    numbers = SimpleQueue[int]()
    for number in range(SESSIONS):
        numbers.put(number)

    def starter() -> None:
        connection = made.connection()
        with suppress(Empty):
            while True:
                _start_one(made, connection, numbers.get_nowait())
        connection.close()

    threads = [threading.Thread(target=starter) for _ in range(STARTERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _start_one(made: Stage, connection: UnixConnection, number: int) -> None:
    """The floods begin last: they are to disturb what is measured, not how it is set up."""
    command = QUIET if number < SESSIONS - FLOODING else FLOOD
    body = {
        "command": command,
        "name": f"s{number}",
        "directory": "/",
        "environment": {"PATH": made.environment["PATH"]},
    }
    made.call(connection, "POST", "/sessions", body)
