"""A few lines in an agent's own instruction file that teach the agent to signal. The lines stand between two marks, so that hark can find
them again, replace them by those of a newer version, and take them out with nothing left behind.

If an agent takes instructions for one run, no file is touched. An agent that reads no instruction file can only be told in a message.
"""

import re
from collections.abc import Mapping

from hark.agents.registry import find_agent
from hark.installing import files
from hark.installing.change import Change
from hark.installing.places import instructions_path

BEGIN, END = "<!-- hark: signals -->", "<!-- /hark: signals -->"
TEXT = """\
When your status changes, announce it: print one line by itself, outside any code block, exactly in this form:
--<[hark:STATE:a few words]>--
STATE is one of: completed (you have done what was asked), needs_input (you need a decision or an answer),
needs_testing (a human should try something), error (you cannot go on), working (you go on after one of these).
Announce it at the end of your turn, once, and never quote such a line for any other purpose."""
_BLOCK = re.compile(rf"\n?(?:^|(?<=\n)){re.escape(BEGIN)}\n.*?\n{re.escape(END)}\n?", re.DOTALL)


def teaching(agent: str, environment: Mapping[str, str]) -> Change:
    path = instructions_path(agent, environment)
    before = files.read(path)
    return Change(agent=agent, path=path, before=before, after=put(before or ""), had_ours=has_ours(before or ""))


def unteaching(agent: str, environment: Mapping[str, str]) -> Change:
    path = instructions_path(agent, environment)
    before = files.read(path)
    after = take(before) if before is not None and has_ours(before) else before
    return Change(agent=agent, path=path, before=before, after=after or None, had_ours=has_ours(before or ""))


def is_taught(agent: str, environment: Mapping[str, str]) -> bool:
    """Return True if the agent's own instruction file holds our lines."""
    return find_agent(agent).instructions is not None and has_ours(
        files.read(instructions_path(agent, environment)) or ""
    )


def has_ours(text: str) -> bool:
    return _BLOCK.search(text) is not None


def put(text: str) -> str:
    """Return the text with hark's lines once: where they already are, or else at its end."""
    block = f"{BEGIN}\n{TEXT}\n{END}\n"
    if found := _BLOCK.search(text):
        lead = "\n" if found[0].startswith("\n") else ""
        return text[: found.start()] + lead + block + text[found.end() :]
    if not text:
        return block
    return text + ("\n" if text.endswith("\n") else "\n\n") + block


def take(text: str) -> str:
    """Return the text without hark's lines, as it was before."""
    return _BLOCK.sub("", text)
