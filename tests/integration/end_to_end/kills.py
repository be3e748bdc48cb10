"""python -m tests.integration.end_to_end.kills [--agent demo|claude|codex|gemini] [--whens before,during,after] [--write]

Kills the daemon at every step of a delivery, in each way, until a delivery ends without being killed. Exit status 1 if a
draft, a message or the terminal was not as it should be after the next daemon had gone on.
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial

import msgspec

from tests.integration.end_to_end.killing import (
    DELIVERED,
    LONG_DRAFT,
    NO_DRAFT,
    WHENS,
    Draft,
    Patient,
    Point,
    Verdict,
    demo_patient,
    kill_once,
    real_patient,
)
from tests.support.safety import write_section

HEAD = "| delivery | kills | message once | uncertain: arrived / not | lost or doubled | drafts exact | cursor where it was | left behind | cursor at the end of the draft instead, when killed at |"
NOTE = """\
## The daemon killed at every step

`scripts/kills` kills the daemon with SIGKILL before, during and after every step of a delivery beside a draft of three lines with the cursor in
the middle, starts it again, and writes this table."""


class Case(msgspec.Struct, frozen=True):
    name: str
    open_patient: Callable[[], AbstractContextManager[Patient]]
    draft: Draft


DEMO = (
    Case("demo agent, none", partial(demo_patient, "none"), NO_DRAFT),
    Case("demo agent, stash", partial(demo_patient, "stash"), LONG_DRAFT),
    Case("demo agent, editor", partial(demo_patient, "editor"), LONG_DRAFT),
    Case("demo agent, sentinel", partial(demo_patient, "sentinel"), LONG_DRAFT),
    Case("demo agent, stash, adopted pane", partial(demo_patient, "stash", is_adopted=True), LONG_DRAFT),
)


def main() -> int:
    options = read_options()
    # A run that is told to end takes its agents and its daemon with it.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    faults = 0
    for case in cases_of(options.agent, options.only):
        verdicts = [verdict for verdict in try_all(case, options.whens.split(",")) if verdict.step is not None]
        faults += sum(bool(verdict.faults) for verdict in verdicts)
        print(row(case.name, verdicts), flush=True)
        if options.write:
            write_section("kills", NOTE, HEAD, case.name, row(case.name, verdicts))
    return 1 if faults else 0


def cases_of(agent: str, only: str) -> list[Case]:
    if agent != "demo":
        return [Case(f"{agent}, behind an airlock", partial(real_patient, agent), LONG_DRAFT)]
    return [case for case in DEMO if only in case.name]


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="kills", description=__doc__)
    parser.add_argument("--agent", default="demo", help="the agent (%(default)s)")
    parser.add_argument("--only", default="", help="only deliveries whose name has this in it")
    parser.add_argument(
        "--whens", default=",".join(WHENS), help="when to kill in a step, with commas between them (%(default)s)"
    )
    parser.add_argument("--write", action="store_true", help="put the results into docs/safety.md")
    return parser.parse_args()


def try_all(case: Case, whens: list[str]) -> Iterator[Verdict]:
    """A try that went wrong is followed by a new agent: the old one may be anywhere."""
    points = (Point(when, number) for when in whens for number in range(1, 1000))
    over: set[str] = set()
    while len(over) < len(whens):
        with case.open_patient() as patient:
            patient.wait_empty()
            for point in (point for point in points if point.when not in over):
                verdict = kill_once(patient, case.draft, point)
                report(case, verdict)
                yield verdict
                over |= {point.when} if verdict.step is None else set()
                if verdict.faults or len(over) == len(whens):
                    break


def report(case: Case, verdict: Verdict) -> None:
    words = (verdict.status, f"{verdict.arrivals} x", "cursor kept" if verdict.is_cursor_exact else "cursor moved")
    print(f"{case.name}: {verdict.point.when} {verdict.point.number} {verdict.step}: {', '.join(words)}", flush=True)
    if verdict.faults:
        print(f"FAULT {verdict.faults}\n{verdict}", flush=True)


def row(name: str, verdicts: list[Verdict]) -> str:
    unsure = [verdict for verdict in verdicts if verdict.status == "uncertain"]
    once = sum(verdict.status in DELIVERED and verdict.arrivals == 1 for verdict in verdicts)
    right_unsure = sum(verdict.arrivals <= 1 for verdict in unsure)
    moved = {str(verdict.step): None for verdict in verdicts if not verdict.is_cursor_exact}
    cells = (
        name,
        len(verdicts),
        once,
        f"{sum(verdict.arrivals == 1 for verdict in unsure)} / {sum(not verdict.arrivals for verdict in unsure)}",
        len(verdicts) - once - right_unsure,
        sum(verdict.is_draft_exact for verdict in verdicts),
        sum(verdict.is_cursor_exact for verdict in verdicts),
        sum(bool(verdict.leftovers) for verdict in verdicts),
        ", ".join(moved) or "-",
    )
    return "| " + " | ".join(map(str, cells)) + " |"


if __name__ == "__main__":
    sys.exit(main())
