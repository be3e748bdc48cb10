"""What is drawn is what is read: for any draft and any cursor."""

from hypothesis import assume, given
from hypothesis import strategies as st

from hark.delivery.screen.box import holds_text, read_box, undisputed
from tests.unit.delivery.screens import DEMO, GENERIC, draw_box

# Letters, wide and combined ones, blanks of all kinds, and what boxes and prompts are drawn with.
VISIBLE = ["a", "b", "1", "漢", "x\u0301", "❯", ">", "-", "─", "─" * 8, "│", "#", "[", "\\", "\u00a0", "\u3000"]
PIECES = st.sampled_from([*VISIBLE, " ", "  ", "\n", "\n\n", "word ", "[Pasted text #1 +3 lines]"])
DRAFTS = st.lists(PIECES, max_size=30).map("".join)
EDITED = st.sampled_from(["a", "漢", "-", ";"])
"""Characters that every terminal draws alike."""
BLANKS = " \n\t"


@st.composite
def drafts_with_cursor(draw: st.DrawFn) -> tuple[str, int]:
    draft = draw(st.sampled_from(["", "", "\u0301"])) + draw(DRAFTS)
    return draft, draw(st.integers(0, len(draft)))


def is_told_from_empty(draft: str, cursor: int, blanks: str) -> bool:
    """Spaces behind the cursor look like cells that nobody wrote to; so do empty lines where no frame ends the box."""
    return draft == "" or cursor > 0 or draft.strip(blanks) != ""


@given(drafts_with_cursor())
def test_a_framed_box_is_empty_only_without_a_draft(drawn: tuple[str, int]) -> None:
    draft, cursor = drawn
    assume(is_told_from_empty(draft, cursor, " "))

    box = read_box(draw_box(draft, cursor), DEMO)

    assert (box is not None and box.is_empty) is (draft == "")


@given(drafts_with_cursor())
def test_an_unframed_box_is_empty_only_without_a_draft(drawn: tuple[str, int]) -> None:
    draft, cursor = drawn
    assume(is_told_from_empty(draft, cursor, " \n"))

    box = read_box(draw_box(draft, cursor, prompt="> ", rule=""), GENERIC)

    assert (box is not None and box.is_empty) is (draft == "")


TEXTS = DRAFTS.filter(undisputed)


@given(TEXTS)
def test_a_text_with_the_cursor_behind_it_is_shown(text: str) -> None:
    box = read_box(draw_box(text, len(text)), DEMO)

    assert box is not None
    assert holds_text(box, text)


@given(st.data(), TEXTS)
def test_a_text_is_not_held_with_one_character_more(data: st.DataObject, text: str) -> None:
    at = data.draw(st.integers(0, len(text)))
    draft = text[:at] + data.draw(EDITED) + text[at:]

    assert_not_held(draft, text)


@given(st.data(), TEXTS)
def test_a_text_is_not_held_with_one_character_less(data: st.DataObject, text: str) -> None:
    at = data.draw(st.sampled_from([i for i, character in enumerate(text) if undisputed(character)]))

    assert_not_held(text[:at] + text[at + 1 :], text)


@given(st.data(), TEXTS)
def test_a_text_is_not_held_with_one_character_replaced(data: st.DataObject, text: str) -> None:
    at = data.draw(st.sampled_from([i for i, character in enumerate(text) if undisputed(character)]))
    other = data.draw(EDITED.filter(lambda character: character != text[at]))

    assert_not_held(text[:at] + other + text[at + 1 :], text)


@given(TEXTS, st.data())
def test_a_text_is_not_held_with_the_cursor_before_one_of_its_characters(text: str, data: st.DataObject) -> None:
    cursor = data.draw(st.integers(0, len(text.rstrip(BLANKS)) - 1))
    assume(text[cursor] != "\u0301")

    box = read_box(draw_box(text, cursor), DEMO)

    assert box is None or not holds_text(box, text)


def assert_not_held(draft: str, text: str) -> None:
    box = read_box(draw_box(draft, len(draft)), DEMO)

    assert box is None or not holds_text(box, text)
