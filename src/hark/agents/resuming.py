"""How an agent resumes a conversation: the words that name it, and which words of the command that began it are kept.

The first prompt must not be sent a second time, so hark has to tell options from prompts. It keeps the options that it knows, with
their values. A word behind an option that hark does not know may be the option's value or a prompt: then hark says that it cannot tell.
"""

from collections.abc import Sequence

from msgspec import Struct

Words = tuple[str, ...]


class Resuming(Struct, frozen=True, kw_only=True):
    opening: Words
    """The words before the conversation's name, such as --resume."""
    alone: frozenset[str]
    """The options without a value."""
    with_value: frozenset[str]
    """The options with one value, as the next word or behind an equals sign."""
    with_values: frozenset[str] = frozenset()
    """The options that take all words up to the next option."""
    left_out: frozenset[str]
    """The options that choose a conversation or hold a prompt: they go, with their values."""
    keeps_others: bool = False
    """True if words that are no options belong to the command, such as a directory; False if they are prompts."""

    def resume(self, arguments: Sequence[str], conversation: str) -> Words | None:
        """Return the arguments that resume the conversation; None if it is not certain which of these words is a prompt."""
        kept, waiting = [], list(arguments)
        while waiting and waiting[0] != "--":
            word = waiting.pop(0)
            name = word.partition("=")[0]
            if not word.startswith("-") or word == "-":
                kept += [word] if self.keeps_others else []
                continue
            values = [] if "=" in word else self._values(name, waiting)
            if values is None:
                return None
            del waiting[: len(values)]
            kept += [] if name in self.left_out else [word, *values]
        return (*self.opening, conversation, *kept)

    def _values(self, option: str, following: list[str]) -> list[str] | None:
        """Return the values of an option, the first of the words that follow it; None if it is not certain."""
        values = [*following[: next((n for n, word in enumerate(following) if word.startswith("-")), len(following))]]
        if option in self.with_values:
            return values
        if option in self.with_value:
            return values[:1]
        return None if values and option not in self.alone else []
