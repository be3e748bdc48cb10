"""A signal: a status that an agent announces."""

from enum import StrEnum


class SignalState(StrEnum):
    WORKING = "working"
    COMPLETED = "completed"
    NEEDS_INPUT = "needs_input"
    NEEDS_TESTING = "needs_testing"
    ERROR = "error"
