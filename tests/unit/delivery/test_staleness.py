"""For how long a draft has stood untouched."""

from hark.delivery.screen.box import Box
from hark.delivery.screen.staleness import Untouched


def box(*rows: str, cursor_x: int = 0) -> Box:
    return Box(rows=rows, is_cursor_at_start=False, is_cursor_at_end=True, cursor_x=cursor_x)


def test_a_draft_that_was_never_seen_has_no_age() -> None:
    assert Untouched().for_s(500.0) == 0.0


def test_the_same_draft_grows_older() -> None:
    seen = Untouched().seen(box("draft"), 100.0).seen(box("draft"), 150.0)

    assert seen.for_s(160.0) == 60.0


def test_a_changed_text_or_cursor_begins_anew() -> None:
    seen = Untouched().seen(box("draft"), 100.0)

    assert seen.seen(box("drafts"), 150.0).for_s(160.0) == 10.0
    assert seen.seen(box("draft", cursor_x=3), 150.0).for_s(160.0) == 10.0


def test_a_box_out_of_sight_says_nothing() -> None:
    seen = Untouched().seen(box("draft"), 100.0).seen(None, 150.0)

    assert seen.for_s(160.0) == 60.0
