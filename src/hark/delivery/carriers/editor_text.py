"""How a text comes out of the agent's editor into its box: the editor closes, the agent draws the text, and what the agent does to a
text from its editor is mended.
"""

import re
from collections.abc import Generator
from functools import partial

from msgspec import Struct

from hark.delivery.carriers.steps import Answer, CloseEditor, Paste, Press, Step
from hark.delivery.carriers.submit import DRAWN_WITHIN_S, Job, Test, look, settle, watch_at_rest, watch_for
from hark.delivery.carriers.undo import EDITOR_GONE_S, SPARE_STEPS, Undo, Write, arrows
from hark.delivery.screen.box import Box, BoxLook, holds_text, read_box
from hark.delivery.screen.capture import Screen
from hark.delivery.wording import catches_enter

SHOWN_WITHIN_S = 1.0
GONE_WITHIN_S = 0.5
BLANKS_WITHIN_S = 0.5
"""How long to wait for blanks to show. The wait is short: blanks at the end of a row may change nothing on the screen, and an agent that
is not typed into opens its dialogs."""

Settling = Generator[Step, Answer, bool]


class EditorKeys(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    key: tuple[str, ...]
    """The keys that open `$EDITOR`, pressed one after the other."""
    after: tuple[str, ...] = ()
    """Harmless keys to press after the editor has closed, for agents that swallow the first key."""
    end_keys: tuple[str, ...] = ()
    """The keys that bring the cursor to the end from anywhere, for agents that leave the cursor too far to the left of the end, by the
    number of wide characters and newlines."""
    rest_s: float = 0.0
    """How long the agent still loses keys after its editor has closed."""
    needs_box: bool = False
    """True if the key does something else where there is no input box, or opens an editor elsewhere too: then hark looks first."""
    not_for: str | None = None
    """A pattern for drafts that the editor must not carry, by how their rows, joined by newlines, begin. Beside such a draft the key
    does something else, because a popup is open and takes it; or the agent shows its cursor in another place than it is, so that hark
    could not bring the cursor back."""
    not_while: str | None = None
    """A pattern for what the screen shows below the box in a mode that the agent would not be in afterwards."""
    is_slow: bool = False
    """True if the agent may take so long to come back that keys are not held to the end: then hark opens the editor only while nobody
    types."""
    is_lost_in_dialog: bool = False
    """True if the text from the editor is lost when a dialog has opened meanwhile: then a draft stays on record until it is seen."""
    trims: bool = False
    """True if the agent drops blanks at both ends of the text from its editor, even of an unchanged text: then they are pasted again."""
    ignores_empty: bool = False
    """True if the agent ignores an empty text from its editor: then the keys that empty its box take the draft out instead."""
    fails_to_keep: bool = False
    """True if the agent loads the text that its editor leaves, even unchanged, and puts the cursor elsewhere, but loads nothing from an
    editor that fails. So our editor fails when it changes nothing."""


def closing(editor: EditorKeys) -> Undo:
    """Return the writes that wait until the agent is back from its editor and takes keys."""
    wait = Write(then_wait_s=EDITOR_GONE_S + editor.rest_s, back_wait_s=editor.rest_s)
    return (wait, *((Write(keys=editor.after),) if editor.after else ()))


def needed(text: str, editor: EditorKeys) -> str:
    """Return the part of our own text that must be in the box: the agent may trim the blanks at its end, unless they keep Enter from
    meaning something else."""
    return text if not editor.trims or catches_enter(text.rstrip()) else text.rstrip()


def same_text(one: str, other: str) -> bool:
    """Return whether two texts are the same, except for blanks at both ends, because agents trim, and for tabs, which may become spaces
    on the way."""
    return one.expandtabs(4).strip() == other.expandtabs(4).strip()


def set_text(text: str, job: Job, editor: EditorKeys) -> Settling:
    """End the editor with this text in the box, and with the blanks at its ends. Return whether the text has come whole, as far as that
    can be told."""
    kept = text.strip() if editor.trims else text
    yield from close(kept, editor)
    yield from _go_to_end(kept, job, editor)
    return (yield from _paste_trimmed(text, job, editor))


def leave_text(text: str, job: Job, editor: EditorKeys) -> Settling:
    """Close the editor without a change. An agent that trims drops the blanks at the ends of this text even so: then paste them again.
    Return whether the box holds the text as before, as far as that can be told."""
    yield from close(None, editor)
    return (yield from _paste_trimmed(text, job, editor))


def is_trimmed(text: str, editor: EditorKeys) -> bool:
    """Return whether the agent drops blanks of this text when its editor closes."""
    return editor.trims and text != text.strip() != ""


def _paste_trimmed(text: str, job: Job, editor: EditorKeys) -> Settling:
    """Paste the blanks that the agent has trimmed, first behind the text and then before it, once the text can be seen with the cursor at
    its end: a paste that comes before the editor is gone is lost with it."""
    if not is_trimmed(text, editor):
        return True
    kept, started, ended = text.strip(), text.lstrip(), text.rstrip()
    seen, is_drawn = yield from watch_at_rest(
        job, lambda screen: holds(screen, job, kept), lambda box: not box.is_empty, SHOWN_WITHIN_S
    )
    box = read_box(seen.screen, job.look)
    if not is_drawn or box is None or not box.is_cursor_at_end:
        return False
    begins, ends = _pastes_at_ends(box, job.look)
    is_whole = yield from _paste_blanks("" if ends else text[len(ended) :], job)
    if not is_whole or started == text or begins:
        return is_whole
    if not (yield Press((job.look.left_key,) * (arrows(started) + SPARE_STEPS))):
        return False
    yield from watch_for(partial(_is_at_start, job=job), DRAWN_WITHIN_S)
    return (yield from _paste_blanks(text[: -len(started)], job))


def _pastes_at_ends(box: Box, look: BoxLook) -> tuple[bool, bool]:
    """Return whether the box begins, and whether it ends, with a collapsed paste: blanks that belong to the paste are still in it."""
    shown = "".join(box.rows).strip()
    pastes = list(re.finditer(look.placeholder, shown)) if look.placeholder else []
    return any(paste.start() == 0 for paste in pastes), any(paste.end() == len(shown) for paste in pastes)


def _paste_blanks(blanks: str, job: Job) -> Settling:
    """Paste blanks at the cursor. Newlines are pasted one by one: pasted together they may be collapsed."""
    seen = yield from look()
    for some in re.findall(r"\n|[^\n]+", blanks):
        before = _cursor(seen.screen, job)
        if not (yield Paste(some)):
            return False
        seen = yield from watch_for(_moved_from(before, job), BLANKS_WITHIN_S)
    return True


def _is_at_start(screen: Screen, job: Job) -> bool:
    box = read_box(screen, job.look)
    return box is not None and (box.cursor_row, box.cursor_x) == (0, box.starts[0])


def _go_to_end(text: str, job: Job, editor: EditorKeys) -> Generator[Step, Answer, None]:
    """Bring the cursor to the end of the text, but only if the input box is seen with the text: a dialog would take the keys for its
    own. Wait until the cursor is drawn there: whoever walks it from where it stood before leaves the draft."""
    if not editor.end_keys or not text.strip() or (text.isascii() and text.isprintable()):
        return
    seen = yield from watch_for(lambda screen: _is_filled(screen, job), SHOWN_WITHIN_S)
    box = read_box(seen.screen, job.look)
    if box is None or box.is_empty or (box.is_cursor_at_end and text == text.rstrip()):
        return
    if (yield Press(editor.end_keys)):
        yield from watch_for(_moved_from((box.cursor_row, box.cursor_x), job), DRAWN_WITHIN_S)


def _is_filled(screen: Screen, job: Job) -> bool:
    box = read_box(screen, job.look)
    return box is not None and not box.is_empty


def _moved_from(cursor: tuple[int, int] | None, job: Job) -> Test:
    return lambda screen: _cursor(screen, job) != cursor


def _cursor(screen: Screen, job: Job) -> tuple[int, int] | None:
    """Return the place of the cursor in the box, because the box itself may move; None if there is no box."""
    box = read_box(screen, job.look)
    return (box.cursor_row, box.cursor_x) if box else None


def holds(screen: Screen, job: Job, text: str) -> bool:
    box = read_box(screen, job.look)
    return box is not None and holds_text(box, text)


def close(text: str | None, editor: EditorKeys) -> Generator[Step, Answer, None]:
    """Close the editor, and wait until the agent draws again: keys that come before that are lost with the editor."""
    during = yield from look()
    yield CloseEditor(text)
    seen = yield from watch_for(lambda screen: screen.rows != during.screen.rows, GONE_WITHIN_S)
    yield from settle(editor.rest_s, seen)
    if editor.after:
        yield Press(editor.after)
