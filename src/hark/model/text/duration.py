"""Durations as people write them: 30s, 5m, 1h30m, 2d, or plain seconds."""

import re

from hark.model.errors import HarkError

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
LONGEST_S = 366 * 86400.0


def parse_duration(text: str) -> float:
    """Return the seconds of a written duration. Raise `duration-invalid` for anything that is not a positive length of time."""
    cleaned = text.strip().lower()
    if re.fullmatch(r"\d+(\.\d+)?", cleaned):
        seconds = float(cleaned)
    elif cleaned and not _PART.sub("", cleaned):
        seconds = sum(float(count) * _UNITS[unit] for count, unit in _PART.findall(cleaned))
    else:
        seconds = 0.0
    if not 0 < seconds <= LONGEST_S:
        raise HarkError("duration-invalid", f"{text!r} is not a duration", "write it as 30s, 5m, 1h30m or 2d")
    return seconds


def format_duration(seconds: float) -> str:
    """Write a duration with its two largest units that are not zero: 250ms, 12s, 5m, 1h30m, 2d4h."""
    if seconds < 1:
        return f"{round(seconds * 1000)}ms"
    left, parts = round(seconds), []
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60), ("s", 1)):
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts[:2])
