"""How the agent's editor gives a draft back: after a delivery, and after one that was cut short. The editor shows what is in the box
before it takes the draft, so the draft never comes to stand beside something else.
"""

import re
from collections.abc import Generator

from msgspec import Struct

from hark.delivery.budget import OPENS_WITHIN_S
from hark.delivery.carriers.cursor import place_of_typing, same_rows, walk_cursor
from hark.delivery.carriers.draft_reader import squeeze
from hark.delivery.carriers.draft_record import drop_draft
from hark.delivery.carriers.editor_text import (
    SHOWN_WITHIN_S,
    EditorKeys,
    close,
    closing,
    holds,
    is_trimmed,
    leave_text,
    same_text,
    set_text,
)
from hark.delivery.carriers.steps import (
    Answer,
    Delivery,
    DropDraft,
    EditorOpened,
    Held,
    LeaveUndo,
    OpenEditor,
    Outcome,
    Step,
    Stuck,
    Submitted,
    Unproven,
)
from hark.delivery.carriers.submit import (
    Job,
    is_shell_command,
    look,
    no_box,
    watch_for,
)
from hark.delivery.carriers.undo import Undo, going_back, last_letter
from hark.delivery.screen.box import Box, may_be_wrapped, mentions, read_box, shows_below, shows_placeholder
from hark.delivery.screen.capture import Screen
from hark.delivery.screen.diff import is_continued
from hark.model.message import HoldReason


class TakenDraft(Struct, frozen=True, kw_only=True):
    """A draft that the editor has shown, and what it takes to bring the draft back."""

    text: str
    behind: str | None
    """The part of the draft behind the cursor; None if the screen did not tell."""
    target: Box | None
    """The box as it showed the draft; None if the box was not seen."""
    opened_in_s: float
    """How long the editor took to open."""
    ends_at_s: float
    """When the human's keys are let go."""


def find_obstacle(screen: Screen, job: Job, editor: EditorKeys) -> Held | None:
    """Return why the editor's key must not be pressed, as far as the screen tells, or None."""
    box = read_box(screen, job.look)
    if box is None:
        is_needed = editor.needs_box or editor.not_for is not None or is_shell_command(screen, job.look)
        return no_box(screen, job.look) if is_needed else None
    is_ours = bool(job.message_id) and mentions(box, job.message_id)
    if editor.not_for and not is_ours and re.match(editor.not_for, "\n".join(box.rows)):
        return Held(HoldReason.DRAFT, "this draft cannot be carried by this agent's editor")
    if shows_below(screen, box, editor.not_while):
        return Held(HoldReason.DRAFT, "the box is in a mode that the editor would end")
    if job.look.arrows == "lines" and not box.is_cursor_at_end and may_be_wrapped(box, screen):
        return Held(HoldReason.DRAFT, "the draft is wrapped, so hark could not bring its cursor back")
    if not box.is_cursor_at_end and shows_placeholder(box, job.look):
        return Held(
            HoldReason.DRAFT, "the draft holds a collapsed paste, which would come back expanded and without its cursor"
        )
    if editor.trims and not box.is_empty and not any(row.strip() for row in box.rows):
        return Held(HoldReason.DRAFT, "the draft holds only blanks, and the editor would lose them")
    if editor.trims and shows_placeholder(box, job.look) and _has_blanks_at_ends(screen, box):
        return Held(HoldReason.DRAFT, "the draft holds blanks beside a collapsed paste, and the editor would lose them")
    return None


def _has_blanks_at_ends(screen: Screen, box: Box) -> bool:
    """Return whether the box begins with a blank or a newline, or ends with one. The cursor stands at the end of the box: a blank there
    shows only by the cursor behind it."""
    start = box.starts[box.cursor_row]
    cells = screen.rows[screen.cursor_y].cells[start : screen.cursor_x]
    is_end_blank = screen.cursor_x == start or last_letter(cells) < screen.cursor_x - start
    return is_end_blank or not box.rows[0][:1].strip()


def while_open(job: Job, editor: EditorKeys) -> Undo:
    """Return the undo while the editor may be open. An editor that loses its daemon ends with the text that it had, so the box holds
    that text or ours, and the undo comes to the same end from both."""
    return (*closing(editor), *job.undo)


def leave(target: Box | None, text: str, job: Job, editor: EditorKeys) -> Generator[Step, Answer, None]:
    """Close the editor, which shows this text, without a change, and bring the cursor back: agents put it at the end even so."""
    yield from leave_text(text, job, editor)
    if target and (is_trimmed(text, editor) or not target.is_cursor_at_end):
        yield from watch_for(lambda screen: _shows(screen, job, target), SHOWN_WITHIN_S)
        yield from walk_cursor(target, job.look)


def give_back(job: Job, editor: EditorKeys, taken: TakenDraft, outcome: Outcome) -> Delivery:
    """Put the draft back into an empty box, which proves once more that the box let go of our text. If there is no box now, because the
    agent reads nothing during a turn or asks something already, the draft stays on record until there is a box: keys would wait for
    the question."""
    seen = yield from watch_for(lambda screen: _may_open(screen, job, editor), OPENS_WITHIN_S)
    if not _may_open(seen.screen, job, editor):
        return outcome
    undo = job.way_back.after_submit if isinstance(outcome, Submitted) else job.undo
    if seen.at_s + taken.opened_in_s > taken.ends_at_s:
        # The keys would be let go before the editor is open: the undo brings the draft back.
        yield LeaveUndo(undo)
        return outcome
    yield LeaveUndo((*closing(editor), *undo))
    opened = yield OpenEditor(editor.key, OPENS_WITHIN_S)
    if not isinstance(opened, EditorOpened):
        return outcome
    is_ours = _is_ours(opened.text, job)
    if same_text(opened.text, taken.text) and not is_ours:
        # The draft never left the box, or is back: once the human has submitted it, it must not be put back again.
        yield from leave_draft(job, editor, taken, opened.text)
        return outcome
    if opened.text.strip() and not (isinstance(outcome, Held | Stuck) and is_ours):
        yield from leave_text(opened.text, job, editor)
        return Unproven("the text did not leave the box") if is_ours else outcome
    if not (yield LeaveUndo((*closing(editor), *undo))):
        # The hold is over, and its undo brings the draft back.
        yield from close(None, editor)
        return outcome
    yield from _set_draft(job, editor, taken)
    if isinstance(outcome, Stuck):
        return Held(HoldReason.DRAFT, outcome.detail, is_refused=outcome.is_refused)
    return outcome


def _may_open(screen: Screen, job: Job, editor: EditorKeys) -> bool:
    """Return whether the editor's key may be pressed on this screen."""
    return not editor.needs_box or read_box(screen, job.look) is not None


def leave_draft(job: Job, editor: EditorKeys, taken: TakenDraft, opened: str) -> Generator[Step, Answer, None]:
    """Leave the draft in the box, where the editor shows it as `opened`. If the hold is over, its undo is about to erase the draft and to paste it:
    then the draft stays on record."""
    back = going_back(taken.text, taken.behind, job.look)
    # Until the blanks that the agent drops are there again, only the pasted draft is whole.
    is_held = yield LeaveUndo(while_open(job, editor) if is_trimmed(opened, editor) else (*closing(editor), *back))
    yield from leave(taken.target, opened, job, editor)
    if is_trimmed(opened, editor):
        is_held = yield LeaveUndo(back)
    if is_held:
        yield DropDraft()


def _set_draft(job: Job, editor: EditorKeys, taken: TakenDraft) -> Generator[Step, Answer, None]:
    """End the editor with the draft in the box, and drop the record of the draft if it is there. A text that the agent has taken from
    its editor is the human's again, even if the screen cannot show it. To put it back a second time, when the human may have sent it
    off already, would be worse than not to see it."""
    is_taken = (yield from set_text(taken.text, job, editor)) and not editor.is_lost_in_dialog
    if is_taken and not (yield LeaveUndo(going_back(taken.text, taken.behind, job.look))):
        # The hold is over, and its undo erases the draft and pastes it.
        return
    if (yield from _is_back(job, editor, taken.text, taken.target)) or is_taken:
        yield from drop_draft()


def _is_back(job: Job, editor: EditorKeys, draft: str, target: Box | None) -> Generator[Step, Answer, bool]:
    """Return whether the draft is back. If the screen shows it as it was, bring its cursor back too; if the screen does not show it,
    open the editor to see."""
    if target:
        seen = yield from watch_for(
            lambda screen: _shows(screen, job, target) or holds(screen, job, draft), SHOWN_WITHIN_S
        )
        if _shows(seen.screen, job, target):
            yield from walk_cursor(target, job.look)
            return True
        if holds(seen.screen, job, draft):
            box = read_box(seen.screen, job.look)
            if box and not target.is_cursor_at_end and (place := place_of_typing(target, box)):
                yield from walk_cursor(place, job.look)
            return True
    opened = yield OpenEditor(editor.key, OPENS_WITHIN_S)
    if not isinstance(opened, EditorOpened):
        return False
    yield from leave(target, opened.text, job, editor)
    return same_text(opened.text, draft)


def _shows(screen: Screen, job: Job, target: Box) -> bool:
    box = read_box(screen, job.look)
    return box is not None and same_rows(box, target)


def put_back(job: Job, editor: EditorKeys, draft: str) -> Generator[Step, Answer, bool]:
    """Put back a draft that a delivery which was cut short has taken, into an empty box or in place of our own text. Return whether the
    draft is in the box."""
    seen = yield from look()
    if find_obstacle(seen.screen, job, editor):
        return False
    if _shows_draft(seen.screen, job, draft):
        return True
    opened = yield OpenEditor(editor.key, OPENS_WITHIN_S)
    if not isinstance(opened, EditorOpened):
        return False
    is_ours = bool(job.message_id) and job.message_id in opened.text
    target = read_box(seen.screen, job.look)
    if same_text(opened.text, draft) or (is_continued(draft.strip(), opened.text) and not is_ours):
        yield from leave(target, opened.text, job, editor)
        return True
    if opened.text.strip() and not same_text(opened.text, job.text):
        yield from leave(target, opened.text, job, editor)
        return False
    yield from set_text(draft, job, editor)
    return (yield from _is_back(job, editor, draft, None))


def _shows_draft(screen: Screen, job: Job, draft: str) -> bool:
    """Return whether the box shows the draft, or what the human has made of it since: then there is nothing to put back, and the agent's
    editor would move the cursor."""
    box = read_box(screen, job.look)
    if box is None or box.is_empty or (job.message_id and mentions(box, job.message_id)):
        return False
    return is_continued(squeeze(draft), squeeze("".join(box.rows)))


def _is_ours(text: str, job: Job) -> bool:
    """Return whether the editor shows our message. A raw message has no id, and is known by its words."""
    return bool(job.message_id and job.message_id in text) or same_text(text, job.text)
