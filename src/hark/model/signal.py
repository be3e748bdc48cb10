"""A signal is a status that an agent announces."""

from enum import StrEnum


class SignalState(StrEnum):
    WORKING = "working"
    """The agent works, and nobody has to do anything; this clears the status that the agent announced before."""
    COMPLETED = "completed"
    NEEDS_INPUT = "needs_input"
    NEEDS_TESTING = "needs_testing"
    ERROR = "error"


class SignalSource(StrEnum):
    """How it was heard."""

    COMMAND = "command"
    """The agent called hark: by `hark signal`, the MCP tool or the API."""
    RECORD = "record"
    """Hark read a marker in the agent's own record of its words."""
    TERMINAL = "terminal"
    """Hark read a marker that the agent printed in its terminal."""
    HOOK = "hook"
    """Hark concluded the status from an event of the agent: the agent has asked for a permission."""
    INFERRED = "inferred"
    """A model guessed the status from the agent's screen."""
