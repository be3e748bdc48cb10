"""Decides which calls of an agent's program open no session: `claude --version`, `codex exec`, `gemini -p …`. Every agent's data file
lists its own in a section `[plain]`."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class PlainCalls:
    """The words that make a command line a call that shows no input box."""

    commands: tuple[str, ...] = ()
    """The subcommands. A subcommand is the first word after the program's name that is not an option."""
    options: tuple[str, ...] = ()
    """The options, which may stand anywhere before `--`."""

    def include(self, arguments: Sequence[str]) -> bool:
        """True if a call with these arguments opens no session. The value of an option may be taken for a subcommand: at worst a
        session then runs without hark, and `hark run` promises to behave like that anyway."""
        words = arguments[: arguments.index("--")] if "--" in arguments else arguments
        first = next((word for word in words if not word.startswith("-")), "")
        return first in self.commands or any(self._is_option(word) for word in words)

    def _is_option(self, word: str) -> bool:
        if word.partition("=")[0] in self.options:
            return True
        # Two or three letters after one dash are short options in one word: -pc.
        is_cluster = word[:1] == "-" and word[1:].isalpha() and len(word) in (3, 4)
        return is_cluster and any(f"-{letter}" in self.options for letter in word[1:])
