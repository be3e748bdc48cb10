"""The version of a tmux, and the features that this version has."""

import re

from hark.delivery.screen.capture import Widths
from hark.model.errors import HarkError

OLDEST = (3, 3)
_NO_NUMBER = (99, 0)
_NEVER = (100, 0)

# For each feature, the first version that has it, and the first later version that lacks it again.
_FEATURES = {
    "client-keys": ((3, 4), _NEVER),
    "used-cells": ((3, 4), _NEVER),
    "escaped-dollars": ((3, 4), (3, 5)),
    "escaped-controls": ((3, 4), (3, 6)),
    "paste-sanitises": ((3, 7), _NEVER),
}
"""
client-keys        `send-keys -K` puts a key into the queue of a client
used-cells         `capture-pane -N` shows all cells of a row, also those that nobody wrote; `-T` leaves these out
escaped-dollars    all that tmux prints has a backslash before a `$` that begins a name
escaped-controls   all that tmux prints has control characters in a form that cannot be told from text
paste-sanitises    `paste-buffer` changes control characters unless told not to
"""


def parse_version(text: str) -> tuple[int, int]:
    """Return the version: `tmux 3.3a` -> (3, 3); `tmux next-3.8` -> (3, 8). A build without a number counts as new."""
    found = re.search(r"(\d+)\.(\d+)", text)
    return (int(found[1]), int(found[2])) if found else _NO_NUMBER


def check_version(text: str) -> tuple[int, int]:
    version = parse_version(text)
    if version < OLDEST:
        raise HarkError(
            "tmux-too-old",
            f"hark needs tmux 3.3 or newer, this is {text.strip()}",
            "upgrade it: apt-get install tmux, or brew upgrade tmux",
        )
    return version


def features(version: tuple[int, int]) -> frozenset[str]:
    return frozenset(name for name, (first, end) in _FEATURES.items() if first <= version < end)


def widths_of(version: tuple[int, int]) -> Widths:
    return Widths(emoji_are_wide=version >= (3, 4), shows_second_cell=version == (3, 4))
