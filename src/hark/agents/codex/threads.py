"""Tells which thread of an app-server its one TUI shows. Pure.

The server does not say so, but it can be known. A session's own server has one TUI. While a single thread of a human is loaded,
the TUI shows that thread. A thread that starts is shown from then on. When the TUI goes back to an older thread, hark only hears
a word about that thread's goal, or sees a loaded thread that has not started here: then nothing is certain any more, until a
thread starts or all others are closed.
"""

from collections.abc import Iterable

from msgspec import Struct, structs

from hark.agents.codex.protocol import Thread


class Threads(Struct, frozen=True):
    shown: str | None = None
    known: frozenset[str] = frozenset()
    """The ids of the human's threads that are loaded."""

    def after_look(self, loaded: Iterable[Thread]) -> "Threads":
        humans = frozenset(thread.id for thread in loaded if thread.is_humans)
        if len(humans) == 1:
            return Threads(next(iter(humans)), humans)
        is_certain = self.shown in humans and humans <= self.known
        return Threads(self.shown if is_certain else None, humans)

    def after_start(self, thread: Thread) -> "Threads":
        return Threads(thread.id, self.known | {thread.id}) if thread.is_humans else self

    def after_word_about(self, thread_id: str) -> "Threads":
        is_other = thread_id in self.known and thread_id != self.shown
        return structs.replace(self, shown=None) if is_other else self
