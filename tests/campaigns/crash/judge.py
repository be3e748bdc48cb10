"""What became of every message, held against what the agents have written down themselves. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from hark.delivery.headers import find_message_ids

ARRIVED = ("submitted", "acknowledged", "completed")
OPEN = ("submitted", "acknowledged")
NOT_ARRIVED = ("queued", "held", "expired", "cancelled", "dead")


class Final(Struct, frozen=True, kw_only=True):
    """A message that was accepted, as the daemon tells of it at the end; in order of acceptance."""

    id: str
    session_id: str
    mode: str
    status: str
    is_gone: bool = False
    """Its session is."""


class Verdict(Struct, frozen=True, kw_only=True):
    messages: int
    statuses: dict[str, int]
    lost: tuple[str, ...]
    """Said to have arrived, and nobody has it; or left waiting for a session that runs."""
    doubled: tuple[str, ...]
    untrue: tuple[str, ...]
    """Said not to have arrived, and somebody has it; or still staged."""
    unsettled: tuple[str, ...]
    """Arrived at an agent that runs and has hooks, and never said to be completed, although it has long rested."""
    uncertain_arrived: int
    uncertain_not: int
    overtaken: int
    """Messages of one session and mode that arrived before an earlier one."""

    @property
    def is_good(self) -> bool:
        return not (self.lost or self.doubled or self.untrue or self.unsettled)


def received(records: Iterable[Mapping[str, object]]) -> list[str]:
    """Ids in the order in which an agent took them, one for each time. What it queued while it was busy, and took later, counts
    once; what it queued and never took, because it was ended, it had all the same."""
    taken: list[str] = []
    queued: list[str] = []
    for record in records:
        ids = find_message_ids(str(record.get("text", "")))
        if record["event"] == "prompt":
            taken += ids
        elif record["event"] == "queued":
            queued += ids
    return taken + [one for one in queued if one not in taken]


def judge(finals: Sequence[Final], arrived: Mapping[str, Sequence[str]]) -> Verdict:
    """`arrived`: what each session's agent received, in order."""
    counts = Counter(one for ids in arrived.values() for one in ids)
    uncertain = [final for final in finals if final.status == "uncertain"]
    lost = [f.id for f in finals if f.status in ARRIVED and not counts[f.id]]
    lost += [f.id for f in finals if f.status in ("queued", "held") and not f.is_gone]
    untrue = [f.id for f in finals if (f.status in NOT_ARRIVED and counts[f.id]) or f.status == "staged"]
    return Verdict(
        messages=len(finals),
        statuses=dict(Counter(final.status for final in finals)),
        lost=tuple(lost),
        doubled=tuple(one for one, count in counts.items() if count > 1),
        untrue=tuple(untrue),
        unsettled=tuple(f.id for f in finals if f.status in OPEN and not f.is_gone),
        uncertain_arrived=sum(1 for final in uncertain if counts[final.id]),
        uncertain_not=sum(1 for final in uncertain if not counts[final.id]),
        overtaken=_overtaken(finals, arrived),
    )


def _overtaken(finals: Sequence[Final], arrived: Mapping[str, Sequence[str]]) -> int:
    places = {final.id: place for place, final in enumerate(finals)}
    modes = {final.id: (final.session_id, final.mode) for final in finals}
    latest: dict[tuple[str, str], int] = {}
    overtaken = 0
    for ids in arrived.values():
        for one in (one for one in ids if one in places):
            key = modes[one]
            overtaken += places[one] < latest.get(key, -1)
            latest[key] = max(latest.get(key, -1), places[one])
    return overtaken
