"""Hooks: what each costs its agent, with the daemon up, away and frozen; and what a flood of reports does to the daemon.

The flood is thrown by processes of its own, none of which waits for more than its answer: reports of a session that is there, of
sessions that are not, hostile ones, and huge ones. Meanwhile and afterwards messages are delivered as ever, and another session's
hooks are heard; that messages to the flooding session are completed nobody says, whose own hooks are turned away with the flood.
"""

import contextlib
import json
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable

from hark.inside import hook as hook_program
from hark.installing.quick import quick_program
from tests.campaigns.bench.stage import PROGRAMS, Stage, cpu_seconds, resident_mb, stage, tell

ROUNDS = 60
FLOOD_S = 6.0
THROWERS = 4
AIM_PER_S = 10_000
STEADY_S = 0.02
ASKED = 25
"""Of so many reports one waits for its answer; the others are gone by then."""


def run() -> None:
    print("Hooks (aims: 40 ms of its own; never more than its 300 ms with a frozen daemon)")
    with stage() as made:
        log = made.home / "agent.log"
        words = ("new", "--json", "-d", "-n", "a", "--", str(PROGRAMS / "hark-demo-agent"), "--log", str(log))
        session = json.loads(made.hark(*words))["id"]
        other = json.loads(made.hark("new", "--json", "-d", "-n", "b", "--", "sleep", "600"))["id"]
        made.hark("send", "--wait", "completed", "a", "warm up")
        quick = quick_program(made.home / "state/hooks", str(PROGRAMS / "hark-hook"))
        _tell_cost(made, session, quick, "daemon up")
        _tell_frozen(made, session, quick)
        _tell_flood(made, session, other)
        made.hark("daemon", "stop")
        _tell_cost(made, session, quick, "daemon away")
    print()


def _tell_cost(made: Stage, session: str, quick: str, what: str) -> None:
    tell("an empty Python, to compare with", [_empty_s() for _ in range(ROUNDS)])
    tell(f"{what}: hark-hook of agents that hark starts", _times(made, session, quick))
    tell(f"{what}: hark-hook of `hark install`", _times(made, session, str(PROGRAMS / "hark-hook")))


def _empty_s() -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-ISE", "-c", ""], check=True)
    return time.perf_counter() - began


def _times(made: Stage, session: str, program: str, rounds: int = ROUNDS) -> list[float]:
    environment = made.environment | {"HARK_SESSION": session}
    found = []
    for _ in range(rounds):
        began = time.perf_counter()
        finished = subprocess.run(
            [program, "demo", "stopped"], input=b"{}", env=environment, capture_output=True, check=True
        )
        found.append(time.perf_counter() - began)
        assert finished.stdout == finished.stderr == b""
    return found


def _tell_frozen(made: Stage, session: str, quick: str) -> None:
    pid = made.daemon_pid()
    os.kill(pid, signal.SIGSTOP)
    try:
        found = _times(made, session, quick, 15)
    finally:
        os.kill(pid, signal.SIGCONT)
    tell("daemon frozen: hark-hook of agents that hark starts", found)
    print(f"    the longest took {max(found) * 1000:.0f} ms", flush=True)


def _report(words: tuple[str, ...], payload: bytes) -> bytes:
    head = "\0".join(words).encode()
    return b"hark-hook 1 %d %d\n" % (len(head), len(payload)) + head + payload


def _reports(session: str) -> dict[str, bytes]:
    def of(session_id: str, event: str = "tool-starting") -> tuple[str, ...]:
        return ("demo", event, repr(time.time()), session_id, "", "")

    return {
        "known": _report(of(session), b'{"command": "make"}'),
        "unknown session": _report(of("nobody"), b'{"prompt": "hello"}'),
        "unknown event": _report(of(session, "new-in-2030"), b'{"x": [1, {"y": null}]}'),
        "not JSON": _report(of(session), b"\x00\xff{"),
        "deep": _report(of(session), b"[" * 50_000),
        "not a report": b"GET / HTTP/1.1\r\n\r\n",
        "lies about its length": b"hark-hook 1 99999999 99999999\n",
        "ends in the middle": _report(of(session), b"{}")[:-1],
    }


def _throw(
    path: str, reports: list[tuple[str, bytes]], until: float, results: "multiprocessing.Queue[Counter[str]]"
) -> None:
    counts: Counter[str] = Counter()
    number = 0
    while time.monotonic() < until:
        kind, report = reports[number % len(reports)]
        number += 1
        try:
            with socket.socket(socket.AF_UNIX) as hook:
                hook.settimeout(0.3)
                hook.connect(path)
                hook.sendall(report)
                if number % ASKED:
                    counts[f"{kind}: thrown"] += 1
                    continue
                hook.shutdown(socket.SHUT_WR)
                counts[f"{kind}: answered" if hook.recv(16) else f"{kind}: not answered"] += 1
        except OSError:
            counts[f"{kind}: not taken"] += 1
    results.put(counts)


def _tell_flood(made: Stage, session: str, other: str) -> None:
    pid = made.daemon_pid()
    before_mb, began_cpu = resident_mb(pid), cpu_seconds(pid)
    reports = list(_reports(session).items())
    _tell_one_flood(made, f"{len(reports)} kinds", reports, other)
    print(f"    (kinds: {', '.join(kind for kind, _ in reports)})")
    _tell_one_flood(made, "one kind, all of one session that is there", reports[:1], other)
    cpu = cpu_seconds(pid) - began_cpu
    huge = [
        (
            "8 MB",
            _report(("demo", "tool-done", repr(time.time()), session, "", ""), b'{"x": "' + b"x" * 7_900_000 + b'"}'),
        )
    ]
    counts = _while_thrown(made, huge, 3.0, lambda: _delivered_s(made), other).counts
    print(f"  reports of 8 MB: {_summary(counts)}")
    tell("  a message afterwards, until submitted", [_delivered_s(made) for _ in range(5)])
    print(
        f"  the daemon took {cpu:.1f} s of CPU in both floods; {before_mb:.0f} MB before, {resident_mb(pid):.0f} MB after",
        flush=True,
    )
    assert made.daemon_pid() == pid


def _tell_one_flood(made: Stage, what: str, reports: list[tuple[str, bytes]], other: str) -> None:
    heeded = _heeded(made)
    thrown = _while_thrown(made, reports, FLOOD_S, lambda: _delivered_s(made), other)
    total, heeded = sum(thrown.counts.values()), _heeded(made) - heeded
    print(f"  a flood of {what}: {total / FLOOD_S:,.0f} reports/s were thrown for {FLOOD_S:.0f} s (aim {AIM_PER_S:,})")
    print(f"    {_summary(thrown.counts)}; {heeded / FLOOD_S:,.0f} a second were heeded")
    print(f"    reports of another session meanwhile: {thrown.answered_of_other} of {thrown.of_other} answered in time")
    tell("  messages delivered meanwhile, until submitted", thrown.delivered_s)


def _heeded(made: Stage) -> int:
    """Those of which the daemon knows what they mean, whoever sent them."""
    return sum(json.loads(made.hark("stats", "--json"))["hooks"].values())


def _report_steadily(path: str, session: str, until: float, results: "multiprocessing.Queue[tuple[int, int]]") -> None:
    """What the hooks of a session say that does nobody any harm, with the deadline of a hook."""
    said = answered = 0
    while time.monotonic() < until:
        said += 1
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as hook:
            hook.settimeout(hook_program.DEADLINE_S)
            deadline = time.monotonic() + hook_program.DEADLINE_S
            hook_program._connect(hook, path, deadline)
            hook.sendall(_report(("demo", "tool-starting", repr(time.time()), session, "", ""), b"{}"))
            answered += hook.recv(16) == b"0\n"
        time.sleep(STEADY_S)
    results.put((said, answered))


def _summary(counts: Counter[str]) -> str:
    outcomes: Counter[str] = Counter()
    for kind, count in counts.items():
        outcomes[kind.partition(": ")[2]] += count
    return ", ".join(f"{outcome} {count:,}" for outcome, count in sorted(outcomes.items()))


class _Thrown:
    def __init__(self, counts: Counter[str], delivered_s: list[float], of_other: tuple[int, int]) -> None:
        self.counts = counts
        self.delivered_s = delivered_s
        self.of_other, self.answered_of_other = of_other


def _while_thrown(
    made: Stage, reports: list[tuple[str, bytes]], seconds: float, deliver: Callable[[], float], other: str
) -> _Thrown:
    path, until = str(made.home / "run/hooks.sock"), time.monotonic() + seconds
    results: multiprocessing.Queue[Counter[str]] = multiprocessing.Queue()
    throwers = [
        multiprocessing.Process(target=_throw, args=(path, reports[n:] + reports[:n], until, results))
        for n in range(THROWERS)
    ]
    of_other: multiprocessing.Queue[tuple[int, int]] = multiprocessing.Queue()
    throwers.append(multiprocessing.Process(target=_report_steadily, args=(path, other, until, of_other)))
    for thrower in throwers:
        thrower.start()
    delivered = []
    while time.monotonic() < until:
        delivered.append(deliver())
    counts: Counter[str] = Counter()
    for _ in range(THROWERS):
        counts += results.get(timeout=30)
    steady = of_other.get(timeout=30)
    for thrower in throwers:
        thrower.join()
    return _Thrown(counts, delivered, steady)


def _delivered_s(made: Stage) -> float:
    began = time.perf_counter()
    made.hark("send", "--wait", "submitted", "--timeout", "60s", "a", "in the flood")
    return time.perf_counter() - began


if __name__ == "__main__":
    run()
