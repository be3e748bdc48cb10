"""Decides of which signals people are told, when, and in which words.

Rules are written `state[:session]`, with commas between them: "needs_input, error, completed:backend*". `*` stands for every
state. Quiet hours are written "22:00-07:00", in local time.
"""

import re
from datetime import time
from fnmatch import fnmatchcase

from msgspec import Struct

from hark.model.signal import SignalState

LONGEST_TEXT = 200
_HOURS = re.compile(r"\s*([01]?\d|2[0-3]):([0-5]\d)\s*-\s*([01]?\d|2[0-3]):([0-5]\d)\s*")
WAYS = ("bell", "osc9", "osc777", "desktop", "webhook")
_WORDS = {
    SignalState.WORKING: "is working",
    SignalState.COMPLETED: "has completed",
    SignalState.NEEDS_INPUT: "needs input",
    SignalState.NEEDS_TESTING: "needs testing",
    SignalState.ERROR: "has an error",
}


class Rule(Struct, frozen=True):
    state: str
    session: str


def parse_rules(text: str) -> tuple[Rule, ...]:
    """Read rules; raise ValueError for a state that does not exist."""
    rules = []
    for part in (one.strip() for one in text.split(",")):
        state, _, session = part.partition(":")
        if state and state != "*" and state not in list(SignalState):
            raise ValueError(f"there is no state {state!r}")
        if state:
            rules.append(Rule(state, session or "*"))
    return tuple(rules)


def parse_ways(text: str) -> tuple[str, ...]:
    ways = tuple(one.strip() for one in text.split(",") if one.strip())
    for way in ways:
        if way not in WAYS:
            raise ValueError(f"hark cannot tell people by {way!r}, only by {', '.join(WAYS)}")
    return ways


def parse_hours(text: str) -> tuple[time, time] | None:
    if not text.strip():
        return None
    found = _HOURS.fullmatch(text)
    if not found:
        raise ValueError(f"{text!r} is not a span of hours such as 22:00-07:00")
    first, second, third, fourth = (int(part) for part in found.groups())
    return time(first, second), time(third, fourth)


def is_wanted(rules: tuple[Rule, ...], state: SignalState, session: str) -> bool:
    return any(rule.state in ("*", state) and fnmatchcase(session, rule.session) for rule in rules)


def is_quiet(hours: tuple[time, time] | None, now: time) -> bool:
    if hours is None:
        return False
    begin, end = hours
    return begin <= now < end if begin <= end else now >= begin or now < end


def wording(session: str, state: SignalState, text: str) -> str:
    """Return the words for a signal, as one line that is harmless on any terminal."""
    words = f"{session} {_WORDS[state]}" + (f": {text}" if text else "")
    line = " ".join("".join(one if one.isprintable() else " " for one in words).split())
    return line if len(line) <= LONGEST_TEXT else line[: LONGEST_TEXT - 1] + "…"


def terminal_bytes(way: str, words: str) -> bytes:
    """Return the bytes that make a terminal notify its user."""
    safe = words.replace(";", ",")
    if way == "osc9":
        return f"\x1b]9;{safe}\x07".encode()
    if way == "osc777":
        return f"\x1b]777;notify;hark;{safe}\x07".encode()
    return b"\x07"
