"""What is read as an input box, and what is not."""

import pytest

from hark.delivery.screen.box import BoxLook, read_box
from tests.unit.delivery.screens import CLAUDE, DEMO, GENERIC, screen

EMPTY: dict[str, tuple[BoxLook, str]] = {
    "demo": (
        DEMO,
        """
        ● done
        ────────────────────
        ❯ ‸
        ────────────────────
          demo agent · idle
        """,
    ),
    "claude: a no-break space after the prompt, and a suggestion": (
        CLAUDE,
        """
        ────────────────────
        ❯\u00a0‸⟦Try "fix the tests"⟧
        ────────────────────
          ? for shortcuts
        """,
    ),
    "claude: the session's name in the rule": (
        CLAUDE,
        """
        ──────────────── work ──
        ❯\u00a0‸
        ────────────────────────
        """,
    ),
    "generic: a prompt and blank rows": (
        GENERIC,
        """
        answer
        > ‸

        """,
    ),
    "generic: on the last row of the screen": (
        GENERIC,
        """
        answer
        > ‸
        """,
    ),
    "generic: on the only row": (GENERIC, "❯ ‸"),
    "generic: a drawn line below": (
        GENERIC,
        """
        answer
        › ‸
        ╰──────────────────╯
          ready
        """,
    ),
    "generic: behind blank rows another line": (
        GENERIC,
        """
        > ‸

        --------------------
        """,
    ),
}


@pytest.mark.parametrize(("look", "drawing"), EMPTY.values(), ids=EMPTY.keys())
def test_a_box_without_text_is_empty(look: BoxLook, drawing: str) -> None:
    box = read_box(screen(drawing), look)

    assert box is not None
    assert box.is_empty
    assert box.is_cursor_at_end


DRAFTS: dict[str, tuple[BoxLook, str, tuple[str, ...]]] = {
    "one line, cursor at its end": (
        DEMO,
        """
        ────────────────────
        ❯ a draft‸
        ────────────────────
        """,
        ("a draft",),
    ),
    "one line, cursor at its start": (
        DEMO,
        """
        ────────────────────
        ❯ ‸a draft
        ────────────────────
        """,
        ("a draft",),
    ),
    "one line, cursor in the middle": (
        DEMO,
        """
        ────────────────────
        ❯ a dr‸aft
        ────────────────────
        """,
        ("a draft",),
    ),
    "wrapped": (
        DEMO,
        """
        ────────────────────
        ❯ a draft that is
          too long‸
        ────────────────────
        """,
        ("a draft that is", "too long"),
    ),
    "several lines, cursor on the first": (
        DEMO,
        """
        ────────────────────
        ❯ one‸
          two
          three
        ────────────────────
        """,
        ("one", "two", "three"),
    ),
    "text only behind empty lines": (
        DEMO,
        """
        ────────────────────
        ❯ ‸

          text
        ────────────────────
        """,
        ("", "", "text"),
    ),
    "empty lines alone": (
        DEMO,
        """
        ────────────────────
        ❯ ‸

        ────────────────────
        """,
        ("", ""),
    ),
    "a draft beside a suggestion": (
        CLAUDE,
        """
        ────────────────────
        ❯\u00a0/com‸⟦mit⟧
        ────────────────────
        """,
        ("/com",),
    ),
    "a no-break space is text": (
        CLAUDE,
        """
        ────────────────────
        ❯\u00a0‸\u00a0
        ────────────────────
        """,
        ("\u00a0",),
    ),
    "an ideographic space is text": (
        DEMO,
        """
        ────────────────────
        ❯ ‸\u3000
        ────────────────────
        """,
        ("\u3000",),
    ),
    "a human's collapsed paste": (
        CLAUDE,
        """
        ────────────────────
        ❯\u00a0[Pasted text #1 +12 lines]‸
        ────────────────────
        """,
        ("[Pasted text #1 +12 lines]",),
    ),
    "a rule in the draft": (
        DEMO,
        """
        ────────────────────
        ❯ ‸
          ────────────────
        ────────────────────
        """,
        ("", "────────────────"),
    ),
    "generic: a draft": (
        GENERIC,
        """
        > a draft‸

        """,
        ("a draft",),
    ),
    "generic: a row of the draft looks like a prompt": (
        GENERIC,
        """
        > a draft
          > ‸

        """,
        ("a draft", "> "),
    ),
    "generic: a row of the draft looks like a drawn line": (
        GENERIC,
        """
        > ‸
          ----------

        """,
        ("", "----------"),
    ),
    "demo: tmux has hung the rest of an emoji onto a blank of the indent": (
        DEMO,
        """
        ────────────────────
        ❯ a family
          ‍👨‍👩and more‸
        ────────────────────
        """,
        ("a family", "and more"),
    ),
}


@pytest.mark.parametrize(("look", "drawing", "rows"), DRAFTS.values(), ids=DRAFTS.keys())
def test_a_draft_is_read_and_is_not_empty(look: BoxLook, drawing: str, rows: tuple[str, ...]) -> None:
    box = read_box(screen(drawing), look)

    assert box is not None
    assert tuple(row.rstrip(" ") for row in box.rows) == tuple(row.rstrip(" ") for row in rows)
    assert not box.is_empty


NO_BOX: dict[str, tuple[BoxLook, str]] = {
    "a dialog in its place": (
        DEMO,
        """
        ────────────────────
         Run rm?
         ‸❯ 1. Yes
           2. No
          demo agent · waiting
        """,
    ),
    "a dialog with the prompt's own mark": (
        CLAUDE,
        """
        ────────────────────
         Do you want to proceed?
        ❯ 1. ‸Yes
           2. No
        """,
    ),
    "no rule above": (
        DEMO,
        """
        text
        ❯ ‸
        ────────────────────
        """,
    ),
    "no rule below": (
        DEMO,
        """
        ────────────────────
        ❯ ‸
        text
        """,
    ),
    "cut off by the end of the screen": (
        DEMO,
        """
        ────────────────────
        ❯ ‸
        """,
    ),
    "at the top of the screen, its rule scrolled away": (
        DEMO,
        """
        ❯ ‸
        ────────────────────
        """,
    ),
    "a mark of the draft has joined the prompt": (
        DEMO,
        """
        ────────────────────
        ❯ \u0301‸
        ────────────────────
        """,
    ),
    "the cursor below the box": (
        DEMO,
        """
        ────────────────────
        ❯
        ────────────────────
          demo agent ‸
        """,
    ),
    "the cursor on the rule": (
        DEMO,
        """
        ────────────────────
        ❯
        ──‸──────────────────
        """,
    ),
    "the cursor in the prompt": (
        DEMO,
        """
        ────────────────────
        ‸❯
        ────────────────────
        """,
    ),
    "generic: text behind an empty line may be the draft's": (
        GENERIC,
        """
        > ‸

          text
        """,
    ),
    "generic: the cursor on a blank row below": (
        GENERIC,
        """
        >
          ‸
        """,
    ),
    "generic: a menu below": (
        GENERIC,
        """
        > ‸
        ctrl-c to leave
        """,
    ),
    "generic: no prompt": (
        GENERIC,
        """
        Password: ‸
        """,
    ),
}


@pytest.mark.parametrize(("look", "drawing"), NO_BOX.values(), ids=NO_BOX.keys())
def test_what_does_not_look_like_the_box_is_none(look: BoxLook, drawing: str) -> None:
    assert read_box(screen(drawing), look) is None


def test_there_is_no_box_behind_copy_mode() -> None:
    assert read_box(screen(EMPTY["demo"][1], in_mode=True), DEMO) is None


@pytest.mark.parametrize(("look", "is_read"), [(DEMO, False), (GENERIC, False), (CLAUDE, True)])
def test_a_hidden_cursor_is_no_box_where_agents_show_it(look: BoxLook, is_read: bool) -> None:
    drawing = """
        ────────────────────
        ❯ ‸
        ────────────────────
        """

    assert (read_box(screen(drawing, is_cursor_visible=False), look) is not None) is is_read


def test_a_cursor_below_the_rows_is_no_box() -> None:
    seen = screen("> ‸")

    assert read_box(type(seen)(rows=seen.rows, columns=40, cursor_x=2, cursor_y=7), GENERIC) is None
