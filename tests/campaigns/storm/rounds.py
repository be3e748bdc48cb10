"""A storm in rounds, each on an agent of its own: a long one can be bounded in time, and the same call goes on where it was left.

What a round has found is kept beside the traces, under the commit that was run.
"""

from __future__ import annotations

import subprocess
import time
from functools import cache
from pathlib import Path

import msgspec
from msgspec.structs import replace

from tests.campaigns.storm import storm
from tests.campaigns.storm.result import Result, table
from tests.campaigns.storm.storm import Plan, Say

ROUND = 50
"""Messages to one agent: what it has been told it draws again and again, slower and slower."""


def run(plan: Plan, say: Say, traces: Path, ends_at: float | None = None) -> Result | None:
    """None if there was no time for a single round."""
    directory = traces / "rounds" / commit()
    total: Result | None = None
    for number, start in enumerate(range(0, plan.deliveries, ROUND)):
        part = replace(plan, deliveries=min(ROUND, plan.deliveries - start), seed=plan.seed * 1000 + number)
        kind = "plain" if plan.is_plain else "any"
        file = directory / f"{plan.protocol}-{plan.agent}-{kind}-{part.seed}-{part.deliveries}.json"
        if not file.exists() and ends_at is not None and time.monotonic() >= ends_at:
            say("no time for another round")
            break
        result = _load(file) or _play(part, say, traces, file)
        total = total.plus(result) if total else result
        say(f"round {number + 1}\n{table([total])}")
    return total


def _load(file: Path) -> Result | None:
    return msgspec.json.decode(file.read_bytes(), type=Result) if file.exists() else None


def _play(plan: Plan, say: Say, traces: Path, file: Path) -> Result:
    result = replace(storm.run(plan, say, traces), commit=commit())
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(msgspec.json.encode(result))
    for one in result.damage if result.is_ours else ():
        say(one[:2000])
    return result


@cache
def commit() -> str:
    """The commit that is checked out; with a plus if something has been changed since."""
    asked = subprocess.run(["git", "describe", "--always", "--dirty=+"], capture_output=True, text=True, check=False)
    return asked.stdout.strip() or "unknown"
