"""What an agent was heard to say about itself, in our own words, whichever witness said it: a hook, a native API, a
transcript, its terminal."""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from hark.model.ids import MessageId


class Said(StrEnum):
    SESSION_STARTED = "session-started"
    SESSION_ENDED = "session-ended"
    PROMPT_SUBMITTED = "prompt-submitted"
    """The agent itself has taken a prompt."""
    TOOL_STARTING = "tool-starting"
    TOOL_DONE = "tool-done"
    PERMISSION_ASKED = "permission-asked"
    PERMISSION_ANSWERED = "permission-answered"
    NOTIFIED = "notified"
    STOPPED = "stopped"
    CONTINUED = "continued"
    """The turn has stopped, and goes on at once with what our hook has given it."""
    INTERRUPTED = "interrupted"
    """The turn has ended, and not by itself."""
    UNKNOWN = "unknown"


class Heard(Struct, frozen=True, kw_only=True):
    said: Said
    at: datetime
    """When it was said, on the agent's side; not when it reached us."""
    message_ids: tuple[MessageId, ...] = ()
    """The ids of hark's messages in the prompt that was submitted."""
    detail: str = ""
    """What the agent asks permission for, for people to read."""
