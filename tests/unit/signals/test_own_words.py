"""Markers in what an agent has on record as its own words."""

from __future__ import annotations

import pytest

from hark.model.signal import SignalState
from hark.signals.marker import Marker, MarkerReader
from hark.signals.own_words import read_words

M = "--<[hark:completed:done]>--"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (M, 1),
        (f"prose\n{M}\nprose", 1),
        (f"   {M}  ", 1),  # three blanks are not code
        (f"{M}\n\n{M}", 2),
        (f"    {M}", 0),  # indented code
        (f"\t{M}", 0),
        (f"```\n{M}\n```", 0),
        (f"```\n{M}\n```\n{M}", 1),
        (f"~~~\n```\n{M}\n```\n{M}\n~~~\n{M}", 1),  # a fence within a fence
        (f"````\n```\n{M}\n```\n````\n{M}", 1),
        (f"```python\n{M}\n``` x\n{M}\n```", 0),  # only a bare fence ends it
        (f"> {M}", 0),
        (f"- {M}", 0),
        (f"`{M}`", 0),
        (f"say {M} now", 0),
        (f"• {M}", 0),
        ("--<[hark:unknown:x]>--", 0),
    ],
)
def test_a_marker_counts_where_it_is_a_line_of_the_prose(text: str, count: int) -> None:
    found = read_words(text, MarkerReader())

    assert [one for one in found if isinstance(one, Marker)] == [Marker(SignalState.COMPLETED, "done")] * count
