"""python -m tests.campaigns.load [--sessions N] [--rates N,N] [--seconds N] [--profile FILE] [--write]

With --profile the daemon says where its CPU time goes (`sampling.py`). Exit status 1 if a message was lost, doubled or overtaken. The agents are demo agents without hooks: two short processes for each
turn would load the machine more than all that is measured here.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from hark.delivery.headers import find_message_ids
from tests.campaigns.bench.stage import Stage, UnixConnection, cpu_seconds, resident_mb, stage
from tests.campaigns.load.shares import shares, spent

DOCUMENT = Path("docs/load.md")
SAMPLING = Path(__file__).with_name("sampling.py").absolute()
HEAD = """\
# Load

`make load` starts demo agents (without hooks) behind airlocks, sends messages at a steady rate to all of them in turn, and waits until nothing is left. All on one
machine: agents, airlocks, tmux, senders and the daemon share its cores. It writes this page.
"""
STARTERS = 2
SENDERS = 8
SETTLE_S = 180.0


def main() -> int:
    options = read_options()
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    sampled = [sys.executable, str(SAMPLING), str(options.profile), "serve"] if options.profile else []
    with stage(shlex.join(sampled)) as made:
        ids = start(made, options.sessions)
        print(f"{len(ids)} sessions run", flush=True)
        idle = measure_idle(made)
        reports = [load(made, ids, rate, options.seconds) for rate in options.rates]
    rows = told(reports, idle, options)
    print("\n".join(rows))
    if options.write:
        DOCUMENT.write_text(HEAD + "\n" + "\n".join(rows) + "\n")
    return 0 if not any(one["lost"] or one["doubled"] or one["overtaken"] for one in reports) else 1


def start(made: Stage, count: int) -> list[str]:
    def one(number: int) -> str:
        connection = made.connection()
        log = made.home / f"agent-{number}.log"
        body = {
            "command": [str(made.programs / "hark-demo-agent"), "--no-hooks", "--busy", "0.05", "--log", str(log)],
            "name": f"l{number}",
            "directory": "/",
            "environment": {"PATH": made.environment["PATH"]},
        }
        made.call(connection, "POST", "/sessions", body)
        connection.close()
        wait_ready(log)
        return f"l{number}"

    with ThreadPoolExecutor(STARTERS) as starters:
        return list(starters.map(one, range(count)))


def wait_ready(log: Path) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if log.exists() and '"ready"' in log.read_text():
            return
        time.sleep(0.05)
    raise RuntimeError(f"{log.name}: no agent after a minute")


def measure_idle(made: Stage, seconds: float = 10.0) -> tuple[float, float]:
    """CPU share and megabytes of the daemon while nothing happens."""
    pid = made.daemon_pid()
    before, at = cpu_seconds(pid), time.monotonic()
    time.sleep(seconds)
    return (cpu_seconds(pid) - before) / (time.monotonic() - at), resident_mb(pid)


def load(made: Stage, names: list[str], rate: float, seconds: float) -> dict[str, Any]:
    pid = made.daemon_pid()
    total = round(rate * seconds)
    sent: list[tuple[int, str, str]] = []
    late: list[float] = []
    lock = threading.Lock()
    numbers = iter(range(total))
    before, began = spent(made), time.monotonic()

    def sender() -> None:
        connection = UnixConnection(made.home / "run" / "hark.sock")
        while True:
            with lock:
                number = next(numbers, None)
            if number is None:
                break
            wait_s = began + number / rate - time.monotonic()
            time.sleep(max(0.0, wait_s))
            name = names[number % len(names)]
            answer = made.call(connection, "POST", f"/sessions/{name}/send", {"text": f"message {number}"})
            with lock:
                sent.append((number, name, answer["id"]))
                late.append(max(0.0, -wait_s))
        connection.close()

    threads = [threading.Thread(target=sender) for _ in range(SENDERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sending_s = time.monotonic() - began
    parts = shares(before, spent(made), sending_s)
    waiting = settle(made)
    return judge(made, sent, names) | {
        "rate": rate,
        "parts": parts,
        "sent": len(sent),
        "sending_s": sending_s,
        "mb": resident_mb(pid),
        "waiting": waiting,
        "settled_s": time.monotonic() - began - sending_s,
        "late_s": sorted(late)[int(0.95 * len(late))],
    }


def settle(made: Stage) -> int:
    connection = made.connection()
    deadline = time.monotonic() + SETTLE_S
    while True:
        counts: dict[str, int] = made.call(connection, "GET", "/stats")["messages"]
        waiting = sum(counts.get(status, 0) for status in ("queued", "held", "staged"))
        if not waiting or time.monotonic() > deadline:
            return waiting
        time.sleep(0.5)


def judge(made: Stage, sent: list[tuple[int, str, str]], names: list[str]) -> dict[str, Any]:
    """By what the agents have written down; latencies from the daemon's own receipts, which are the agents' screens."""
    arrived: dict[str, list[str]] = {name: received(made.home / f"agent-{name[1:]}.log") for name in names}
    counts: dict[str, int] = {}
    for ids in arrived.values():
        for one in ids:
            counts[one] = counts.get(one, 0) + 1
    order = {message_id: number for number, _, message_id in sent}
    overtaken = sum(1 for ids in arrived.values() for a, b in pairwise(ids) if order.get(a, 0) > order.get(b, 0))
    connection = made.connection()
    latencies: list[float] = []
    for name in names:
        for message in made.call(connection, "GET", f"/sessions/{name}/messages?limit=1000")["messages"]:
            if message["id"] in order and message["delivered_at"]:
                latencies.append(seconds_between(message["queued_at"], message["delivered_at"]))
    latencies.sort()
    return {
        "lost": sum(1 for _, _, message_id in sent if message_id not in counts),
        "doubled": sum(1 for count in counts.values() if count > 1),
        "overtaken": overtaken,
        "latencies": latencies,
    }


def received(log: Path) -> list[str]:
    records = [json.loads(line) for line in log.read_text().split("\n") if line.endswith("}")]
    return [one for record in records if record["event"] == "prompt" for one in find_message_ids(record["text"])]


def seconds_between(earlier: str, later: str) -> float:
    return (datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds()


def quantile(ordered: list[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def told(reports: list[dict[str, Any]], idle: tuple[float, float], options: argparse.Namespace) -> list[str]:
    columns = [dict(rows_of(report)) for report in reports]
    head = "| messages a second, wished | " + " | ".join(f"{report['rate']:g}" for report in reports) + " |"
    lines = [
        f"{options.sessions} sessions. The daemon before, idle: {idle[0] * 100:.1f} % of a core, {idle[1]:.0f} MB. The machine has "
        f"{os.cpu_count()} cores, and others may use them too.",
        "",
        head,
        "|---" * (len(reports) + 1) + "|",
    ]
    return lines + [f"| {name} | " + " | ".join(str(column[name]) for column in columns) + " |" for name in columns[0]]


def rows_of(report: dict[str, Any]) -> list[tuple[str, Any]]:
    latencies = report["latencies"]
    median, p95, p99 = (quantile(latencies, share) * 1000 for share in (0.5, 0.95, 0.99))
    parts = ", ".join(f"{name} {share * 100:.0f} %" for name, share in report["parts"].items())
    each = ", ".join(
        f"{name} {share * report['sending_s'] / report['sent'] * 1000:.1f} ms" for name, share in ours(report).items()
    )
    return [
        ("messages", report["sent"]),
        ("sent in", f"{report['sending_s']:.0f} s ({report['sent'] / report['sending_s']:.1f} a second)"),
        ("sent later than planned, p95", f"{report['late_s']:.2f} s"),
        ("lost / doubled / overtaken", f"{report['lost']} / {report['doubled']} / {report['overtaken']}"),
        ("still waiting at the end", report["waiting"]),
        ("queued to submitted", f"median {median:.0f} ms, p95 {p95:.0f} ms, p99 {p99:.0f} ms"),
        ("all delivered after the last was sent", f"{report['settled_s']:.1f} s"),
        ("the daemon meanwhile", f"{report['parts']['daemon'] * 100:.0f} % of a core, {report['mb']:.0f} MB"),
        ("everybody meanwhile, of a core", parts),
        ("CPU for each message", each),
    ]


def ours(report: dict[str, Any]) -> dict[str, float]:
    return {name: share for name, share in report["parts"].items() if not name.startswith("all others")}


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="load")
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--rates", type=lambda text: [float(rate) for rate in text.split(",")], default=[10.0, 50.0])
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--profile", type=lambda text: Path(text).absolute())
    parser.add_argument("--write", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
