"""What the folder of an agent may offer, beside its data file. docs/agents.md explains it with an example.

The folder's `agent.py` holds a subclass of `Agent` and one object of it, `AGENT`. Everything has a default: an agent with a data file
alone is reached by its terminal, and says nothing that its screen does not show. `registry.py` finds the folders.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from hark.agents.answers import HookAnswer
from hark.agents.installation import Call, HookEntries, HookGroups, Injection, InstalledHook, Place
from hark.agents.native.access import NativeAccess
from hark.agents.records.words import Json, Words
from hark.agents.resuming import Resuming
from hark.model.answer import Spoken
from hark.model.heard import Heard, Said
from hark.model.ids import MessageId
from hark.model.question import Asked, Reply
from hark.queue.handover import Boundary
from hark.queue.turns import Phase

Meaning = Said | Callable[[Json], Said]
"""What an event means, or a function that tells it from what the hook reports."""


class Status(Struct, frozen=True):
    """What an agent has written about itself: whether it works, and since when."""

    phase: Phase
    since: datetime
    transcript: str
    """The path of the transcript below the directory of the agent's settings; empty if it is not known."""


class OwnFiles(Protocol):
    """The files that an agent writes about itself, as witnesses beside its hooks."""

    def status_file(self, pane_pid: int) -> Path | None:
        """Return the path of the status file of the agent that runs in a pane. The directory of the agent's settings is two above it."""

    def read_status(self, text: bytes) -> Status | None: ...

    def read_entry(self, line: bytes) -> Heard | None:
        """Return what a line of the agent's transcript says about turns, or None if it says nothing."""


class Agent(Protocol):
    events: Mapping[str, Meaning] = {}
    """What each event of the agent's hooks means. `hark install` subscribes to these events; an agent without events has no hooks."""
    answers: Mapping[Boundary, HookAnswer] = {}
    """How a message goes in through a hook, at each boundary; empty if the agent does not read what its hooks print."""
    shares_hook_process: bool = False
    """True if the hooks of several sessions run in one process, so that the pane in a hook's environment may be that of another one."""
    has_record: bool = False
    """True if the agent keeps a record of its own words, which `read_words` reads."""
    open_record: re.Pattern[str] | None = None
    """A pattern for the end of the record's path, if the agent keeps its record open while it runs."""
    own_files: OwnFiles | None = None
    native: NativeAccess | None = None
    """How the agent is reached by an API of its own; None if it has none."""
    settings: Place | None = None
    """The file that `hark install` puts our hooks into, or writes our plugin to; None if hark does not know how to install hooks."""
    entries: HookEntries | None = None
    """How our hooks stand in the agent's settings; None if hooks get into the agent by a plugin, or not at all."""
    plugin: Path | None = None
    """Our plugin for the agent, with a line `const PROGRAM = "…"` that names `hark-hook`."""
    install_note: str = ""
    """What a user has to do after `hark install`, for people to read."""
    instructions: Place | None = None
    """The file of instructions that the agent reads, in which a few lines of ours can teach it to signal."""
    resuming: Resuming | None = None
    """How the agent resumes a conversation by its name; None if hark does not know how."""

    def takes_answer(self, payload: Json) -> bool:
        """Return whether the agent reads what the hook prints that reports this."""
        return True

    asks_beside: bool = False
    """True if the hook that tells of a question may wait for the answer while the agent shows its own dialog, and the dialog stays if the
    hook ends without an answer."""
    cannot_be_answered: str = ""
    """Why hark cannot answer what this agent asks, for people to read; empty if that depends on how the agent was started."""

    def read_question(self, event: str, payload: Json) -> Asked | None:
        """Return the question that a hook tells of; None if the hook tells of none."""
        return None

    def read_tool(self, event: str, payload: Json) -> Asked | None:
        """Return the permission that a tool would need, from the hook that runs before the tool; None unless that hook can deny the tool
        and the agent's dialog, which opens later, takes no answer."""
        return None

    def deny_tool(self, event: str, message: str) -> bytes:
        """Return what the hook prints that runs before a tool, so that the agent does not run the tool; nothing if it cannot."""
        return b""

    def answer_question(self, event: str, payload: Json, reply: Reply) -> bytes:
        """Return what the hook prints that has told of a question by `payload`, so that the agent takes the reply as the answer; nothing
        if the hook cannot answer."""
        return b""

    def read_words(self, entry: Json, place: str) -> Words | None:
        """Return the words in an entry of the agent's record, or None if the entry holds no words. `place` is the name for words that
        have none. An entry of another shape may raise what a look into it raises."""
        return None

    def read_answer(self, entries: Sequence[Json], message_id: MessageId) -> Spoken | None:
        """Return the final words of the turn that has the message, from entries of the agent's record; None if they are not there. An
        entry of another shape may raise what a look into it raises."""
        return None

    def inject(self, call: Call, groups: HookGroups) -> Injection | None:
        """Return how to start the agent so that it has these hooks for one run, beside the user's own and with nobody's files changed;
        None if that is not sure to be right: a session without hooks is a delay, a changed command is a defect."""
        return None

    def reads_injection(self, environment: Mapping[str, str]) -> bool:
        """Return whether the agent reads what was injected, in this environment, and loses nothing by it."""
        return True

    def teach(self, arguments: tuple[str, ...], text: str) -> tuple[str, ...] | None:
        """Return the arguments with instructions for one run, or None if the agent takes no such instructions."""
        return None

    def find_fault(self, settings: Path, installed: Sequence[InstalledHook]) -> tuple[str, str]:
        """Return what else keeps installed hooks from running, and what to do about it; two empty texts if nothing does."""
        return "", ""
