"""Finds out which agent a hook report comes from, by the processes above the hook. Pure.

An agent runs its hooks itself, so a hook descends from its agent, and the agent from the process that tmux started in the pane.
An agent can also run another agent with one of its tools (`claude -p …`), and the inner agent inherits everything that names the
pane. Then two agents stand between the hook and the pane, and the inner one is not the one that the pane shows:

    pane's shell ─ agent ─ hook                                the pane's own
    pane's shell ─ agent ─ shell of a tool ─ agent ─ hook      nested

Some agents are two processes, a launcher and the program proper: parent and child in one process group count as one agent.
"""

import os
from collections.abc import Callable, Sequence
from enum import StrEnum

from msgspec import Struct

Words = tuple[str, ...]

SHELLS = frozenset({"sh", "bash", "dash", "zsh", "fish", "ksh", "busybox", "env", "sudo", "script", "timeout", "nohup"})
LAUNCHERS = frozenset({"npm", "npx", "pnpm", "yarn", "bunx", "uv", "uvx"})
"""Programs that start another program, which their arguments name."""


class Process(Struct, frozen=True):
    pid: int
    group: int
    words: Words


class Lineage(StrEnum):
    OWN = "own"
    """The hook was called by the agent of the pane."""
    NESTED = "nested"
    """The hook was called by an agent that the agent of the pane has started."""
    FOREIGN = "foreign"
    """The hook was called by a process outside the pane."""
    UNKNOWN = "unknown"
    """The caller of the hook is not known, because there is no /proc or the hook has ended."""


def trace(chain: Sequence[Process], pane_pid: int, recognises: Callable[[Words], bool]) -> Lineage:
    """Return whose the hook is. `chain` is the hook itself, its parent, and so on; `recognises` says whether a command line is an
    agent's."""
    if not chain:
        return Lineage.UNKNOWN
    pids = [process.pid for process in chain]
    if pane_pid not in pids:
        return Lineage.FOREIGN
    above = chain[1 : pids.index(pane_pid) + 1]
    agents = [place for place, process in enumerate(above) if _is_agent(process.words, recognises)]
    if not agents:
        return Lineage.OWN
    is_together = agents[-1] - agents[0] == len(agents) - 1
    groups = {above[place].group for place in agents}
    return Lineage.OWN if is_together and len(groups) == 1 else Lineage.NESTED


def is_own_editor(
    chain: Sequence[Process], recognises: Callable[[Words], bool], terminal: Callable[[int], str | None]
) -> bool:
    """Return whether an agent itself opened this editor, at its own terminal, and not a program that a tool of the agent runs, such as
    `git commit`. `chain` is the editor, its parent, and so on; `terminal` says what a process reads from. If this cannot be told, the
    editor counts as the agent's own."""
    place = next((n for n, one in enumerate(chain) if n and _is_agent(one.words, recognises)), None)
    if place is None:
        return True
    if not all(os.path.basename(one.words[0]) in SHELLS for one in chain[1:place]):
        return False
    here, agents = terminal(chain[0].pid), terminal(chain[place].pid)
    if here is None or agents is None or here == "/dev/tty":
        return True
    return here == agents


def _is_agent(words: Words, recognises: Callable[[Words], bool]) -> bool:
    """Return whether the process is an agent. Only the program and the script of an interpreter count, because any other word may name
    an agent too."""
    plain = [word for word in words if word and not word.startswith("-")][:2]
    names = {os.path.basename(word.split(" ")[0]) for word in plain[:1]}
    if names & (SHELLS | LAUNCHERS) or (len(plain) > 1 and os.path.basename(plain[1]) in LAUNCHERS):
        return False
    return any(recognises((word,)) for word in plain)


def may_count(lineage: Lineage, *, is_by_pane: bool, conversation: str, reported: str, is_at_work: bool) -> bool:
    """Return whether a report counts for the session that its environment names. `is_by_pane` says that only the pane in the environment
    names the session. `conversation` is the one that the session's agent is known to have; `reported` is the one that the report
    names."""
    if lineage is Lineage.OWN:
        return True
    if lineage is Lineage.NESTED or (lineage is Lineage.FOREIGN and is_by_pane):
        return False
    # No second conversation takes over while one is at work.
    is_another = bool(conversation and reported) and conversation != reported
    return not (is_another and is_at_work)
