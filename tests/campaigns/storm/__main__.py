"""`make storm`: everything, or what the options say; prints as it goes, and ends with 1 if anything of ours was not exact."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from tests.agents.launch import PINNED
from tests.campaigns.storm import kills, report, rounds
from tests.campaigns.storm.kills import Killed
from tests.campaigns.storm.peers import PEERS
from tests.campaigns.storm.report import Report
from tests.campaigns.storm.result import Result, table
from tests.campaigns.storm.storm import Plan

TRACES = Path(__file__).parents[3] / "build/storm"
AGENTS = ("claude", "codex", "gemini", "opencode")
# protocol, agent, deliveries; the protocols in use today are shown on one agent
DEFAULT = (
    *(("airlock", agent, 100) for agent in AGENTS),
    ("adopted", "claude", 100),
    ("adopted", "codex", 20),
    ("adopted", "gemini", 20),
    ("adopted", "opencode", 20),
    *((name, "claude", 15) for name in PEERS),
)
# the same for kills of the daemon
KILLS = (
    ("airlock", "claude", 100),
    ("adopted", "claude", 100),
    ("airlock", "codex", 50),
    ("airlock", "gemini", 50),
)
OURS = ("airlock", "adopted")


def main(words: Sequence[str]) -> int:
    options = read_options(words)
    if options.page:
        report.write(report.load())
        return 0
    plans, killings = plans_of(options), killings_of(options)
    started = time.monotonic()
    print(f"commit {rounds.commit()}, seed {options.seed}", flush=True)
    ends_at = started + 60 * options.minutes if options.minutes else None
    storms = [one for one in (_storm(plan, ends_at) for plan in plans) if one]
    killed = [_kill(protocol, agent, count, options.seed) for protocol, agent, count in killings]
    found = Report(
        seed=options.seed,
        seconds=time.monotonic() - started,
        versions=_versions(),
        storms=storms,
        kills=killed,
    )
    _tell(found)
    if options.is_all or options.write:
        report.write(found if options.is_all else report.merge(report.load(), found))
    return 0 if found.is_clean else 1


def read_options(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/storm", description=__doc__)
    parser.add_argument("agents", nargs="*", help=f"which agents: {', '.join(AGENTS)}")
    parser.add_argument(
        "--protocols", help=f"which protocols, with commas between them: airlock, adopted, {', '.join(PEERS)}"
    )
    parser.add_argument("--messages", dest="deliveries", type=int, help="the number of messages to each agent")
    parser.add_argument("--plain", action="store_true", help="plain words instead of texts from all of Unicode")
    parser.add_argument(
        "--minutes", type=float, help="begin no further round after this time; the same call goes on from there"
    )
    parser.add_argument(
        "--kills",
        type=int,
        help="how often to kill the daemon in mid-hold, on each agent; without --messages run no other storm",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--write", action="store_true", help="put the rows into docs/storm.* although it is not the whole storm"
    )
    parser.add_argument(
        "--page", action="store_true", help="only write the page and the plot again, from docs/storm.json"
    )
    options = parser.parse_args(words)
    if unknown := {*options.agents, *_words(options.protocols)} - {name for one in DEFAULT for name in one[:2]}:
        parser.error(f"not known: {', '.join(sorted(unknown))}")
    options.is_all = not (options.agents or options.protocols or options.deliveries or options.kills is not None)
    return options


def plans_of(options: argparse.Namespace) -> list[Plan]:
    """Only killing: no storm. An agent that is named gets every protocol that is named."""
    if options.kills is not None and options.deliveries is None:
        return []
    agents, protocols = options.agents, _words(options.protocols)
    chosen = [
        (protocol, agent, count)
        for protocol, agent, count in DEFAULT
        if (not agents or agent in agents) and (not protocols or protocol in protocols)
    ]
    return [
        Plan(
            protocol=protocol,
            agent=agent,
            deliveries=options.deliveries or count,
            seed=options.seed,
            is_plain=options.plain or protocol in PEERS,
        )
        for protocol, agent, count in chosen
    ]


def _words(given: str | None) -> list[str]:
    return given.split(",") if given else []


def killings_of(options: argparse.Namespace) -> list[tuple[str, str, int]]:
    """Agents and protocols that are named are killed on also where the whole storm does not: each of one with each of the other."""
    if options.is_all:
        return list(KILLS)
    if not options.kills:
        return []
    agents, protocols = options.agents, [one for one in _words(options.protocols) if one in OURS]
    if agents and protocols:
        chosen = [(protocol, agent) for agent in agents for protocol in protocols]
    else:
        chosen = [
            (protocol, agent)
            for protocol, agent, _ in KILLS
            if (not agents or agent in agents) and (not _words(options.protocols) or protocol in protocols)
        ]
    return [(protocol, agent, options.kills) for protocol, agent in chosen]


def _storm(plan: Plan, ends_at: float | None) -> Result | None:
    name = f"{plan.title}, {plan.agent}"
    result = rounds.run(plan, lambda text: print(f"  {name}: {text}", flush=True), TRACES, ends_at)
    if result is None:
        return None
    print(table([result]), flush=True)
    _tell_damage(result.damage if plan.is_ours else [])
    return result


def _kill(protocol: str, agent: str, count: int, seed: int) -> Killed:
    name = f"hark, {protocol}, {agent}"
    killed = kills.run(protocol, agent, count, seed, lambda text: print(f"  {name}: {text}", flush=True), TRACES)
    print(_in_words(killed), flush=True)
    _tell_damage(killed.damage)
    return killed


def _tell_damage(damage: list[str]) -> None:
    for one in damage:
        print(f"    {one}", flush=True)


def _in_words(killed: Killed) -> str:
    return (
        f"{killed.protocol}, {killed.agent}: killed {killed.kills} times, keys free after {killed.median_s:.2f} s at the median, "
        f"{killed.longest_s:.2f} s at most; {killed.prompts_exact} of {killed.prompts} prompts exact, {killed.keys_lost} of "
        f"{killed.keys} keys lost; {killed.exact} of {killed.messages} messages exact, {killed.uncertain} uncertain, "
        f"{killed.garbled} garbled, {killed.lost} lost, {killed.doubled} doubled"
    )


def _versions() -> dict[str, str]:
    """Of the agents, as they are pinned."""
    packages = (msgspec.json.decode((PINNED / agent / "package.json").read_bytes()) for agent in AGENTS)
    return {name: version for package in packages for name, version in package["dependencies"].items()}


def _tell(found: Report) -> None:
    print(f"\n{table(found.storms)}" if found.storms else "")
    for killed in found.kills:
        print(_in_words(killed))
    verdict = "all of ours exact" if found.is_clean else f"NOT all of ours exact; traces in {TRACES}"
    print(f"\n{verdict}; seed {found.seed}, {found.seconds / 60:.1f} minutes", flush=True)


if __name__ == "__main__":
    # Whoever ends us early leaves no agents and no tmux server behind.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    sys.exit(main(sys.argv[1:]))
