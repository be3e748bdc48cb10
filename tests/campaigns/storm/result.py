"""What one run has found, and how it is told."""

from __future__ import annotations

import statistics

from msgspec import Struct
from msgspec.structs import replace


class Result(Struct, frozen=True, kw_only=True):
    protocol: str
    agent: str
    is_ours: bool
    sent: int
    exact: int
    garbled: int
    lost: int
    doubled: int
    held: int = 0
    """Still waiting, with a reason, when the run ended."""
    uncertain: int = 0
    """Hark says of them that it cannot tell; of these, too, those that did not arrive are lost."""
    prompts: int
    prompts_exact: int
    prompts_garbled: int
    prompts_lost: int
    prompts_kept: int = 0
    """Exact ones that the agent itself kept in its box after it had taken them."""
    keys: int
    keys_lost: int
    latencies_s: list[float]
    seconds: float
    load: float
    """Of the machine, over the last minute of the run."""
    damage: list[str]
    """What was not exact, in full."""
    commit: str = ""
    """What was run."""

    def plus(self, later: Result) -> Result:
        """Both rounds as one."""
        numbers = {name: getattr(self, name) + getattr(later, name) for name in SUMMED}
        return replace(self, **numbers, load=max(self.load, later.load))

    @property
    def is_clean(self) -> bool:
        counts = (self.garbled, self.lost, self.doubled, self.prompts_garbled, self.prompts_lost, self.keys_lost)
        return not any(counts) and not self.damage

    @property
    def median_s(self) -> float | None:
        return statistics.median(self.latencies_s) if self.latencies_s else None

    @property
    def p95_s(self) -> float | None:
        ordered = sorted(self.latencies_s)
        return ordered[min(len(ordered) - 1, round(0.95 * len(ordered)))] if ordered else None


SUMMED = (
    *(
        "sent",
        "exact",
        "garbled",
        "lost",
        "doubled",
        "held",
        "uncertain",
        "prompts",
        "prompts_exact",
        "prompts_garbled",
    ),
    *("prompts_lost", "prompts_kept", "keys", "keys_lost", "latencies_s", "seconds", "damage"),
)
HEADINGS = (
    *("protocol", "agent", "messages", "exact", "garbled", "lost", "doubled", "held", "uncertain"),
    *("prompts", "exact", "garbled", "lost", "kept", "keys", "lost", "median", "p95", "commit"),
)


def row(result: Result) -> tuple[str, ...]:
    numbers = (
        *(result.sent, result.exact, result.garbled, result.lost, result.doubled, result.held, result.uncertain),
        *(result.prompts, result.prompts_exact, result.prompts_garbled, result.prompts_lost, result.prompts_kept),
        *(result.keys, result.keys_lost),
    )
    times = (f"{seconds:.2f} s" if seconds is not None else "-" for seconds in (result.median_s, result.p95_s))
    return (result.protocol, result.agent, *map(str, numbers), *times, result.commit)


def table(results: list[Result]) -> str:
    rows = [HEADINGS, *map(row, results)]
    widths = [max(len(cells[column]) for cells in rows) for column in range(len(HEADINGS))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column < 2 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        for cells in rows
    )
