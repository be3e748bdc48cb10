"""What hark hears an agent say about itself, in hark's own words, whichever witness tells it: a hook, a native API, a transcript or
the terminal."""

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
    """The turn has stopped, and the agent goes on at once with the messages that hark's hook has given it."""
    INTERRUPTED = "interrupted"
    """The turn was ended from outside, before the agent had finished."""
    UNKNOWN = "unknown"


class Heard(Struct, frozen=True, kw_only=True):
    said: Said
    at: datetime
    """When the agent said it, not when it reached hark."""
    message_ids: tuple[MessageId, ...] = ()
    """The ids of hark's messages in the prompt that was submitted."""
    detail: str = ""
    """What the agent asks permission for, in words for people."""
    work: str = ""
    """What the tool was called with that has run, as hark compares it with questions (`Asked.agents_id`); empty if that is not known."""
