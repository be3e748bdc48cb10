"""A signal: a status that an agent announces."""

from enum import StrEnum


class SignalState(StrEnum):
    WORKING = "working"
    """Clears what was announced before: nobody has to do anything."""
    COMPLETED = "completed"
    NEEDS_INPUT = "needs_input"
    NEEDS_TESTING = "needs_testing"
    ERROR = "error"


class SignalSource(StrEnum):
    """How it was heard."""

    COMMAND = "command"
    """`hark signal`, the MCP tool, the API: the agent called us."""
    RECORD = "record"
    """A marker in the agent's own record of its words."""
    TERMINAL = "terminal"
    """A marker that was printed."""
    HOOK = "hook"
    """Concluded from an event of the agent's: it has asked for a permission."""
    INFERRED = "inferred"
    """Guessed by a model from the screen."""
