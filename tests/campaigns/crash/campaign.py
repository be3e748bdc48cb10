"""One run of the campaign: senders, a killer, and the judge at the end.

Senders call the API with a key for each message, again and again until it is accepted: what was accepted must arrive, or its
status must say why not. Meanwhile the daemon is killed with SIGKILL and started again, the disk that holds its state is full
for a while, its clock is stepped, and the tmux server of some sessions is killed and the sessions are started anew.
"""

from __future__ import annotations

import http.client
import json
import random
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct, structs

from tests.campaigns.crash.judge import Final, Verdict, judge, received
from tests.integration.end_to_end.agents import PROGRAM
from tests.integration.end_to_end.calling import UnixConnection, call
from tests.integration.end_to_end.disks import fill, mounted
from tests.integration.end_to_end.running import RunningHark
from tests.support.terminals import wait_until

STEPPED = Path(__file__).with_name("stepped.py")
SETTLE_S = 180.0
STEPS_S = (3600.0, -7200.0, 0.0)
FULL_S = 4.0
SENDERS = 4
WAITING = ("queued", "held", "staged", "submitted", "acknowledged")


class Plan(Struct, frozen=True, kw_only=True):
    messages: int = 1000
    sessions: int = 20
    kills: int = 100
    doomed: int = 4
    """Sessions on a tmux server that is killed on the way."""
    seed: int = 1
    has_full_disk: bool = True


class Report(Struct, frozen=True, kw_only=True):
    plan: Plan
    verdict: Verdict
    kills: int
    full_disk_s: float
    clock_steps: int
    restarted: int
    took_s: float


class Accepted(Struct, frozen=True):
    id: str
    name: str
    mode: str
    is_cancelled: bool


class Campaign:
    def __init__(self, hark: Hark, plan: Plan, tell: Callable[[str], None]) -> None:
        self.hark = hark
        self.plan = plan
        self.tell = tell
        self.random = random.Random(plan.seed)
        self.accepted: list[Accepted] = []
        self.kills = 0
        self.full_disk_s = 0.0
        self.clock_steps = 0
        self.restarted = 0
        self._next = iter(range(plan.messages))
        self._lock = threading.Lock()
        self._is_over = threading.Event()
        self._offset = hark.home / "offset"
        self._logs: dict[str, Path] = {}
        self._generation = 0
        serve = f'exec "$0" {shlex.quote(str(STEPPED))} {shlex.quote(str(self._offset))} "$@" 2>>"$HARK_HOME/stderr"'
        hark.environment["HARK_SERVE_COMMAND"] = shlex.join(["sh", "-c", serve, sys.executable])

    def run(self) -> Report:
        began = time.monotonic()
        self._start_sessions(range(self.plan.sessions))
        senders = [threading.Thread(target=self._send, args=(number,)) for number in range(SENDERS)]
        for sender in senders:
            sender.start()
        self._disturb(senders)
        for sender in senders:
            sender.join()
        self._is_over.set()
        self._start_daemon()
        finals = self._settle()
        arrived = {session: received(_records(log)) for session, log in self._logs.items()}
        return Report(
            plan=self.plan,
            verdict=judge(finals, arrived),
            kills=self.kills,
            full_disk_s=self.full_disk_s,
            clock_steps=self.clock_steps,
            restarted=self.restarted,
            took_s=time.monotonic() - began,
        )

    # sessions

    def _name(self, number: int) -> str:
        return f"c{number}"

    def _start_sessions(self, numbers: range) -> None:
        for number in numbers:
            log = self.hark.home / f"agent-{number}-{self._generation}.log"
            is_doomed = number >= self.plan.sessions - self.plan.doomed
            where = ("-S", str(self.hark.doomed_socket)) if is_doomed else ()
            agent = (PROGRAM, "--log", str(log), "--busy", "0.05")
            info = self._insist("new", "-d", *where, "-n", self._name(number), "--", *agent)
            self._logs[info["id"]] = log
        self._generation += 1

    def _insist(self, *arguments: str) -> Any:
        """However often the daemon goes."""
        for _ in range(100):
            with suppress(AssertionError, json.JSONDecodeError):
                return self.hark.json(*arguments)
            time.sleep(0.1)
        raise AssertionError(f"hark {shlex.join(arguments)}: not once in 100 times")

    # senders

    def _send(self, sender: int) -> None:
        chance = random.Random(self.plan.seed * 1000 + sender)
        while True:
            with self._lock:
                number = next(self._next, None)
            if number is None:
                return
            self._send_one(number, chance)
            time.sleep(chance.random() * 0.2)

    def _send_one(self, number: int, chance: random.Random) -> None:
        name = self._name(chance.randrange(self.plan.sessions))
        mode = chance.choices(("sequential", "important", "urgent"), (84, 14, 2))[0]
        body: dict[str, Any] = {"text": f"message {number} " + "words " * chance.randrange(20), "delivery_mode": mode}
        if chance.random() < 0.05:
            body["timeout_seconds"] = 300
        sent = self._ask("POST", f"/sessions/{name}/send", body, {"Idempotency-Key": f"crash-{number}"})
        is_cancelled = False
        if chance.random() < 0.03:
            answer = self._ask("POST", f"/messages/{sent['id']}/cancel", None, {})
            is_cancelled = answer.get("status") == "cancelled"
        with self._lock:
            self.accepted.append(Accepted(sent["id"], name, mode, is_cancelled))

    def _ask(self, method: str, path: str, body: object, headers: dict[str, str]) -> Any:
        """Until it is answered by something else than a failure."""
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            with suppress(OSError, http.client.HTTPException, ValueError):
                answer = call(UnixConnection(self.hark.socket), method, path, body, headers)
                if answer.status < 500:
                    return answer.json
            time.sleep(0.05)
        raise AssertionError(f"{method} {path}: not answered for two minutes")

    # what goes wrong

    def _disturb(self, senders: list[threading.Thread]) -> None:
        done = {"disk": not self.plan.has_full_disk, "tmux": not self.plan.doomed}
        while any(sender.is_alive() for sender in senders) or self.kills < self.plan.kills:
            time.sleep(0.2 + self.random.random() * 0.8)
            self._kill()
            share = self.kills / max(self.plan.kills, 1)
            if self.kills % 10 == 0:
                self._step_clock()
                self.tell(f"{self.kills} kills, {len(self.accepted)} of {self.plan.messages} messages accepted")
            if share > 0.3 and not done["disk"]:
                done["disk"] = True
                self._fill_disk()
            if share > 0.6 and not done["tmux"]:
                done["tmux"] = True
                self._restart_tmux()

    def _kill(self) -> None:
        with suppress(AssertionError, ProcessLookupError):
            self.hark.kill_daemon()
            self.kills += 1
        self._start_daemon()

    def _start_daemon(self) -> None:
        """A disk that is full may keep it from starting."""
        for _ in range(200):
            if self.hark.daemon_pid() or self.hark.run("daemon", "start").returncode == 0:
                return
            time.sleep(0.1)

    def _step_clock(self) -> None:
        self._offset.write_text(str(STEPS_S[self.clock_steps % len(STEPS_S)]))
        self.clock_steps += 1

    def _fill_disk(self) -> None:
        began = time.monotonic()
        filler = fill(self.hark.home / "state")
        try:
            while time.monotonic() - began < FULL_S:
                time.sleep(0.5)
                with suppress(AssertionError, ProcessLookupError):
                    self.hark.kill_daemon()
                    self.kills += 1
                self.hark.run("daemon", "start")
        finally:
            filler.unlink()
        self.full_disk_s = time.monotonic() - began
        self._start_daemon()

    def _restart_tmux(self) -> None:
        end_tmux(self.hark.doomed_socket)
        first = self.plan.sessions - self.plan.doomed
        for number in range(first, self.plan.sessions):
            wait_until(lambda number=number: self._is_gone(number), 60, f"c{number} to be gone")  # type: ignore[misc]
        self._start_sessions(range(first, self.plan.sessions))
        self.restarted = self.plan.doomed

    def _is_gone(self, number: int) -> bool:
        self._start_daemon()
        with suppress(OSError, http.client.HTTPException, ValueError, KeyError):
            return bool(self.hark.session(self._name(number))["state"] == "gone")
        return False

    # the end

    def _settle(self) -> list[Final]:
        """When nothing changes any more but by what is known to wait for ever."""
        self._offset.write_text("0")
        deadline = time.monotonic() + SETTLE_S
        while True:
            finals = self._finals()
            open_ones = [f for f in finals if f.status in WAITING and not f.is_gone]
            if not open_ones or time.monotonic() > deadline:
                return finals
            time.sleep(1)

    def _finals(self) -> list[Final]:
        sessions = self._ask("GET", "/sessions?all=1", None, {})["sessions"]
        finals: list[Final] = []
        for session in sessions:
            found = self._ask("GET", f"/sessions/{session['id']}/messages?limit=1000", None, {})["messages"]
            finals += [_final(message, session) for message in reversed(found)]
        known = {final.id for final in finals}
        missing = [one for one in self.accepted if one.id not in known]
        return finals + [Final(id=one.id, session_id="?", mode=one.mode, status="forgotten") for one in missing]


def _final(message: dict[str, Any], session: dict[str, Any]) -> Final:
    return Final(
        id=message["id"],
        session_id=session["id"],
        mode=message["delivery_mode"],
        status=message["status"],
        is_gone=session["state"] == "gone",
    )


def _records(log: Path) -> list[dict[str, Any]]:
    if not log.exists():
        return []
    return [json.loads(line) for line in log.read_text().split("\n") if line.endswith("}")]


@contextmanager
def running(plan: Plan) -> Iterator[tuple[Hark, Plan]]:
    """With a state directory of its own size, where we may mount one."""
    with ExitStack() as owned:
        hark = owned.enter_context(Hark())
        if plan.has_full_disk:
            try:
                owned.enter_context(mounted(hark.home / "state", "size=48m"))
            except pytest.skip.Exception:
                plan = structs.replace(plan, has_full_disk=False)
        yield hark, plan


class Hark(RunningHark):
    """A full disk makes a daemon complain: that is no fault here."""

    @property
    def doomed_socket(self) -> Path:
        return self.home / "run/doomed"

    def close(self) -> str:
        end_tmux(self.doomed_socket)
        super().close()
        return ""


def end_tmux(socket: Path) -> None:
    """Whether or not one is there."""
    subprocess.run(["tmux", "-S", str(socket), "kill-server"], capture_output=True, timeout=30, check=False)
