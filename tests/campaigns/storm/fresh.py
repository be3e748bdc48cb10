"""Fresh starts: the first messages reach an agent that has never been spoken to, while its person types their first prompt.

python -m tests.campaigns.storm.fresh AGENT COUNT [SEED] [native]
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.agents.delivering import delivering
from tests.campaigns.storm.result import Result, table
from tests.campaigns.storm.storm import DEADLINE_S, Plan, Storm, keep_traces

FIRST_MESSAGES = 2
TRACES = Path(__file__).parents[3] / "build/storm"


def run(agent: str, seed: int, *, is_native: bool, traces: Path = TRACES) -> Result:
    """One fresh start. `is_native`: the messages may go by the agent's own API."""
    plan = Plan(protocol="airlock", agent=agent, deliveries=FIRST_MESSAGES, seed=seed, is_plain=True)
    with delivering(agent, is_native=is_native) as running, running.human() as human:
        human.wait_attached(DEADLINE_S)
        running.wait_ready()
        storm = Storm(plan, running, human, lambda text: None)
        result = storm.run()
        if not result.is_clean:
            sent = [f"{one.at.isoformat()} {one.message_id} {one.text!r}" for one in storm.sent]
            keep_traces(running, sent, storm.typist, traces / f"fresh-{agent}-{seed}")
        return result


def main(words: list[str]) -> int:
    agent, count = words[0], int(words[1])
    first = int(words[2]) if len(words) > 2 else 1
    results: list[Result] = []
    for seed in range(first, first + count):
        result = run(agent, seed, is_native="native" in words)
        results.append(result)
        print(f"seed {seed}: {result.keys_lost} of {result.keys} keys lost, {result.damage}", flush=True)
    print(table(results))
    clean = sum(result.is_clean for result in results)
    print(f"{clean} of {count} fresh starts of {agent} clean, {sum(one.keys_lost for one in results)} keys lost")
    return 0 if clean == count else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
