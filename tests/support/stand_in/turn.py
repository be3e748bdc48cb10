"""What one request of an agent says, in the same words for all protocols.

An agent sends its whole conversation with every request. What is new in it is what stands after the model's last
words. Of that, an agent writes some itself into the user's mouth (reminders, the environment, what a hook said): that is
context, and the rest is what the user submitted, to the letter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

Json = dict[str, Any]

# How a text begins that an agent, not the user, has put into a user message.
CONTEXT_BEGINNINGS = (
    "<system-reminder>",  # Claude Code
    "<task-notification>",
    "[SYSTEM NOTIFICATION",
    "[Request interrupted by user",
    "Stop hook feedback:",
    "<environment_context>",  # Codex
    "<user_instructions>",
    "<turn_aborted>",
    "<hook_prompt",
    "<skill>",
    "<user_shell_command>",
    "# AGENTS.md instructions",
    "<session_context>",  # Gemini CLI
    "<hook_context>",
    "[SUGGESTION MODE",  # Qwen Code
    "Managed memory has",
)


# What an agent writes before a text of the user's, in the same breath (Copilot CLI).
PREFIX = re.compile(r"\A<current_datetime>[^<]*</current_datetime>\n\n")


class Said(NamedTuple):
    role: str  # "user", "model", or another that is always context
    texts: Sequence[str]


class Turn(msgspec.Struct, frozen=True):
    texts: tuple[str, ...]
    """What the user submitted since the model's last words."""
    context: tuple[str, ...]
    """What the agent added to it."""
    position: int
    """How many texts the user had submitted before these. A request that is sent again repeats texts and position."""
    tools: tuple[str, ...]
    is_side: bool
    """A request of the agent's own, such as for a title: not a turn."""
    instructions: tuple[str, ...] = ()
    """What the agent tells its model beside the conversation, where that is looked at."""


def read_turn(conversation: Sequence[Said], tools: Sequence[str], is_side: bool) -> Turn:
    begin = 1 + max((index for index, said in enumerate(conversation) if said.role == "model"), default=-1)
    earlier, newest = conversation[:begin], conversation[begin:]
    return Turn(
        texts=tuple(PREFIX.sub("", text) for said in newest for text in said.texts if is_users(said, text)),
        context=tuple(text for said in newest for text in said.texts if not is_users(said, text)),
        position=sum(is_users(said, text) for said in earlier for text in said.texts),
        tools=tuple(tools),
        is_side=is_side,
    )


def is_users(said: Said, text: str) -> bool:
    return said.role == "user" and not text.lstrip().startswith(CONTEXT_BEGINNINGS)
