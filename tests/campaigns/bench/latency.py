"""From the start of the sending process to the agent's own request, the agent idle; ours beside what is in use today.

The clock stops at the stand-in, which is the agent's model: what happens on a screen is not proof. Ours is split by the
receipts of each message: until it is on record, until its text is proven in the box, until the agent asks its model.
"""

import statistics
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from msgspec import Struct

from tests.agents.delivering import Delivering, delivering
from tests.agents.marks import MARKS
from tests.agents.screen import Screen
from tests.campaigns.bench.stage import tell
from tests.campaigns.storm import peers
from tests.support.terminals import wait_until

KINDS = ("claude", "codex", "gemini")
ROUNDS = 20
DEADLINE_S = 30.0
MISSED_AFTER_S = 3.0
SAME = 12
DRAFT = "a draft of three lines\n\nand this is the last one"
REPOSITORY = Path(__file__).parents[3]
HARK = str(Path(sys.executable).with_name("hark"))


class Times(Struct, frozen=True):
    """In seconds after the process was started."""

    accepted: float
    staged: float
    requested: float


def run() -> None:
    print(
        "send -> the agent's request, idle (aims: 150 ms into an empty box, 400 ms with a draft of three lines carried)"
    )
    for kind in KINDS:
        with delivering(kind) as agent:
            _measure(agent)
    print()


def _measure(agent: Delivering) -> None:
    kind = agent.launch.kind
    for number in range(2):
        _ours(agent, f"warm up {number}")
    empty = [_ours(agent, f"round {number}") for number in range(ROUNDS)]
    _tell_ours(f"{kind}, empty box, hark", empty)
    agent.tmux.paste(agent.pane, DRAFT)
    agent.wait_draft(DRAFT)
    carried = [_ours(agent, f"carried {number}") for number in range(ROUNDS)]
    _tell_ours(f"{kind}, draft carried, hark", carried)
    _submit_draft(agent)
    median = statistics.median(times.requested for times in empty)
    for name in peers.PEERS:
        _tell_peer(agent, name, median)


def _ours(agent: Delivering, text: str) -> Times:
    _wait_idle(agent)
    started = datetime.now(UTC)
    words = [HARK, "send", "-q", "--", "a", text]
    message_id = subprocess.run(
        words, env=agent.hark.environment, capture_output=True, text=True, check=True
    ).stdout.strip()
    requested = agent.stand_in.wait_received(lambda one: one.holds(message_id), DEADLINE_S).at
    message = wait_until(
        lambda: [one for one in [agent.hark.message(message_id)] if one["delivered_at"]], DEADLINE_S, "the receipts"
    )[0]
    staged = next(one["at"] for one in message["receipts"] if one["status"] == "staged")
    instants = (datetime.fromisoformat(message["queued_at"]), datetime.fromisoformat(staged), requested)
    return Times(*((at - started) / timedelta(seconds=1) for at in instants))


def _wait_idle(agent: Delivering) -> None:
    """Until the turn before is over and the screen has stood still for a moment."""
    seen: list[Screen] = []

    def is_idle() -> bool:
        seen.append(agent.screen())
        is_busy = MARKS[agent.launch.kind].is_busy(seen[-1])
        return not is_busy and len(seen) >= SAME and len(set(seen[-SAME:])) == 1

    wait_until(is_idle, DEADLINE_S, "an idle agent", lambda: seen[-1].text)


def _submit_draft(agent: Delivering) -> None:
    """A draft that was not carried to the letter makes all figures worthless."""
    _wait_idle(agent)
    agent.tmux.press(agent.pane, "Enter")
    wait_until(lambda: DRAFT in agent.prompts(), DEADLINE_S, "the draft at the model", agent.stand_in.submitted)
    agent.wait_ready()


def _tell_ours(what: str, measured: list[Times]) -> None:
    tell(what, [times.requested for times in measured])
    parts: dict[str, Callable[[Times], float]] = {
        "process start -> accepted": lambda times: times.accepted,
        "accepted -> staged": lambda times: times.staged - times.accepted,
        "staged -> request": lambda times: times.requested - times.staged,
    }
    for part, seconds in parts.items():
        tell(f"  {part}", [seconds(times) for times in measured])


def _tell_peer(agent: Delivering, name: str, ours_s: float) -> None:
    what = f"{agent.launch.kind}, {peers.PEERS[name].title}"
    seconds = [_peer(agent, name, f"{name} {number}") for number in range(ROUNDS)]
    arrived = [one for one in seconds if one is not None]
    if not arrived:
        print(f"  {what}: not submitted in {ROUNDS} of {ROUNDS} rounds", flush=True)
        return
    tell(what, arrived)
    missed = f"; not submitted in {ROUNDS - len(arrived)} of {ROUNDS} rounds" if len(arrived) < ROUNDS else ""
    print(f"    {statistics.median(arrived) / ours_s:.1f} times ours{missed}", flush=True)


def _peer(agent: Delivering, name: str, text: str) -> float | None:
    """None when the text was still in the box after a while; then Enter is pressed for it."""
    _wait_idle(agent)
    started = datetime.now(UTC)
    peers.send(agent.tmux, agent.pane, name, text)
    try:
        requested = agent.stand_in.wait_received(lambda one: one.holds(text), MISSED_AFTER_S).at
    except AssertionError:
        agent.tmux.press(agent.pane, "Enter")
        agent.stand_in.wait_received(lambda one: one.holds(text), DEADLINE_S)
        return None
    return (requested - started) / timedelta(seconds=1)
