"""python -m tests.agents.turns [--agents A,B] [--states S,T] [--tries N] [--write]: see `trial`. Exit status 1 if anything was wrong."""

from __future__ import annotations

import argparse
import math
import signal
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from hark.demo.human import Human
from tests.agents.delivering import Delivering, delivering
from tests.agents.running import DEADLINE_S
from tests.agents.test_hooks import with_installed_hooks
from tests.agents.turns.trial import Outcome, State, Trial

WARM_UP_TRIES, WARM_UP_S = 8, 3.0
DOCUMENT = Path(__file__).parents[3] / "docs/turns.md"
HEAD = "| agent | state | messages | right | wrong | by | until acknowledged, median |\n|---|---|---|---|---|---|---|\n"
OPENING = """# What is said of messages to agents at work

`make turns` sends messages to real agents in every state, and writes this table. A message is right when its history is legal and ends with `acknowledged` (by
its id, or by what the agent did next) and `completed`; when it is not `completed` before the answer to it has ended; when the model got it exactly once, to the letter; when
the human's draft is what it was (it is in the box all the time, except after Escape), and when nobody but the human answers a permission dialog. Half of the
messages are `--important`.

"""
# Which way an agent is reached by: its own API, or its hooks; Gemini CLI reads injected hooks from root's directories only.
WAYS = {
    "claude": {"by_hook": True},
    "codex": {"is_native": True},
    "codex, hooks": {"by_hook": True},
    "gemini": {"by_hook": True, "change": with_installed_hooks},
    "opencode": {"is_native": True},
}


def main() -> int:
    options = read_options()
    # A run that is told to end takes its agents and its daemon with it.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    states = [State(name) for name in options.states.split(",")]
    outcomes: dict[str, list[Outcome]] = {}
    for name in options.agents.split(";"):
        outcomes[name] = []
        for state in states:
            outcomes[name] += campaign(name, state, options.tries)
            if options.write:
                write(name, outcomes[name])
    return 1 if any(outcome.faults for found in outcomes.values() for outcome in found) else 0


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="turns", description=__doc__)
    parser.add_argument(
        "--agents", default=";".join(WAYS), help="which agents, with semicolons between them (%(default)s)"
    )
    parser.add_argument(
        "--states", default=",".join(State), help="which states, with commas between them (%(default)s)"
    )
    parser.add_argument(
        "--tries", type=int, default=50, help="the number of messages for each agent and state (%(default)s)"
    )
    parser.add_argument("--write", action="store_true", help="put the results into docs/turns.md")
    return parser.parse_args()


def campaign(name: str, state: State, tries: int) -> Iterator[Outcome]:
    """An agent that is stuck is started anew."""
    began, number = time.monotonic(), 0
    while number < tries:
        for outcome in some(name, state, range(number, tries)):
            number += 1
            words = (f"{state} {number}", outcome.mode, outcome.channel, f"{outcome.seconds:.2f} s", *outcome.faults)
            seconds = time.monotonic() - began
            print(f"{seconds:6.1f} s  {name}: {', '.join(words)}\n{outcome.story}".rstrip(), flush=True)
            yield outcome


def some(name: str, state: State, numbers: range) -> Iterator[Outcome]:
    """Until all are done, or the agent is stuck."""
    with delivering(name.partition(",")[0], **WAYS[name]) as agent, agent.human() as human:  # type: ignore[arg-type]
        human.wait_attached(DEADLINE_S)
        warm_up(agent, human)
        for number in numbers:
            outcome = Trial(agent, human, state, number).run()
            yield outcome
            if outcome.faults:
                return


def warm_up(agent: Delivering, human: Human) -> None:
    """Which conversation a pane shows is certain only after the first prompt of some agents. It is a human's: Gemini CLI draws its
    box some seconds before it takes an Enter, and nothing on its screen tells."""
    agent.wait_ready()
    human.paste("warm up")
    agent.wait_draft("warm up")
    for _ in range(WARM_UP_TRIES):
        human.press("Enter")
        with suppress(AssertionError):
            agent.stand_in.wait_received(lambda one: one.holds("warm up"), WARM_UP_S)
            break
    agent.wait_ready()


def write(name: str, outcomes: list[Outcome]) -> None:
    """The rows of this agent and these states are replaced, the others stay."""
    text = DOCUMENT.read_text() if DOCUMENT.exists() else ""
    tried = [state for state in State if any(one.state is state for one in outcomes)]
    replaced = ("| agent |", *(f"| {name} | {state} |" for state in tried))
    rows = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith(replaced)]
    rows += [row(name, state, outcomes) for state in tried]
    order = [f"| {known} | {state} |" for known in WAYS for state in State]
    rows.sort(key=lambda line: next((number for number, start in enumerate(order) if line.startswith(start)), 99))
    DOCUMENT.write_text(OPENING + HEAD + "\n".join(rows) + "\n")


def row(name: str, state: State, outcomes: list[Outcome]) -> str:
    found = [one for one in outcomes if one.state is state]
    wrong = [one for one in found if one.faults]
    channels = Counter(one.channel for one in found)
    by = ", ".join(f"{channel} {count}" for channel, count in channels.most_common())
    seconds = [one.seconds for one in found if not math.isnan(one.seconds)]
    faults = "; ".join(sorted({fault[:90] for one in wrong for fault in one.faults}))
    cells = (name, state, len(found), len(found) - len(wrong), f"{len(wrong)} {faults}".strip(), by)
    return "| " + " | ".join(map(str, cells)) + f" | {statistics.median(seconds) if seconds else math.nan:.2f} s |"


if __name__ == "__main__":
    sys.exit(main())
