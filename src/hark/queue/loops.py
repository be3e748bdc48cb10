"""Decides when agents that write to each other go round in circles: they wait for each other, or they answer each other for ever."""

from collections.abc import Iterable, Sequence

from hark.model.ids import SessionId

RATE_S = 60.0
"""The span of time for which messages from one session to another are counted."""

Wait = tuple[SessionId, SessionId]
"""A session that waits, and the session for which it waits."""


def find_chain(waits: Iterable[Wait], asker: SessionId, asked: SessionId) -> tuple[SessionId, ...]:
    """Return the shortest chain of sessions that begins with `asked` and ends with `asker`, in which each waits for the next; empty if
    there is none. If there is one, `asker` must not wait for `asked`: nobody in the chain would ever go on."""
    following: dict[SessionId, list[SessionId]] = {}
    for waiter, awaited in waits:
        following.setdefault(waiter, []).append(awaited)
    chains: list[tuple[SessionId, ...]] = [(asked,)]
    seen = {asked}
    while chains:
        chain = chains.pop(0)
        if chain[-1] == asker:
            return chain
        fresh = [one for one in sorted(following.get(chain[-1], ())) if one not in seen]
        seen.update(fresh)
        chains += [(*chain, one) for one in fresh]
    return ()


def is_too_deep(hops: int, most: int) -> bool:
    """True if a thread has more replies behind each other than it may have; a limit of 0 allows any number."""
    return 0 < most < hops


def recent(sent_at_s: Sequence[float], now_s: float) -> list[float]:
    """Return the times that still count at `now_s`."""
    return [at_s for at_s in sent_at_s if now_s - at_s < RATE_S]


def is_too_fast(sent_at_s: Sequence[float], now_s: float, most: int) -> bool:
    """True if one more message would be more than `most` within RATE_S seconds; a limit of 0 allows any number."""
    return most > 0 and len(recent(sent_at_s, now_s)) >= most
