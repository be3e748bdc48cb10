"""Refuses messages between sessions that answer each other without end, and tells a human of it."""

from collections.abc import Awaitable, Callable

from hark.model.config import Config
from hark.model.errors import HarkError
from hark.model.ids import SessionId
from hark.model.session import Session
from hark.queue.loops import RATE_S, is_too_deep, is_too_fast, recent

HINT = "end your turn: a human has been told, and decides whether it goes on"


class Loops:
    def __init__(
        self, config: Config, elapsed_s: Callable[[], float], on_limit: Callable[[Session, str], Awaitable[None]]
    ) -> None:
        """`on_limit` is called with the session whose message is refused, and with the reason in words for people."""
        self._config = config
        self._elapsed_s = elapsed_s
        self._sent_at_s: dict[tuple[SessionId, SessionId], list[float]] = {}
        self._told_at_s: dict[tuple[SessionId, SessionId], float] = {}
        self._on_limit = on_limit

    async def admit(self, sender: Session, receiver: Session, hops: int = 0) -> None:
        """Count a message of one session to another. Raise `loop-limit` instead if there are too many of them."""
        await self.check(sender, receiver, hops)
        now_s = self._elapsed_s()
        self._sent_at_s = {pair: kept for pair, times in self._sent_at_s.items() if (kept := recent(times, now_s))}
        self._sent_at_s.setdefault((sender.id, receiver.id), []).append(now_s)

    async def check(self, sender: Session, receiver: Session, hops: int = 0) -> None:
        """Raise `loop-limit` if one more message of the sender to the receiver would be too many."""
        now_s, config = self._elapsed_s(), self._config
        if is_too_deep(hops, config.max_thread_hops):
            detail = f"{sender.name} and {receiver.name} have answered each other {config.max_thread_hops} times"
        elif is_too_fast(self._sent_at_s.get((sender.id, receiver.id), ()), now_s, config.max_pair_rate):
            detail = f"{sender.name} has sent {receiver.name} {config.max_pair_rate} messages within a minute"
        else:
            return
        await self._tell(sender, receiver, detail, now_s)
        raise HarkError("loop-limit", f"hark stops what looks like a loop: {detail}", HINT)

    async def _tell(self, sender: Session, receiver: Session, detail: str, now_s: float) -> None:
        """Tell a human, once a minute for each pair."""
        pair = (sender.id, receiver.id)
        self._told_at_s = {one: at_s for one, at_s in self._told_at_s.items() if now_s - at_s < RATE_S}
        if pair in self._told_at_s:
            return
        self._told_at_s[pair] = now_s
        await self._on_limit(sender, f"hark has stopped what looks like a loop: {detail}")
