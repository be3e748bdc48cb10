"""python -m tests.campaigns.crash [--messages N] [--sessions N] [--kills N] [--seed N] [--write]

Exit status 1 if a message was lost or doubled, if a status was not true, or if a message was never said to be completed.
"""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

from tests.campaigns.crash.campaign import Campaign, Plan, Report, running

DOCUMENT = Path("docs/crash.md")
HEAD = """\
# The crash campaign

`make crash` sends messages to demo agents while the daemon is killed with SIGKILL at random moments and started again, the disk that holds its state is
full for a while, its clock is stepped forward and back by hours, and the tmux server of some sessions is killed and the sessions are started anew. At the
end the campaign compares what the daemon says of every message with what the agents have written down themselves. A message that arrived at an agent that still runs must
end `completed`; of agents that were killed with their tmux server nobody knows more than `submitted` or `acknowledged`. It writes this page.
"""


def main() -> int:
    options = read_options()
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    plan = Plan(
        messages=options.messages,
        sessions=options.sessions,
        kills=options.kills,
        seed=options.seed,
        doomed=min(4, options.sessions // 4),
    )
    with running(plan) as (hark, possible):
        report = Campaign(hark, possible, lambda words: print(words, flush=True)).run()
    text = "\n".join(lines(report))
    print(text)
    if options.write:
        DOCUMENT.write_text(f"{HEAD}\n{text}\n")
    return 0 if report.verdict.is_good else 1


def lines(report: Report) -> list[str]:
    verdict, plan = report.verdict, report.plan
    disk = f"{report.full_disk_s:.0f} s" if plan.has_full_disk else "not tried: it needs the right to mount"
    rows = [
        ("messages accepted", verdict.messages),
        ("sessions", plan.sessions),
        ("daemon killed", report.kills),
        ("disk full for", disk),
        ("clock stepped", report.clock_steps),
        ("sessions whose tmux server was killed, and that were started anew", report.restarted),
        ("took", f"{report.took_s:.0f} s, seed {plan.seed}"),
        ("**lost**", len(verdict.lost)),
        ("**doubled**", len(verdict.doubled)),
        ("**status not true**", len(verdict.untrue)),
        ("**arrived, and never said to be completed** (of sessions that run)", len(verdict.unsettled)),
        ("uncertain: arrived / not", f"{verdict.uncertain_arrived} / {verdict.uncertain_not}"),
        ("overtaken by a later one of the same session and mode", verdict.overtaken),
        ("statuses at the end", ", ".join(f"{name} {count}" for name, count in sorted(verdict.statuses.items()))),
    ]
    told = ["| what | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows)]
    faults = [*verdict.lost, *verdict.doubled, *verdict.untrue, *verdict.unsettled]
    return [*told, "", f"Faults: {', '.join(faults)}"] if faults else told


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="crash")
    parser.add_argument("--messages", type=int, default=1000)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
