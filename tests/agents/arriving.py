"""What becomes of a text on its way to an agent's model: the one place that says so for tests; docs/agents.md says it for people."""

from __future__ import annotations

import re
from unicodedata import normalize

# Its `stripUnsafeCharacters`. That of Qwen Code, a fork, drops control characters alone, which hark takes out itself.
_DROPPED = {"gemini": re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")}
_WITHOUT_TABS = frozenset({"claude", "copilot"})


def as_it_arrives(kind: str, text: str) -> str:
    """hark composes letters and their marks (NFC) and takes separators for newlines. Claude Code and Copilot keep four blanks for a
    tab; Gemini CLI drops zero width spaces, marks of byte order, and the marks that set a direction of writing."""
    composed = normalize("NFC", re.sub("\r\n?|[\u2028\u2029]", "\n", text)).strip("\n")
    kept = _DROPPED[kind].sub("", composed) if kind in _DROPPED else composed
    return kept.replace("\t", "    ") if kind in _WITHOUT_TABS else kept
