"""Hooks for one run of an agent that hark starts, without a change in anybody's files.

Each agent's folder says in which way the agent takes hooks for one run; each way adds to what the user has set, instead of replacing
it. If the user's own command line or environment uses that way already, or the program is not run for a conversation, hark injects
nothing: a session without hooks is a delay, a changed command is a defect.
"""

import os.path
from collections.abc import Mapping
from pathlib import Path

from hark.agents.installation import Call, Injection
from hark.agents.registry import find_agent
from hark.installing import files
from hark.installing.hooks import MARK, groups
from hark.installing.instructions import TEXT
from hark.kind_files import packages, programs

LAUNCHERS = frozenset({"env", "node", "bun", "deno", "npx", "bunx", "command", "nice", "nohup", "setsid"})
"""The names of programs that run the program which follows on the command line, with all its arguments."""


def inject(
    kind: str,
    command: tuple[str, ...],
    hook_program: str,
    directory: Path,
    environment: Mapping[str, str] | None = None,
    *,
    has_waiter: bool = False,
) -> Injection:
    """Return the command, environment and files that give the agent our hooks. `environment` is the environment that the agent will run
    in. `directory` is the place for our files, one per agent kind. With `has_waiter`, a hook waits for messages while the agent is idle,
    if the agent can be woken so."""
    agent, place = find_agent(kind), program_place(kind, command)
    if agent.entries is None or place is None:
        return Injection(command)
    call = Call(
        program=command[: place + 1],
        arguments=command[place + 1 :],
        environment=environment or {},
        file=directory / f"{kind}-hooks.json",
    )
    injection = agent.inject(call, groups(kind, hook_program, has_waiter=has_waiter))
    if injection is None:
        return Injection(command)
    return Injection(injection.command, injection.environment | {MARK: "1"}, injection.files)


def prepare(kind: str, injection: Injection, environment: Mapping[str, str]) -> Injection:
    """Write the files of an injection, and return what to start. Sessions share the files; a file that is right is not touched. Return a
    command without hooks if the agent would not read our file, or would lose other settings by it."""
    for path, text in injection.files.items():
        if files.read(path) != text:
            files.write(path, text)
    if not injection.environment or find_agent(kind).reads_injection(environment):
        return injection
    return Injection(injection.command)


def program_place(kind: str, command: tuple[str, ...]) -> int | None:
    """Return the position of the agent's own name in the command; None if the name is not there, or if a word before it is a program
    that may not pass arguments on."""
    for place, word in enumerate(command):
        if os.path.basename(word) in programs(kind) or any(package in word for package in packages(kind)):
            return place
        if os.path.basename(word) not in LAUNCHERS and not word.startswith("-") and "=" not in word:
            return None
    return None


def teach(kind: str, command: tuple[str, ...]) -> tuple[str, ...]:
    """Return the command with instructions how to signal, for one run, if the agent has an option for such instructions."""
    place = program_place(kind, command)
    taught = None if place is None else find_agent(kind).teach(command[place + 1 :], TEXT)
    return command if place is None or taught is None else (*command[: place + 1], *taught)
