"""The command that resumes an agent's conversation, made from the command that began it."""

from hark.agents.registry import find_agent
from hark.installing.injection import program_place


def can_resume(kind: str) -> bool:
    """Return whether hark knows how an agent of this kind resumes a conversation."""
    return find_agent(kind).resuming is not None


def resume_command(kind: str, command: tuple[str, ...], conversation: str) -> tuple[str, ...] | None:
    """Return the command that resumes a conversation, with the options of the command that began it; None if hark cannot tell its options
    from its first prompt. A conversation's name comes from the agent, so one that looks like an option is refused."""
    resuming, place = find_agent(kind).resuming, program_place(kind, command)
    if resuming is None or place is None or not conversation[:1].isalnum():
        return None
    words = resuming.resume(command[place + 1 :], conversation)
    return None if words is None else (*command[: place + 1], *words)
