"""Knows which sessions wait for which others at the moment, and refuses a wait that would never end.

Only a wait of a session's own program counts: it stands in for the session's agent, which does nothing else meanwhile."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from hark.daemon.registry.sessions import Sessions
from hark.model.errors import HarkError
from hark.model.ids import SessionId
from hark.queue.loops import Wait, find_chain


class Askers:
    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self._open: Counter[Wait] = Counter()

    def check(self, asker: SessionId, asked: SessionId) -> None:
        """Raise `ask-loop` if `asked` waits for `asker`, or for somebody who does."""
        chain = find_chain(self._open.keys(), asker, asked)
        if not chain:
            return
        names = [self._sessions.get(one).name for one in (asker, *chain)]
        raise HarkError(
            "ask-loop",
            f"nobody would ever go on: {' waits for '.join(names)}",
            f"end your turn: {names[1]} goes on then; or send the message without waiting for it",
        )

    @contextmanager
    def waiting(self, asker: SessionId, asked: SessionId) -> Iterator[None]:
        """Take note, as long as the context is open, that `asker` waits for `asked`."""
        self.check(asker, asked)
        wait = (asker, asked)
        self._open[wait] += 1
        try:
            yield
        finally:
            self._open[wait] -= 1
            if not self._open[wait]:
                del self._open[wait]
