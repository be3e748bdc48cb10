"""The keys of an undo take a draft out wherever its cursor stands: a hold may end while the cursor is walked back."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hark.delivery.carriers.undo import Undo, pasting_back
from tests.unit.delivery.screens import CLAUDE, DEMO

MESSAGE = "[Input from: ann via hark send · 0123456789ab]\nhello"


def presses(undo: Undo) -> Counter[str]:
    """How often each key is pressed before the draft is pasted."""
    erasing = undo[: next(index for index, write in enumerate(undo) if write.paste)]
    return Counter(key for write in erasing for key in write.keys)


@pytest.mark.parametrize("look", [DEMO, CLAUDE], ids=["demo", "claude"])
@given(draft=st.text(st.characters(exclude_categories=("C", "Z"), codec="utf-8"), min_size=1, max_size=300))
def test_as_many_backspaces_and_deletes_as_the_draft_has_characters(look: object, draft: str) -> None:
    back = pasting_back(draft, None, MESSAGE, DEMO if look is DEMO else CLAUDE)

    for undo in (back.after_enter, back.after_submit):
        pressed = presses(undo)
        assert min(pressed["BSpace"], pressed["DC"]) >= len(draft)
