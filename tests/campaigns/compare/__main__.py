"""python -m tests.campaigns.compare COMMIT [ROUNDS]: measures that commit and this checkout in turns, and prints both with their ratio.

The commit is checked out into a temporary git worktree under build/, with a virtual environment of its own. Each number is the median of
the rounds. A ratio below 1 means that this checkout costs less.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[3]
ROUNDS = 2


def main() -> None:
    commit, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else ROUNDS
    with other_checkout(commit) as other:
        taken: dict[str, list[dict[str, float]]] = {commit: [], "now": []}
        for number in range(rounds):
            for name, tree in ((commit, other), ("now", ROOT)):
                print(f"round {number + 1} of {rounds}: {name}", file=sys.stderr, flush=True)
                taken[name].append(measure(tree))
    print_table(commit, taken)


@contextlib.contextmanager
def other_checkout(commit: str) -> Iterator[Path]:
    tree = ROOT / "build" / "compare"
    remove(tree)
    subprocess.run(["git", "worktree", "add", "--detach", "--force", tree, commit], cwd=ROOT, check=True)
    try:
        subprocess.run([tree / "scripts" / "install"], cwd=tree, check=True)
        yield tree
    finally:
        remove(tree)


def remove(tree: Path) -> None:
    shutil.rmtree(tree, ignore_errors=True)
    subprocess.run(["git", "worktree", "prune"], cwd=ROOT, check=True)


def measure(tree: Path) -> dict[str, float]:
    words = [sys.executable, "-m", "tests.campaigns.compare.measurement", str(tree / ".venv" / "bin")]
    numbers: dict[str, float] = json.loads(subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout)
    return numbers | {"load of the machine at the end (times mean little above 2)": os.getloadavg()[0]}


def print_table(commit: str, taken: dict[str, list[dict[str, float]]]) -> None:
    names = list(taken["now"][0])
    width = max(len(name) for name in names)
    print(f"{'':{width}}  {commit[:9]:>9}  {'now':>9}  {'ratio':>6}")
    for name in names:
        before, now = (statistics.median(one[name] for one in rounds) for rounds in taken.values())
        print(f"{name:{width}}  {before:9.2f}  {now:9.2f}  {now / before if before else float('nan'):6.2f}")


if __name__ == "__main__":
    main()
