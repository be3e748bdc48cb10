"""python -m tests.agents.dialogs [--agents A,B] [--tries N] [--seed S] [--minutes M] [--write] [--more]: see `trial`. Exit status 1 if anything was harmed."""

from __future__ import annotations

import argparse
import random
import signal
import sys
import time
from contextlib import closing
from functools import partial

from tests.agents.dialogs.campaign import Campaign, Tally
from tests.agents.dialogs.subject import demo_subject, real_subject
from tests.agents.dialogs.trial import Outcome
from tests.support.safety import add_rows, read_row, write_section

HEAD = "| agent | tries | not asked | dialog opened before / during / after the delivery | within 0.1 s of Enter | approved | denied or moved | drafts harmed | messages exact | uncertain | lost | doubled or changed | seed |"
NOTE = "`make dialogs` makes real agents ask for permission while messages are on their way, and writes this table. All of it but the exact messages should be 0."


def main() -> int:
    options = read_options()
    # A run that is told to end takes its agents and its daemon with it.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    print(f"seed {options.seed}", flush=True)
    tallies = [run(kind, options.tries, options.seed, options.minutes) for kind in options.agents.split(",")]
    if options.write:
        for tally in tallies:
            found, before = row(tally), read_row("dialogs", tally.kind) if options.more else None
            write_section("dialogs", NOTE, HEAD, tally.kind, add_rows(before, found) if before else found)
    return 1 if any(tally.faults for tally in tallies) else 0


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="dialogs", description=__doc__)
    parser.add_argument(
        "--agents", default="claude,codex,gemini", help="which agents, with commas between them (%(default)s)"
    )
    parser.add_argument("--tries", type=int, default=200, help="the number of tries for each agent (%(default)s)")
    parser.add_argument(
        "--seed", type=int, default=random.randrange(10**6), help="the seed of an earlier run, to draw the same again"
    )
    parser.add_argument("--minutes", type=float, default=60.0, help="the most minutes for each agent (%(default)s)")
    parser.add_argument("--write", action="store_true", help="put the results into docs/safety.md")
    parser.add_argument("--more", action="store_true", help="add the results to those of runs with other seeds")
    return parser.parse_args()


def run(kind: str, tries: int, seed: int, minutes: float) -> Tally:
    subject = demo_subject if kind == "demo" else partial(real_subject, kind)
    campaign = Campaign(kind, tries, seed, subject)
    began = time.monotonic()
    with closing(campaign.run()) as outcomes:
        for outcome in outcomes:
            report(campaign.tally, outcome, time.monotonic() - began)
            if time.monotonic() - began > minutes * 60:
                break
    print(row(campaign.tally), flush=True)
    return campaign.tally


def report(tally: Tally, outcome: Outcome, seconds: float) -> None:
    times = f"asked at {outcome.opened_after_s:.2f}, sent at {outcome.sent_after_s:.2f}"
    words = (outcome.opened, times, outcome.answer, f"message {outcome.message}", f"draft {outcome.draft}")
    print(
        f"{seconds:6.1f} s  {tally.kind} {tally.tries}: {', '.join(words)}; faults so far: {tally.faults}", flush=True
    )
    if outcome.is_fault:
        print(f"{outcome.plan}\n{outcome.story}", flush=True)


def row(tally: Tally) -> str:
    answers, messages, opened = tally.answers, tally.messages, tally.opened
    cells = (
        tally.kind,
        tally.tries,
        answers["not asked"],
        f"{opened['before']} / {opened['during']} / {opened['after']}",
        tally.near,
        answers["approved"],
        answers["denied"] + answers["moved"],
        f"{tally.drafts['harmed']} of {tally.drafts['exact'] + tally.drafts['harmed']}",
        messages["exact"],
        messages["uncertain"],
        messages["lost"],
        messages["doubled"] + messages["changed"],
        tally.seed,
    )
    return "| " + " | ".join(map(str, cells)) + " |"


if __name__ == "__main__":
    sys.exit(main())
