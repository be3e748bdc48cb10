"""What a test may read off each agent's screen: an empty box, a running turn, an open permission dialog.

These serve tests of known versions only. They hold for the short texts that tests submit, not for all that can be on a
screen.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from tests.agents.screen import Screen

RULE = "─" * 20


class Marks(msgspec.Struct, frozen=True):
    has_empty_box: Callable[[Screen], bool]
    is_busy: Callable[[Screen], bool]
    dialog: str
    """What stands on the screen while a permission is asked for, and only then."""
    denial: tuple[str, ...] = ("Escape",)
    """The keys that refuse it."""
    editor: tuple[str, ...] = ("C-g",)
    """The keys that open the draft in an editor."""
    shell_end: tuple[str, ...] = ("Backspace",)
    """The keys, of a human, that leave an empty box for shell commands."""
    is_dialog_kept: bool = False
    """A dialog that is answered stays on the screen: one that is open has the cursor in its row."""
    has_box_in_turn: bool = True
    """There is an input box while a turn runs or a dialog is open: a human may type a draft then."""

    def is_asking(self, screen: Screen) -> bool:
        return self.dialog in (screen.cursor_row if self.is_dialog_kept else screen.text)


def is_spinning(screen: Screen) -> bool:
    """The title begins with a braille pattern."""
    return "\u2800" <= screen.title[:1] <= "\u28ff"


def has_empty_box_of_claude(screen: Screen) -> bool:
    """A queue of messages shows a placeholder in the empty box."""
    above, below = screen.row(screen.cursor_y - 1), screen.row(screen.cursor_y + 1)
    text = screen.cursor_row.removeprefix("❯").strip("\N{NO-BREAK SPACE} ")
    is_single_row = above.startswith(RULE) and below.startswith(RULE)
    return is_single_row and text in ("", "Press up to edit queued messages") and screen.cursor_x == 2


def has_empty_box_of_codex(screen: Screen) -> bool:
    """Drawn before it reads keys, the box has no model below it yet."""
    has_placeholder = screen.cursor_row == "› Ask Codex to do anything" and screen.cursor_x == 2
    return has_placeholder and screen.cursor_flag == 1 and screen.row(screen.cursor_y + 2) != ""


def has_empty_box_of_gemini(screen: Screen) -> bool:
    """In vim mode it says how to leave the mode instead. Without the focus it draws no cursor, and the terminal's stays at the left."""
    ghosts = ("Type your message or @path/to/file", "Press 'Esc' for NORMAL mode.", "Press 'i' for INSERT mode.")
    rows = [f" {prompt}   {ghost}" for ghost in ghosts for prompt in ">*"]
    is_focused = screen.cursor_row in rows and screen.cursor_x == 3
    return is_focused or (screen.cursor_x == 0 and not set(rows).isdisjoint(screen.rows))


def has_empty_box_of_opencode(screen: Screen) -> bool:
    """The text between a blank row above and one below it; its placeholder is there only before the first turn."""
    top, above, text, below, model = (screen.row(screen.cursor_y + offset).strip() for offset in (-2, -1, 0, 1, 2))
    is_single_row = top == "" and above == below == "┃" and model.startswith("┃  Build ·")
    is_empty = text == "┃" or text.startswith("┃  Ask anything")
    return (
        is_single_row and is_empty and screen.cursor_x == screen.cursor_row.index("┃") + 3 and screen.cursor_flag == 1
    )


def has_empty_box_of_aider(screen: Screen) -> bool:
    """After a draft that was higher than the screen, the rule above has scrolled away."""
    below_rule = screen.cursor_y == 0 or screen.row(screen.cursor_y - 1).startswith(RULE)
    is_single_row = below_rule and screen.row(screen.cursor_y + 1) == ""
    return is_single_row and screen.cursor_row == ">" and screen.cursor_x == 2 and screen.cursor_flag == 1


def has_empty_box_between_rules(screen: Screen, prompt: str, *ghosts: str) -> bool:
    above, below = screen.row(screen.cursor_y - 1), screen.row(screen.cursor_y + 1)
    text = screen.cursor_row.removeprefix(prompt).strip("\u200b ")
    is_single_row = above.startswith(RULE) and below.startswith(RULE) and screen.cursor_row.startswith(prompt)
    return is_single_row and text in ("", *ghosts) and screen.cursor_x == 2 and screen.cursor_flag == 1


MARKS = {
    "claude": Marks(has_empty_box_of_claude, is_spinning, "Do you want to proceed?"),
    "codex": Marks(has_empty_box_of_codex, is_spinning, "Would you like to run the following command?"),
    "gemini": Marks(
        has_empty_box_of_gemini,
        lambda screen: screen.title.startswith("✦"),
        "Allow execution of",
        shell_end=("Escape",),
    ),
    "opencode": Marks(
        has_empty_box_of_opencode,
        lambda screen: "esc interrupt" in screen.text,
        "Permission required",
        editor=("C-x", "e"),
    ),
    "copilot": Marks(
        lambda screen: has_empty_box_between_rules(screen, "❯"),
        lambda screen: "esc esc interrupt" in screen.text,
        "Do you want to run this command?",
    ),
    "qwen": Marks(
        lambda screen: has_empty_box_between_rules(screen, ">", "Type your message or @path/to/file"),
        lambda screen: screen.title[:1] in tuple("◐◓◑◒"),
        "Allow execution of",
        editor=("C-x",),
        shell_end=("Escape",),
    ),
    "aider": Marks(
        has_empty_box_of_aider,
        lambda screen: screen.cursor_flag == 0,
        "Run shell command?",
        denial=("n", "Enter"),
        editor=("C-x", "C-e"),
        is_dialog_kept=True,
        has_box_in_turn=False,
    ),
}
