"""python -m tests.agents.signals [--agents A,B] [--ways started,installed,bare] [--markers N] [--turns N] [--seed S] [--write]

Real agents announce while everything around them changes. Exit status 1 if a signal of an agent with hooks or a native
channel was missed, doubled or made up."""

from __future__ import annotations

import argparse
import random
import signal
import sys
from datetime import UTC, datetime

from tests.agents.signals.campaign import Campaign, Outcome
from tests.agents.signals.report import write

AGENTS = "claude,codex,gemini,opencode"
POSSIBLE = {
    "started": ("claude", "codex", "gemini", "opencode"),
    "installed": ("claude", "gemini", "opencode"),
    "bare": ("claude", "codex", "gemini", "opencode"),
}
"""By way: started by hark; adopted, with hooks by `hark install` (Codex would ask whether to trust them);
adopted, with nothing but the screen."""


def main() -> int:
    options = read_options()
    # A run that is told to end takes its agents and its daemon with it.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    print(f"seed {options.seed}", flush=True)
    ways = [
        (kind, way) for way in options.ways.split(",") for kind in options.agents.split(",") if kind in POSSIBLE[way]
    ]
    outcomes: list[Outcome] = []
    for kind, way in ways:
        outcomes.append(run(kind, way, options))
        if options.write:
            write(outcomes, options.seed, datetime.now(UTC))
    return 0 if all(one.is_clean for one in outcomes if one.way != "bare") else 1


def run(kind: str, way: str, options: argparse.Namespace) -> Outcome:
    outcome = Campaign(kind, way, options.seed, options.markers, options.turns).run()
    print(outcome, flush=True)
    return outcome


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="signals", description=__doc__)
    parser.add_argument("--agents", default=AGENTS, help="which agents, with commas between them (%(default)s)")
    parser.add_argument(
        "--ways",
        default="started,installed,bare",
        help="how the agents are run, with commas between them (%(default)s)",
    )
    parser.add_argument("--markers", type=int, default=50, help="the number of markers for each agent (%(default)s)")
    parser.add_argument(
        "--turns", type=int, default=10, help="the number of turns that the markers are spread over (%(default)s)"
    )
    parser.add_argument(
        "--seed", type=int, default=random.randrange(10**6), help="the seed of an earlier run, to draw the same again"
    )
    parser.add_argument("--write", action="store_true", help="write docs/signals.md")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
