"""Prompts that an agent keeps in its box although it has taken them, with no message of hark's about.

A person submits a prompt, types another one, and presses Enter around the end of the first one's turn. This is the control of the
column "kept" in docs/storm.md: what an agent does by itself is no doing of hark's.

python -m tests.campaigns.storm.left AGENT COUNT
"""

from __future__ import annotations

import sys
import time
from random import Random

from hark.demo.human import Human
from tests.agents.delivering import Delivering, delivering
from tests.campaigns.storm.storm import DEADLINE_S

ENTER_AFTER_S = (0.1, 0.45)
LOOKS_AFTER_S = 1.6


def is_kept(agent: Delivering, human: Human, number: int, after_s: float) -> bool:
    """True if the second prompt has reached the model and still stands in the box."""
    first, second = f"aa{number:04d}", f"bb{number:04d}"
    human.type(first, keys_per_second=60)
    time.sleep(0.3)
    human.press("Enter")
    ends_at = time.monotonic() + after_s
    human.type(second, keys_per_second=100)
    time.sleep(max(0.0, ends_at - time.monotonic()))
    human.press("Enter")
    time.sleep(LOOKS_AFTER_S)
    if second not in agent.screen().cursor_row:
        return False
    for _ in second:
        human.press("Backspace")
        time.sleep(0.02)
    return any(second in text for text in agent.stand_in.submitted())


def main(words: list[str]) -> int:
    kind, count = words[0], int(words[1])
    dice = Random(1)
    with delivering(kind) as agent, agent.human() as human:
        human.wait_attached(DEADLINE_S)
        agent.wait_ready()
        kept = sum(is_kept(agent, human, number, dice.uniform(*ENTER_AFTER_S)) for number in range(count))
    print(f"{kind} kept {kept} of {count} prompts in its box after it had taken them; no message was sent")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
