"""The line between whoever writes and the agent: what the agent has not read waits here, in order, whoever wrote it."""

from collections import deque
from collections.abc import Callable

Act = Callable[[], None]


class Line:
    def __init__(self) -> None:
        self.is_read = True
        """False while the agent is at something else, and reads nothing."""
        self.is_late = False
        """The agent is reading what has waited."""
        self._unread: deque[Act] = deque()

    @property
    def has_unread(self) -> bool:
        return bool(self._unread)

    def write(self, act: Act) -> None:
        """`act` is what it does to the agent: at once, or when the agent reads again."""
        if self.is_read:
            act()
        else:
            self._unread.append(act)

    def read(self) -> None:
        """All that has waited, at once."""
        self.is_read = self.is_late = True
        while self._unread:
            self._unread.popleft()()
        self.is_late = False
