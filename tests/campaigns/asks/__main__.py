"""Asks a real agent many questions through `hark ask`, and counts the right answers.

    python -m tests.campaigns.asks AGENT [COUNT [SEED]]

Each answer is known before: one word to 100 KB, code, many alphabets. Some questions come while the agent is busy, some together, and
some times the daemon is killed while the agent works. An answer is right if it is that of its own question; shared if the questions
went in as one prompt and it is that of another of them; missing if hark says that there is none, and why; else it is wrong.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

from tests.agents.delivering import HARK, Delivering, delivering

NATIVE = ("codex", "opencode")
DEADLINE_S = 300
SIZES = (1, 3, 40, 400, 4_000, 20_000, 100_000)
PARTS = (
    "word",
    "naïve",
    "漢字",
    "👍🏽",
    "e\u0301",
    "שלום",
    "`code`",
    '"quoted"',
    "\\",
    "1️⃣",
    "…",
    "\n",
    "\n\n",
    "\n```python\n\tx = 1\n```\n",
)


def draw_answer(random: Random, number: int) -> str:
    size = random.choice(SIZES)
    text = f"Answer {number:03d}:"
    while len(text.encode()) < size:
        text += f" {random.choice(PARTS)}{random.randrange(1000)}"
    return text


def ask(agent: Delivering, number: int, answer: str, busy_s: float) -> subprocess.Popen[str]:
    file = Path(agent.hark.home) / f"answer-{number}.txt"
    file.write_text(answer)
    busy = f"[[busy={busy_s}]] " if busy_s else ""
    return subprocess.Popen(
        [HARK, "ask", "--json", "--timeout", f"{DEADLINE_S}s", "a", f"{busy}[[read={file}]]"],
        env=agent.hark.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def without_joiners(text: str) -> str:
    """Leave out what Gemini CLI drops from its record, and blanks at the ends, which agents trim."""
    return "".join(c for c in text if c not in "\u200d\ufe0f").strip()


def judge(given: str | None, own: str, others: list[str], parts_s: float) -> str:
    if not given:
        return "missing"
    answers = {without_joiners(text): text for text in (own, *others)}
    known = without_joiners(given)
    if parts_s and "\n\nAnswer " in f"\n\n{known}":
        known = "Answer " + f"\n\n{known}".rpartition("\n\nAnswer ")[2]
    if known == without_joiners(own):
        return "right"
    return "shared" if known in answers else "wrong"


def main(arguments: list[str]) -> int:
    kind, count, seed = arguments[0], int((arguments[1:2] or ["50"])[0]), int((arguments[2:3] or ["1"])[0])
    random, tally, began, kills = Random(seed), Counter[str](), time.monotonic(), 0
    is_native = kind in NATIVE
    with delivering(kind, is_native=is_native, by_hook=kind == "claude", max_batch_size=5) as agent:
        number = 0
        while number < count:
            together = min(random.choice((1, 1, 1, 2, 3)), count - number)
            busy_s = random.choice((0.0, 0.0, 1.0, 3.0))
            answers = [draw_answer(random, number + n) for n in range(together)]
            asks = [ask(agent, number + n, answer, busy_s) for n, answer in enumerate(answers)]
            if random.random() < 0.15:
                kills += 1
                agent.hark.kill_daemon()
                agent.hark.ok("ls")
            for n, (process, own) in enumerate(zip(asks, answers, strict=True)):
                out, error = process.communicate(timeout=DEADLINE_S + 60)
                message = json.loads(out) if out else {}
                given = message.get("answer") or {}
                verdict = judge(given.get("text"), own, [one for one in answers if one is not own], busy_s)
                tally[verdict] += 1
                if verdict in ("wrong", "missing"):
                    why = given.get("reason") or given.get("source") or error.strip()[-200:]
                    print(
                        f"{number + n}: {verdict}: {(given.get('text') or '')[:120]!r} for {own[:60]!r} ({why})",
                        flush=True,
                    )
            number += together
    words = ", ".join(f"{tally[verdict]} {verdict}" for verdict in ("right", "shared", "missing", "wrong"))
    print(f"{kind}, {count} asks, seed {seed}, {kills} kills of the daemon, {time.monotonic() - began:.0f} s: {words}")
    return tally["wrong"] > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
