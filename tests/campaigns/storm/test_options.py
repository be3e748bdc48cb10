"""What `scripts/storm` does for which words: storms, kills, or both."""

from __future__ import annotations

import pytest

from tests.campaigns.storm.__main__ import DEFAULT, KILLS, killings_of, plans_of, read_options

# words, the storms, the kills
CALLS: tuple[tuple[str, list[tuple[str, str, int]], list[tuple[str, str, int]]], ...] = (
    ("", list(DEFAULT), list(KILLS)),
    ("codex --protocols airlock --messages 7", [("airlock", "codex", 7)], []),
    ("--kills 3", [], [(protocol, agent, 3) for protocol, agent, _ in KILLS]),
    ("--kills 0", [], []),
    ("claude --kills 3", [], [("airlock", "claude", 3), ("adopted", "claude", 3)]),
    ("claude --protocols airlock --kills 100", [], [("airlock", "claude", 100)]),
    ("gemini codex --protocols adopted --kills 2", [], [("adopted", "gemini", 2), ("adopted", "codex", 2)]),
    ("--protocols adopted --kills 2", [], [("adopted", "claude", 2)]),
    (
        "claude --protocols airlock --kills 4 --messages 5",
        [("airlock", "claude", 5)],
        [("airlock", "claude", 4)],
    ),
)


@pytest.mark.parametrize(("words", "storms", "kills"), CALLS, ids=[words or "nothing" for words, *_ in CALLS])
def test_what_is_done(words: str, storms: list[tuple[str, str, int]], kills: list[tuple[str, str, int]]) -> None:
    options = read_options(words.split())

    assert [(one.protocol, one.agent, one.deliveries) for one in plans_of(options)] == storms
    assert killings_of(options) == kills


@pytest.mark.parametrize("words", ["cloude --kills 2", "--protocols airlok --kills 2", "--protocols adopted,x"])
def test_a_word_that_is_not_known_is_refused(words: str) -> None:
    with pytest.raises(SystemExit):
        read_options(words.split())
