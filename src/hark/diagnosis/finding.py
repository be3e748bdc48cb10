"""What `hark doctor` finds: one thing that was looked at, how it is, and how to mend it."""

from enum import StrEnum

from msgspec import Struct


class Level(StrEnum):
    OK = "ok"
    WARNING = "warning"
    """Hark works, but less well than it could, or something is left over."""
    PROBLEM = "problem"
    """Something that should work does not."""


class Finding(Struct, frozen=True):
    check: str
    """What was looked at; the same name in every version."""
    level: Level
    detail: str
    hint: str = ""
    """What to do about it; empty when all is well."""
    about: str = ""
    """The agent or the session, where there are several."""


def ok(check: str, detail: str, about: str = "") -> Finding:
    return Finding(check, Level.OK, detail, about=about)


def warning(check: str, detail: str, hint: str, about: str = "") -> Finding:
    return Finding(check, Level.WARNING, detail, hint, about)


def problem(check: str, detail: str, hint: str, about: str = "") -> Finding:
    return Finding(check, Level.PROBLEM, detail, hint, about)
