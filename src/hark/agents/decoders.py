"""What an agent's hook says, in our own words: one small set of events, whatever the agent calls them."""

from enum import StrEnum
from typing import Any

from msgspec import Struct


class Said(StrEnum):
    PROMPT_SUBMITTED = "prompt-submitted"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"
    PERMISSION_ASKED = "permission-asked"
    PERMISSION_ANSWERED = "permission-answered"
    UNKNOWN = "unknown"


class Report(Struct, frozen=True):
    said: Said
    prompt: str = ""


def decode(agent: str, event: str, payload: dict[str, Any]) -> Report:
    """The demo agent speaks our own words. Other agents' hooks are on record, but not understood yet."""
    if agent != "demo" or event not in set(Said):
        return Report(Said.UNKNOWN)
    prompt = payload.get("prompt")
    return Report(Said(event), prompt if isinstance(prompt, str) else "")
