"""Decides which of two versions of hark is older. Versions are written like those of Python packages: 1.2.3, 1.3.0rc1, 1.3.0.dev2."""

import re

Order = tuple[tuple[int, ...], int, int]

_VERSION = re.compile(
    r"v?(?P<release>\d{1,9}(?:\.\d{1,9}){0,9})"
    r"(?:[._-]?(?P<stage>dev|alpha|a|beta|b|rc|post)[._-]?(?P<number>\d{0,9}))?(?:\+[\w.]*)?"
)
_STAGES = {"dev": 0, "a": 1, "alpha": 1, "b": 2, "beta": 2, "rc": 3, "": 4, "post": 5}


def order(version: str) -> Order | None:
    """Return a value by which versions can be compared; None if the text is not a version."""
    found = _VERSION.fullmatch(version)
    if found is None:
        return None
    release = tuple(int(part) for part in found["release"].split("."))
    while len(release) > 1 and release[-1] == 0:
        release = release[:-1]
    return release, _STAGES[found["stage"] or ""], int(found["number"] or 0)


def is_older(one: str, other: str) -> bool:
    """True if `one` is certainly older than `other`; False if either text is not a version."""
    first, second = order(one), order(other)
    return first is not None and second is not None and first < second
