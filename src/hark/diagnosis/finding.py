"""A finding of `hark doctor`: what was checked, in what state it is, and how to mend it."""

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
    """The name of what was checked, which stays the same in every version."""
    level: Level
    detail: str
    hint: str = ""
    """What to do about the finding; empty if all is well."""
    about: str = ""
    """The name of the agent or session that the finding is about; empty if it is about neither."""


def ok(check: str, detail: str, about: str = "") -> Finding:
    return Finding(check, Level.OK, detail, about=about)


def warning(check: str, detail: str, hint: str, about: str = "") -> Finding:
    return Finding(check, Level.WARNING, detail, hint, about)


def problem(check: str, detail: str, hint: str, about: str = "") -> Finding:
    return Finding(check, Level.PROBLEM, detail, hint, about)
