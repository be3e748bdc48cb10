"""What is exact, garbled, lost or doubled, by tables."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.campaigns.storm.judge import Verdict, judge
from tests.campaigns.storm.person import Prompt, Recalled

HEADER = "[Input from: someone via hark send · 0123456789ab]"
ONE, TWO = "MAAAAM BUILD IS GREEN", "MAAABM DEPLOY\nDONE"
FIRST, SECOND = Prompt("qaaaaq please look"), Prompt("qaaabq at the test\nand why")

# name, what arrived of two messages and two prompts, and the verdict
CASES: tuple[tuple[str, list[str], Verdict], ...] = (
    ("all is well", [ONE, FIRST.text, TWO, SECOND.text], Verdict(exact=(ONE, TWO))),
    ("blanks around a text", [f" {ONE}\n", FIRST.text, TWO, SECOND.text + " "], Verdict(exact=(ONE, TWO))),
    ("joined by the agent", [f"{ONE}\n\n{FIRST.text}\n\n{TWO}", SECOND.text], Verdict(exact=(ONE, TWO))),
    ("a message is nowhere", [FIRST.text, TWO, SECOND.text], Verdict(exact=(TWO,), lost=(ONE,))),
    ("a message twice", [ONE, ONE, FIRST.text, TWO, SECOND.text], Verdict(exact=(TWO,), doubled=(ONE,))),
    (
        "a message twice, once in a mixture",
        [ONE, f"qx{ONE}", FIRST.text, TWO, SECOND.text],
        Verdict(exact=(TWO,), doubled=(ONE,), leftovers=(f"qx{ONE}",)),
    ),
    (
        "a key inside of a message",
        [ONE, FIRST.text, "MAAABM DEPxLOY\nDONE", SECOND.text],
        Verdict(exact=(ONE,), garbled=(TWO,), leftovers=("MAAABM DEPxLOY\nDONE",)),
    ),
    (
        "a message sent off with a draft",
        [f"qaaaaq pl{ONE}", "ease look", TWO, SECOND.text],
        Verdict(
            exact=(TWO,),
            garbled=(ONE,),
            prompts_garbled=(FIRST.text,),
            prompts_exact=(SECOND.text,),
            leftovers=(f"qaaaaq pl{ONE}", "ease look"),
        ),
    ),
    (
        "a draft in two pieces, the second one first",
        [ONE, "ease look", "qaaaaq pl", TWO, SECOND.text],
        Verdict(
            exact=(ONE, TWO),
            prompts_garbled=(FIRST.text,),
            prompts_exact=(SECOND.text,),
            leftovers=("ease look", "qaaaaq pl"),
        ),
    ),
    (
        "a key of a prompt is missing",
        [ONE, "qaaaaq plase look", TWO, SECOND.text],
        Verdict(
            exact=(ONE, TWO),
            prompts_garbled=(FIRST.text,),
            prompts_exact=(SECOND.text,),
            keys_lost=1,
            leftovers=("qaaaaq plase look",),
        ),
    ),
    (
        "a blank of a prompt is missing: no letter, and still not what the person wrote",
        [ONE, "qaaaaq pleaselook", TWO, SECOND.text],
        Verdict(
            exact=(ONE, TWO),
            prompts_garbled=(FIRST.text,),
            prompts_exact=(SECOND.text,),
            leftovers=("qaaaaq pleaselook",),
        ),
    ),
    (
        "a prompt is nowhere",
        [ONE, TWO, SECOND.text],
        Verdict(exact=(ONE, TWO), prompts_lost=(FIRST.text,), prompts_exact=(SECOND.text,), keys_lost=16),
    ),
    (
        "a prompt twice",
        [ONE, TWO, FIRST.text, FIRST.text, SECOND.text],
        Verdict(exact=(ONE, TWO), prompts_lost=(FIRST.text,), prompts_exact=(SECOND.text,), keys_lost=16),
    ),
    (
        "letters of a message that hark has put its header to do not count as the person's",
        [f"{HEADER}\n{ONE} x", TWO, SECOND.text],
        Verdict(
            exact=(TWO,),
            garbled=(ONE,),
            prompts_lost=(FIRST.text,),
            prompts_exact=(SECOND.text,),
            keys_lost=16,
            leftovers=(f"{HEADER}\n{ONE} x",),
        ),
    ),
)


@pytest.mark.parametrize(("name", "arrived", "expected"), CASES, ids=[name for name, *_ in CASES])
def test_the_verdict(name: str, arrived: list[str], expected: Verdict) -> None:
    verdict = judge([ONE, TWO], [FIRST, SECOND], arrived)

    untouched = not (expected.prompts_garbled or expected.prompts_lost)
    both = (FIRST.text, SECOND.text) if untouched else expected.prompts_exact
    assert verdict == replace(expected, prompts_exact=both)
    assert verdict.is_clean is (expected.exact == (ONE, TWO) and untouched)


AGAIN = Prompt(" again qaaacq", Recalled.CURSOR_AT_END)
BEFORE = Prompt("again qaaacq ", Recalled.CURSOR_AT_START)

# name, the prompt, what came before it, what arrived, whether it is exact
RECALLS: tuple[tuple[str, Prompt, list[str], str, bool], ...] = (
    ("a message from the history", AGAIN, [ONE], f"{ONE} again qaaacq", True),
    ("a prompt from the history", AGAIN, [FIRST.text], f"{FIRST.text} again qaaacq", True),
    ("one from before the storm", AGAIN, [], "warm up again qaaacq", True),
    ("where the agent puts the cursor before it", BEFORE, [ONE], f"again qaaacq {ONE}", True),
    ("the own words at the wrong end", BEFORE, [ONE], f"{ONE} again qaaacq", False),
    ("a text that was not there before", AGAIN, [], f"{ONE} again qaaacq", False),
    ("a part of a text", AGAIN, [ONE], f"{ONE[:-1]} again qaaacq", False),
    ("own words that are not exact", AGAIN, [ONE], f"{ONE} agan qaaacq", False),
)


@pytest.mark.parametrize(("name", "prompt", "before", "arrived", "is_exact"), RECALLS, ids=[one[0] for one in RECALLS])
def test_a_recalled_prompt_is_an_earlier_text_with_the_own_words_where_the_cursor_was(
    name: str, prompt: Prompt, before: list[str], arrived: str, is_exact: bool
) -> None:
    verdict = judge([ONE], [FIRST, prompt], [*before, arrived], earlier=["warm up"])

    assert (prompt.text in verdict.prompts_exact) is is_exact
    assert (arrived in verdict.leftovers) is not is_exact
    assert not verdict.doubled


@given(cut=st.integers(1, len(FIRST.text) - 1))
def test_a_message_typed_into_a_draft_is_never_taken_for_exact(cut: int) -> None:
    """What every protocol does that does not ask who is typing."""
    verdict = judge([ONE], [FIRST], [FIRST.text[:cut] + ONE, FIRST.text[cut:]])

    assert not verdict.is_clean
    assert verdict.garbled == (ONE,)
    assert verdict.prompts_garbled == (FIRST.text,)
    assert verdict.keys_lost == 0
