"""What the folder of an agent may offer, beside its data file. docs/agents.md explains it with an example.

The folder's `agent.py` holds a subclass of `Agent` and one object of it, `AGENT`. Everything has a default: an agent with a data file
alone is reached by its terminal, and says nothing that its screen does not show. `registry.py` finds the folders.
"""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from hark.agents.answers import HookAnswer
from hark.agents.native.access import NativeAccess
from hark.agents.words import Json, Words
from hark.model.heard import Heard, Said
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

    def takes_answer(self, payload: Json) -> bool:
        """Return whether the agent reads what the hook prints that reports this."""
        return True

    def read_words(self, entry: Json, place: str) -> Words | None:
        """Return the words in an entry of the agent's record, or None if the entry holds no words. `place` is the name for words that
        have none. An entry of another shape may raise what a look into it raises."""
        return None
