"""Who takes how much of the machine: seconds of CPU by kind of process, ours and everybody else's."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from tests.campaigns.bench.stage import Stage, cpu_seconds

KINDS = ("daemon", "agents", "airlocks", "tmux", "senders", "all others on the machine")


def spent(made: Stage) -> dict[str, float]:
    """Seconds so far."""
    found = dict.fromkeys(KINDS, 0.0)
    found["daemon"], found["senders"] = cpu_seconds(made.daemon_pid()), time.process_time()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                if kind := _kind(made, words):
                    found[kind] += cpu_seconds(int(entry.name))
    found["all others on the machine"] = _machine_seconds() - sum(found.values())
    return found


def shares(before: dict[str, float], after: dict[str, float], seconds: float) -> dict[str, float]:
    """Of one core each."""
    return {kind: max(0.0, after[kind] - before[kind]) / seconds for kind in KINDS}


def _kind(made: Stage, words: str) -> str | None:
    if str(made.home) not in words:
        return None
    if "airlock" in words.split(" -- ")[0]:
        return "airlocks"
    if str(made.home / "agent-") in words:
        return "agents"
    return "tmux" if str(made.tmux) in words else None


def _machine_seconds() -> float:
    """Whatever any of its cores was busy with."""
    user, nice, system, _, _, irq, softirq, steal = map(int, Path("/proc/stat").read_text().split("\n")[0].split()[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
