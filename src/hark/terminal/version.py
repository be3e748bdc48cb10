"""Which tmux is this, and what can it do."""

import re

from hark.model.errors import HarkError

OLDEST = (3, 3)

_SINCE = {
    (3, 4): "client-loop",
    (3, 7): "paste-sanitises",
}


def parse_version(text: str) -> tuple[int, int]:
    """`tmux 3.3a` -> (3, 3); `tmux next-3.8` -> (3, 8); builds without a number count as new."""
    found = re.search(r"(\d+)\.(\d+)", text)
    return (int(found[1]), int(found[2])) if found else (99, 0)


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
    return frozenset(feature for since, feature in _SINCE.items() if version >= since)
