"""Many runs, on all cores, counted: `python -m tests.campaigns.simulation [N] [BASE]`."""

import multiprocessing
import os
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from msgspec import Struct, field

from tests.campaigns.simulation.carriers import REAL, Carriers
from tests.campaigns.simulation.run import Result, run_seed
from tests.campaigns.simulation.trace import Trace

CHUNK = 500
MOST_SHOWN = 20


class Tally(Struct):
    runs: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    races: int = 0
    overruns: int = 0
    compared: int = 0
    failures: list[tuple[int, tuple[str, ...]]] = []

    def add(self, result: Result) -> None:
        scenario = result.scenario
        self.runs += 1
        end = " after a crash" if scenario.crash_at else ""
        self.outcomes[f"{scenario.carrier:9} {result.outcome}{end}"] += 1
        self.races += bool(result.races)
        self.overruns += result.has_overrun
        self.compared += result.is_compared
        if result.violations:
            self.failures.append((scenario.seed, result.violations))

    def merge(self, other: "Tally") -> None:
        self.runs += other.runs
        self.outcomes += other.outcomes
        self.races += other.races
        self.overruns += other.overruns
        self.compared += other.compared
        self.failures += other.failures


def count_runs(seeds: range, carriers: Carriers = REAL) -> Tally:
    tally = Tally()
    for seed in seeds:
        tally.add(run_seed(seed, carriers))
    return tally


def count_on_all_cores(base: int, count: int) -> Tally:
    chunks = [range(start, min(start + CHUNK, base + count)) for start in range(base, base + count, CHUNK)]
    tally = Tally()
    with multiprocessing.get_context("spawn").Pool(os.cpu_count()) as pool:
        for part in pool.imap_unordered(count_runs, chunks):
            tally.merge(part)
    return tally


def describe(tally: Tally) -> Iterator[str]:
    for name, count in sorted(tally.outcomes.items()):
        yield f"{count:9,}  {name}"
    yield f"{tally.compared:9,}  compared with a run without hark"
    yield f"{tally.overruns:9,}  outlasted the key hold"
    yield f"{tally.races:9,}  met a key or a dialog that was not drawn yet"
    yield f"{len(tally.failures):9,}  violations"
    for seed, violations in islice(tally.failures, MOST_SHOWN):
        yield f"           seed {seed}: {'; '.join(violations)}"


def tell(seed: int, carriers: Carriers = REAL) -> str:
    """The whole story of a run."""
    trace = Trace()
    result = run_seed(seed, carriers, trace)
    return f"{result.scenario}\n{trace}\n" + "\n".join(result.violations)
