"""Finds messages between sessions that answer each other without end, and tells a human of it. Such a message is held until a human
releases it; if too many are held, further ones are refused."""

from collections.abc import Awaitable, Callable

from hark.model.errors import HarkError
from hark.model.ids import SessionId
from hark.model.session import Session
from hark.model.settings.config import Config
from hark.queue.loops import RATE_S, is_too_deep, is_too_fast, recent

MOST_HELD = 20
"""How many messages of one session to another hark holds: agents that do not stop must not fill the queue."""
HINT = "end your turn: a human has been told, and decides whether it goes on"


class Loops:
    def __init__(
        self, config: Config, elapsed_s: Callable[[], float], on_limit: Callable[[Session, str], Awaitable[None]]
    ) -> None:
        """`on_limit` is called with the session whose message is held, and with the reason in words for people."""
        self._config = config
        self._elapsed_s = elapsed_s
        self._sent_at_s: dict[tuple[SessionId, SessionId], list[float]] = {}
        self._told_at_s: dict[tuple[SessionId, SessionId], float] = {}
        self._on_limit = on_limit

    async def admit(self, sender: Session, receiver: Session, hops: int = 0) -> str | None:
        """Count a message of one session to another, and return None; or return why the message looks like a part of a loop, and do not
        count it."""
        now_s = self._elapsed_s()
        if detail := self._find(sender, receiver, hops, now_s):
            await self._tell(sender, receiver, detail, now_s)
            return detail
        self._sent_at_s = {pair: kept for pair, times in self._sent_at_s.items() if (kept := recent(times, now_s))}
        self._sent_at_s.setdefault((sender.id, receiver.id), []).append(now_s)
        return None

    def _find(self, sender: Session, receiver: Session, hops: int, now_s: float) -> str | None:
        config = self._config
        if is_too_deep(hops, config.max_thread_hops):
            return f"{sender.name} and {receiver.name} have answered each other {config.max_thread_hops} times"
        if is_too_fast(self._sent_at_s.get((sender.id, receiver.id), ()), now_s, config.max_pair_rate):
            return f"{sender.name} has sent {receiver.name} {config.max_pair_rate} messages within a minute"
        return None

    async def _tell(self, sender: Session, receiver: Session, detail: str, now_s: float) -> None:
        """Tell a human, once a minute for each pair."""
        pair = (sender.id, receiver.id)
        self._told_at_s = {one: at_s for one, at_s in self._told_at_s.items() if now_s - at_s < RATE_S}
        if pair in self._told_at_s:
            return
        self._told_at_s[pair] = now_s
        await self._on_limit(
            sender,
            f"hark holds what looks like a loop: {detail}; `hark queue {receiver.name}` shows it, "
            f"`hark release {receiver.name}` delivers it",
        )


def check_room(held: int, detail: str) -> None:
    """Raise `loop-limit` if so many messages of a session to another are held already that one more is refused."""
    if held >= MOST_HELD:
        raise HarkError(
            "loop-limit", f"hark stops what looks like a loop, and holds {held} messages of it: {detail}", HINT
        )
