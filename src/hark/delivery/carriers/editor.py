"""The carrier `editor`: the agent's own "edit in $EDITOR" key hands us the exact draft and takes the message; opened a second time,
the editor takes the draft back. This is exact for wraps, empty lines, unicode and collapsed pastes, whatever the screen can show.

    open -> the draft -> on record -> the message instead -> echo -> stage -> Enter -> open -> empty? -> the draft -> cursor

If no editor opens, there was no input box, and hark has pressed nothing that could matter. If the screen cannot show the whole
message (a small pane), opening the editor once more proves what is in the box.
"""

import re
from collections.abc import Generator

from msgspec import Struct
from msgspec.structs import replace

from hark.delivery.budget import OPENS_WITHIN_S
from hark.delivery.carriers.cursor import place_of_typing, same_rows, walk_cursor
from hark.delivery.carriers.draft_reader import squeeze
from hark.delivery.carriers.editor_text import (
    SHOWN_WITHIN_S,
    EditorKeys,
    close,
    closing,
    holds,
    is_trimmed,
    leave_text,
    needed,
    same_text,
    set_text,
)
from hark.delivery.carriers.free_box import NOT_HELD, paste_and_submit, retreat
from hark.delivery.carriers.steps import (
    Answer,
    Begin,
    Delivery,
    DropDraft,
    EditorOpened,
    Held,
    LeaveUndo,
    OpenEditor,
    Outcome,
    Press,
    PressEnter,
    SaveDraft,
    SearchHistory,
    Seen,
    Stage,
    Step,
    Stuck,
    Submitted,
    Unproven,
)
from hark.delivery.carriers.submit import (
    ENTERS,
    TOO_SLOW,
    Job,
    ends_at_cursor,
    is_shell_command,
    look,
    no_box,
    submit,
    submitted,
    wait_for_echo,
    watch_for,
)
from hark.delivery.carriers.undo import (
    Undo,
    WayBack,
    behind_cursor,
    going_back,
    pasting_back,
    shown_text,
)
from hark.delivery.carriers.undo_under_dialog import with_draft_while_seen
from hark.delivery.screen.box import Box, may_be_wrapped, mentions, read_box, shows_below, shows_placeholder
from hark.delivery.screen.capture import Screen
from hark.delivery.screen.diff import is_continued
from hark.delivery.wording import catches_enter, fits
from hark.model.message import HoldReason

SLOW_SHARE = 1 / 4
"""The largest share of the hold that the editor may take to open. A slower editor would not open a second time, with all that lies
between, while keys are held."""


CALLED_OFF = "the delivery was called off"
NOT_SEEN = "the box is hidden, and the message's text may be in it"


class _Taken(Struct, frozen=True, kw_only=True):
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


def deliver(job: Job, editor: EditorKeys) -> Delivery:
    return (yield from with_draft_while_seen(_deliver(job, editor), job))


def _deliver(job: Job, editor: EditorKeys) -> Delivery:
    before = yield from look()
    if obstacle := _obstacle(before.screen, job, editor):
        return obstacle
    target = read_box(before.screen, job.look)
    shown = shown_text(before.screen, target) if target else None
    if not (yield LeaveUndo(_going_back(before.screen, target, shown or "", job, editor))):
        return Held(HoldReason.CALLED_OFF, NOT_HELD)
    opened = yield OpenEditor(editor.key, OPENS_WITHIN_S)
    if not isinstance(opened, EditorOpened):
        return (yield from _judge_no_editor(job))
    draft = opened.text
    yield LeaveUndo(_going_back(before.screen, target, draft, job, editor))
    if job.message_id in draft:
        yield from leave_text(draft, job, editor)
        return Stuck("the message's text is already in the box")
    opened_in_s = (yield from look()).at_s - before.at_s if draft else 0.0
    if opened_in_s > job.held_for_s * SLOW_SHARE:
        yield from _leave(target, draft, job, editor)
        return Held(HoldReason.DRAFT, TOO_SLOW)
    if draft and not (yield SaveDraft(draft)):
        yield from _leave(target, draft, job, editor)
        return Held(HoldReason.CALLED_OFF, CALLED_OFF)
    behind = behind_cursor(draft, before.screen, target) if target else None
    ends_at_s = before.at_s + job.held_for_s
    taken = _Taken(text=draft, behind=behind, target=target, opened_in_s=opened_in_s, ends_at_s=ends_at_s)
    return (yield from _exchange(replace(job, way_back=_way_back(job, taken)), editor, before.screen, taken))


def _exchange(job: Job, editor: EditorKeys, before: Screen, taken: _Taken) -> Delivery:
    """Deliver our text in place of the draft, which is on record now, and give the draft back. The editor is open."""
    if not (yield Begin()):
        yield from _leave_draft(job, editor, taken, taken.text)
        return Held(HoldReason.CALLED_OFF, CALLED_OFF)
    if editor.ignores_empty:
        if never_left := (yield from _take_out_by_keys(job, editor)):
            yield DropDraft()
            return never_left
    elif not (yield LeaveUndo(_while_open(job, editor))):
        return Held(HoldReason.CALLED_OFF, NOT_HELD)
    outcome = yield from _put_in(job, editor, before)
    if taken.text:
        return (yield from _give_back(job, editor, taken, outcome))
    return (yield from retreat(job, outcome)) if isinstance(outcome, Stuck) else outcome


def _put_in(job: Job, editor: EditorKeys, before: Screen) -> Delivery:
    if editor.ignores_empty:
        return (yield from _paste_behind_editor(job, by_keys=True))
    if not fits(job.text, before.columns, len(before.rows)):
        yield from close("", editor)
        return (yield from _paste_behind_editor(job, by_keys=False))
    is_set = yield from set_text(needed(job.text, editor), job, editor)
    yield LeaveUndo(job.undo)
    not_shown = Stuck("the box does not show the message's text", is_refused=True)
    return (yield from _submit(job, editor)) if is_set else not_shown


def _take_out_by_keys(job: Job, editor: EditorKeys) -> Generator[Step, Answer, Held | None]:
    """Press the keys that empty the box, now that the draft is on record. Return a Held if the draft did not leave the box by our doing:
    then the draft is the human's, who may have submitted it, and must never be put back. Until the keys are pressed, the undo that was
    left before them only brings the cursor back."""
    yield from close(None, editor)
    seen = yield from watch_for(lambda screen: read_box(screen, job.look) is not None, SHOWN_WITHIN_S)
    box = read_box(seen.screen, job.look)
    if box is None:
        return Held(HoldReason.DIALOG, "the input box was gone when the editor had closed")
    if box.is_empty:
        return Held(HoldReason.CALLED_OFF, "the draft had left the box when the editor had closed")
    if not (yield LeaveUndo(job.undo)):
        return Held(HoldReason.CALLED_OFF, NOT_HELD)
    yield Press(job.look.empty_keys)
    return None


def _paste_behind_editor(job: Job, *, by_keys: bool) -> Delivery:
    """Paste the text once the box, which the draft is leaving, is seen empty. This is for a text that the screen cannot show, and for an
    agent whose box is emptied by keys. Agents show a placeholder for a long paste, but draw all of a text that comes out of their
    editor, which takes them longer than keys can be held."""
    seen = yield from watch_for(lambda screen: _is_empty(screen, job), SHOWN_WITHIN_S, is_to_print=by_keys)
    if not _is_empty(seen.screen, job):
        return Held(HoldReason.DIALOG, "the draft did not leave the box")
    outcome = yield from paste_and_submit(job, seen.screen)
    # A dialog may have swallowed the paste, or may hide it: the editor will tell.
    if isinstance(outcome, Held) and outcome.reason is HoldReason.DIALOG:
        return Stuck(NOT_SEEN, is_refused=outcome.is_refused)
    return outcome


def _is_empty(screen: Screen, job: Job) -> bool:
    box = read_box(screen, job.look)
    return box is not None and box.is_empty


def _way_back(job: Job, taken: _Taken) -> WayBack:
    return pasting_back(taken.text, taken.behind, job.text, job.look) if taken.text else job.way_back


def _while_open(job: Job, editor: EditorKeys) -> Undo:
    """Return the undo while the editor may be open. An editor that loses its daemon ends with the text that it had, so the box holds
    that text or ours, and the undo comes to the same end from both."""
    return (*closing(editor), *job.undo)


def _going_back(screen: Screen, target: Box | None, draft: str, job: Job, editor: EditorKeys) -> Undo:
    """Return the undo while nothing of ours is in the box, but the editor may be open. Keys that come before the agent is back are lost,
    and agents put the cursor at the end when their editor closes."""
    behind = behind_cursor(draft, screen, target) if target else None
    return (*closing(editor), *(going_back(draft, behind, job.look) if behind else ()))


def _leave(target: Box | None, text: str, job: Job, editor: EditorKeys) -> Generator[Step, Answer, None]:
    """Close the editor, which shows this text, without a change, and bring the cursor back: agents put it at the end even so."""
    yield from leave_text(text, job, editor)
    if target and (is_trimmed(text, editor) or not target.is_cursor_at_end):
        yield from watch_for(lambda screen: _shows(screen, job, target), SHOWN_WITHIN_S)
        yield from walk_cursor(target, job.look)


def _obstacle(screen: Screen, job: Job, editor: EditorKeys) -> Held | None:
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
    return None


def _judge_no_editor(job: Job) -> Delivery:
    """Return what becomes of the message if no editor opened. A popup of the agent's takes the key as a dialog does, but behind a popup
    the draft can still be seen."""
    seen = yield from look()
    box = read_box(seen.screen, job.look)
    if box and job.message_id and mentions(box, job.message_id):
        return Stuck("the message's text is already in the box")
    if box and not box.is_empty:
        return Held(HoldReason.DRAFT, "no editor opens while this draft is in the box")
    return Held(HoldReason.DIALOG, "no editor opened, so there is no input box")


def resume(job: Job, editor: EditorKeys, was_staged: bool) -> Delivery:
    """Take up the delivery of a message whose text may be in the box already, or may have left it."""
    seen = yield from look()
    if obstacle := _obstacle(seen.screen, job, editor):
        return Stuck(obstacle.detail)
    opened = yield OpenEditor(editor.key, OPENS_WITHIN_S)
    if not isinstance(opened, EditorOpened):
        return Stuck("no editor opened to show whether the message's text is in the box")
    if opened.text.count(job.text.strip()) == 1 and not same_text(opened.text, job.text):
        # Our text stands beside what the human has typed since: theirs stays, ours goes out and is delivered anew.
        yield from set_text(opened.text.replace(job.text.strip(), "").strip("\n"), job, editor)
        return Held(
            HoldReason.DRAFT, "the message's text stood in the box beside other text, and hark took it out again"
        )
    if same_text(opened.text, job.text):
        yield from leave_text(opened.text, job, editor)
        return (yield from _submit(job, editor))
    yield from _leave(read_box(seen.screen, job.look), opened.text, job, editor)
    if job.message_id in opened.text:
        return Stuck("the message's text is in the box beside other text", is_refused=True)
    if (yield SearchHistory(job.message_id)):
        return Submitted("its id is in the transcript")
    seen = yield from look()
    if was_staged or seen.screen.is_alternate:
        return Unproven("its text is neither in the box nor on record in the terminal")
    return (yield from deliver(job, editor))


def _submit(job: Job, editor: EditorKeys) -> Delivery:
    echoed = yield from wait_for_echo(job)
    if isinstance(echoed, Seen):
        return (yield from submit(job, echoed))
    return (yield from _submit_unseen(job, editor))


def _submit_unseen(job: Job, editor: EditorKeys) -> Delivery:
    """Submit our text where the screen does not show the box, or not all of it: the editor shows what is in the box."""
    is_staged = is_pressed = False
    for _ in range(ENTERS):
        # After an Enter another undo is left already, which waits for the editor as well.
        if not is_pressed and not (yield LeaveUndo(_while_open(job, editor))):
            return Stuck(NOT_HELD)
        opened = yield OpenEditor(editor.key, OPENS_WITHIN_S)
        if not isinstance(opened, EditorOpened):
            return _unseen(is_pressed, "no editor opened to prove what is in the box", is_refused=False)
        is_whole = yield from leave_text(opened.text, job, editor)
        if is_pressed and not opened.text.strip():
            return (yield from submitted(job))
        if not same_text(opened.text, job.text):
            return _unseen(is_pressed, "the box holds something other than the message's text")
        if not is_whole and catches_enter(job.text.rstrip()):
            return _unseen(is_pressed, "the agent has dropped the blank that keeps Enter from meaning something else")
        if not is_staged and not (yield Stage()):
            return Stuck("the delivery was called off while the text was in the box")
        is_staged = True
        seen = yield from look()
        if not ends_at_cursor(seen.screen, job):
            return _unseen(is_pressed, "the end of the message's text is not at the cursor")
        then = (*closing(editor), *job.way_back.after_enter) if job.way_back.after_enter else ()
        is_pressed = bool((yield PressEnter(seen.screen, "", then))) or is_pressed
    return _unseen(is_pressed, "the text did not leave the box")


def _unseen(is_pressed: bool, detail: str, *, is_refused: bool = True) -> Outcome:
    return Unproven(detail) if is_pressed else Stuck(detail, is_refused=is_refused)


def _give_back(job: Job, editor: EditorKeys, taken: _Taken, outcome: Outcome) -> Delivery:
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
        yield from _leave_draft(job, editor, taken, opened.text)
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


def _leave_draft(job: Job, editor: EditorKeys, taken: _Taken, opened: str) -> Generator[Step, Answer, None]:
    """Leave the draft in the box, where the editor shows it as `opened`. If the hold is over, its undo is about to erase the draft and to paste it:
    then the draft stays on record."""
    back = going_back(taken.text, taken.behind, job.look)
    # Until the blanks that the agent drops are there again, only the pasted draft is whole.
    is_held = yield LeaveUndo(_while_open(job, editor) if is_trimmed(opened, editor) else (*closing(editor), *back))
    yield from _leave(taken.target, opened, job, editor)
    if is_trimmed(opened, editor):
        is_held = yield LeaveUndo(back)
    if is_held:
        yield DropDraft()


def _set_draft(job: Job, editor: EditorKeys, taken: _Taken) -> Generator[Step, Answer, None]:
    """End the editor with the draft in the box, and drop the record of the draft if it is there. A text that the agent has taken from
    its editor is the human's again, even if the screen cannot show it. To put it back a second time, when the human may have sent it
    off already, would be worse than not to see it."""
    is_taken = (yield from set_text(taken.text, job, editor)) and not editor.is_lost_in_dialog
    if is_taken and not (yield LeaveUndo(going_back(taken.text, taken.behind, job.look))):
        # The hold is over, and its undo erases the draft and pastes it.
        return
    if (yield from _is_back(job, editor, taken.text, taken.target)) or is_taken:
        yield DropDraft()


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
    yield from _leave(target, opened.text, job, editor)
    return same_text(opened.text, draft)


def _shows(screen: Screen, job: Job, target: Box) -> bool:
    box = read_box(screen, job.look)
    return box is not None and same_rows(box, target)


def put_back(job: Job, editor: EditorKeys, draft: str) -> Generator[Step, Answer, bool]:
    """Put back a draft that a delivery which was cut short has taken, into an empty box or in place of our own text. Return whether the
    draft is in the box."""
    seen = yield from look()
    if _obstacle(seen.screen, job, editor):
        return False
    if _shows_draft(seen.screen, job, draft):
        return True
    opened = yield OpenEditor(editor.key, OPENS_WITHIN_S)
    if not isinstance(opened, EditorOpened):
        return False
    is_ours = bool(job.message_id) and job.message_id in opened.text
    target = read_box(seen.screen, job.look)
    if same_text(opened.text, draft) or (is_continued(draft.strip(), opened.text) and not is_ours):
        yield from _leave(target, opened.text, job, editor)
        return True
    if opened.text.strip() and not same_text(opened.text, job.text):
        yield from _leave(target, opened.text, job, editor)
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
