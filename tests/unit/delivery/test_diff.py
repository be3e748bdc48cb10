"""What has changed between two captures: the shortest script, and whose change it was."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hark.delivery.screen import diff
from hark.delivery.screen.diff import MOST_EDITS, SHORTEST_EQUAL, Change, edits, find, is_continued

TEXT = "[from crew/holden] Reliability test 7"
SCREEN = "● Received.\n────────────\n❯ {}\n────────────\n  bypass permissions on"
FEW = st.text("abc", max_size=14)

# what stood in the box before, what stands there with our text, and what that says
CHANGES = (
    # the box was empty
    ("", TEXT, Change(original="", gap="", after="")),
    # a draft was there and is gone
    ("some instructio", TEXT, Change(original="some instructio", gap="", after="")),
    # they typed on before our text came
    ("some instructio", "ns for you t" + TEXT, Change(original="some instructio", gap="ns for you t", after="")),
    # and behind it
    ("some instructio", TEXT + "ns", Change(original="some instructio", gap="", after="ns")),
    # both, into a box that was empty
    ("", "ab" + TEXT + "cd", Change(original="", gap="ab", after="cd")),
    # letters that both happen to share do not break the region
    ("toast is testy", "o" + TEXT + "s", Change(original="toast is testy", gap="o", after="s")),
)


def common_length(one: str, other: str) -> int:
    """Of the longest common subsequence: the plain quadratic table."""
    row = [0] * (len(other) + 1)
    for character in one:
        above = row
        row = [0]
        for index, against in enumerate(other):
            row.append(above[index] + 1 if character == against else max(above[index + 1], row[index]))
    return row[-1]


@pytest.mark.parametrize(("before", "after", "expected"), CHANGES)
def test_a_change_around_our_text_is_told_apart(before: str, after: str, expected: Change) -> None:
    assert find(SCREEN.format(before), SCREEN.format(after), TEXT) == expected


@pytest.mark.parametrize(("before", "after", "expected"), CHANGES)
def test_changes_elsewhere_on_the_screen_do_not_count(before: str, after: str, expected: Change) -> None:
    changed = SCREEN.format(after).replace("Received.", "Interrupted, received.") + "   AD: OVALTINE"

    assert find(SCREEN.format(before), changed, TEXT) == expected


LINES = st.lists(st.text("ab─ 日❯", max_size=9).map(str.rstrip), min_size=1, max_size=6)


@pytest.mark.parametrize(
    "draft", ["Line 1\n\n  Line 3", "Line 1\n  Line 2", "a\n\n\n\nb", "\n\n", "a\n  b\n  c", "x\n  ────", "1\n  bypass"]
)
@pytest.mark.parametrize("text", [TEXT, f"{TEXT}\n  and more\n\n  of it"])
def test_a_draft_of_several_lines_has_gone_as_a_whole(draft: str, text: str) -> None:
    before, after = (pad(SCREEN.format(shown)) for shown in (draft, text))

    assert find(before, after, text) == Change(original=draft, gap="", after="")


def pad(screen: str, rows: int = 20) -> str:
    """A screen has always the same number of rows: what a box gives up at its end is blank."""
    return screen + "\n" * (rows - screen.count("\n"))


@given(LINES)
def test_a_draft_of_any_lines_leaves_a_clean_change(lines: list[str]) -> None:
    draft = "\n  ".join(lines)

    change = find(SCREEN.format(draft), SCREEN.format(TEXT), TEXT)

    assert change == Change(original=draft, gap="", after="")


@given(st.text("ab\n ", max_size=6))
def test_what_is_typed_behind_our_text_is_never_taken_for_the_screen(typed: str) -> None:
    before, after = pad(SCREEN.format("Line 1\n\n  Line 3")), pad(SCREEN.format(f"{TEXT}x{typed}"))

    change = find(before, after, TEXT)

    assert change is not None
    assert change.after.startswith("x")


def test_clean_means_that_nobody_typed() -> None:
    assert Change(original="a draft", gap="", after="").is_clean
    assert not Change(original="", gap="x", after="").is_clean
    assert not Change(original="", gap="", after="x").is_clean


def test_what_was_typed_meanwhile_is_restored_in_its_order() -> None:
    assert Change(original="one ", gap="two ", after="three").text_to_restore == "one two three"


@pytest.mark.parametrize("text", [TEXT, ""])
def test_a_text_that_is_not_there_is_not_found(text: str) -> None:
    assert find("before", "after", text) is None


def test_the_last_of_several_is_ours() -> None:
    before = f"{TEXT}\n❯ draft\n────────"

    assert find(before, f"{TEXT}\n❯ {TEXT}\n────────", TEXT) == Change(original="draft", gap="", after="")


def test_short_equal_runs_are_absorbed_and_long_ones_are_not() -> None:
    short, long = "=" * (SHORTEST_EQUAL - 1), "=" * SHORTEST_EQUAL

    assert find(f"A{short}B", f"1{TEXT}2{short}3", TEXT) == Change(original=f"A{short}B", gap="1", after=f"2{short}3")
    assert find(f"A{long}B", f"1{TEXT}2{long}3", TEXT) == Change(original="A", gap="1", after="2")


# a draft, what the box holds now, whether that is the same draft with something typed into it
CONTINUED = (
    ("half a thou", "half a thou", True),
    ("half a thou", "half a thought", True),
    ("half a thou", "half of a thou", True),
    ("aa", "aaa", True),
    # not, where something of it is gone, or typed into two places, or it was never there
    ("half a thou", "half a tho", False),
    ("half a thou", "xhalf a thoux", False),
    ("half a thou", "", False),
    ("", "anything", False),
)


@pytest.mark.parametrize(("draft", "box", "is_the_same"), CONTINUED)
def test_a_draft_that_was_typed_on_is_still_there(draft: str, box: str, is_the_same: bool) -> None:
    assert is_continued(draft, box) is is_the_same


@given(FEW, FEW)
def test_a_script_leads_from_the_one_to_the_other_and_none_is_shorter(before: str, after: str) -> None:
    script = edits(before, after)

    assert "".join(edit.text for edit in script if edit.kind != "insert") == before
    assert "".join(edit.text for edit in script if edit.kind != "delete") == after
    changed = sum(len(edit.text) for edit in script if edit.kind != "equal")
    assert changed == len(before) + len(after) - 2 * common_length(before, after)


@given(st.text("abcd ", max_size=30), st.text("efgh", max_size=8), st.text("efgh", max_size=8))
def test_what_was_in_a_box_and_what_was_typed_come_back(draft: str, gap: str, after: str) -> None:
    found = find(SCREEN.format(draft), SCREEN.format(gap + TEXT + after), TEXT)

    assert found == Change(original=draft, gap=gap, after=after)


def test_captures_that_share_nothing_are_taken_as_replaced() -> None:
    before, after = "a" * (MOST_EDITS + 1), "b" * (MOST_EDITS + 1)

    assert [edit.kind for edit in edits(before, after)] == ["delete", "insert"]


def test_the_work_is_bounded_whatever_has_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A human's keys are held meanwhile."""
    step, count = diff._step, 0

    def counted(furthest: dict[int, int], diagonal: int, edit_count: int) -> int:
        nonlocal count
        count += 1
        return step(furthest, diagonal, edit_count)

    monkeypatch.setattr(diff, "_step", counted)
    one, other = ("".join(random.Random(seed).choices("abcdef \n", k=20_000)) for seed in (1, 2))

    edits(one, other)

    assert count <= 2 * (MOST_EDITS + 1) ** 2
