"""The carrier `editor`: the agent's own "edit in $EDITOR" key hands us the exact draft and takes the message; opened a second time,
the editor takes the draft back. This is exact for wraps, empty lines, unicode and collapsed pastes, whatever the screen can show.

    open -> the draft -> on record -> the message instead -> echo -> stage -> Enter -> open -> empty? -> the draft -> cursor

If no editor opens, there was no input box, and hark has pressed nothing that could matter. If the screen cannot show the whole
message (a small pane), opening the editor once more proves what is in the box.
"""

from collections.abc import Generator

from msgspec.structs import replace

from hark.delivery.budget import OPENS_WITHIN_S
from hark.delivery.carriers.draft_record import drop_draft
from hark.delivery.carriers.editor_return import (
    TakenDraft,
    find_obstacle,
    give_back,
    leave,
    leave_draft,
    while_open,
)
from hark.delivery.carriers.editor_text import (
    SHOWN_WITHIN_S,
    EditorKeys,
    close,
    closing,
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
    look,
    submit,
    submitted,
    wait_for_echo,
    watch_for,
)
from hark.delivery.carriers.undo import (
    Undo,
    WayBack,
    behind_cursor,
    behind_in_last_row,
    going_back,
    pasting_back,
    shown_text,
)
from hark.delivery.carriers.undo_under_dialog import with_draft_while_seen
from hark.delivery.screen.box import Box, mentions, read_box
from hark.delivery.screen.capture import Screen
from hark.delivery.wording import catches_enter, fits
from hark.model.message import HoldReason

SLOW_SHARE = 1 / 4
"""The largest share of the hold that the editor may take to open. A slower editor would not open a second time, with all that lies
between, while keys are held."""


CALLED_OFF = "the delivery was called off"
NOT_SEEN = "the box is hidden, and the message's text may be in it"


def deliver(job: Job, editor: EditorKeys) -> Delivery:
    return (yield from with_draft_while_seen(_deliver(job, editor), job))


def _deliver(job: Job, editor: EditorKeys) -> Delivery:
    before = yield from look()
    if obstacle := find_obstacle(before.screen, job, editor):
        return obstacle
    target = read_box(before.screen, job.look)
    shown = shown_text(before.screen, target) if target else None
    if not (yield LeaveUndo(_going_back(before.screen, target, shown or "", job, editor))):
        return Held(HoldReason.CALLED_OFF, NOT_HELD)
    opened = yield OpenEditor(editor.key, OPENS_WITHIN_S)
    if not isinstance(opened, EditorOpened):
        return (yield from _judge_no_editor(job))
    draft = opened.text
    yield LeaveUndo(_while_unchanged(before.screen, target, draft, job, editor))
    if job.message_id in draft:
        yield from leave_text(draft, job, editor)
        return Stuck("the message's text is already in the box")
    opened_in_s = (yield from look()).at_s - before.at_s if draft else 0.0
    if opened_in_s > job.held_for_s * SLOW_SHARE:
        yield from leave(target, draft, job, editor)
        return Held(HoldReason.DRAFT, TOO_SLOW)
    if draft and not (yield SaveDraft(draft)):
        yield from leave(target, draft, job, editor)
        return Held(HoldReason.CALLED_OFF, CALLED_OFF)
    behind = _behind(draft, before.screen, target)
    ends_at_s = before.at_s + job.held_for_s
    taken = TakenDraft(text=draft, behind=behind, target=target, opened_in_s=opened_in_s, ends_at_s=ends_at_s)
    return (yield from _exchange(replace(job, way_back=_way_back(job, taken)), editor, before.screen, taken))


def _exchange(job: Job, editor: EditorKeys, before: Screen, taken: TakenDraft) -> Delivery:
    """Deliver our text in place of the draft, which is on record now, and give the draft back. The editor is open."""
    if not (yield Begin()):
        yield from leave_draft(job, editor, taken, taken.text)
        return Held(HoldReason.CALLED_OFF, CALLED_OFF)
    if editor.ignores_empty:
        if never_left := (yield from _take_out_by_keys(job, editor)):
            yield from drop_draft()
            return never_left
    elif not (yield LeaveUndo(while_open(job, editor))):
        return Held(HoldReason.CALLED_OFF, NOT_HELD)
    outcome = yield from _put_in(job, editor, before)
    if taken.text:
        return (yield from give_back(job, editor, taken, outcome))
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


def _way_back(job: Job, taken: TakenDraft) -> WayBack:
    return pasting_back(taken.text, taken.behind, job.text, job.look) if taken.text else job.way_back


def _behind(draft: str, screen: Screen, target: Box | None) -> str | None:
    """Return the part of the draft behind the cursor; None if the screen does not tell. If the screen shows the draft otherwise than it
    is, the part of the last row behind the cursor may still be the end of the draft."""
    if target is None:
        return None
    behind = behind_cursor(draft, screen, target)
    shown = behind_in_last_row(screen, target) if behind is None else None
    return shown if shown and draft.endswith(shown) else behind


def _while_unchanged(screen: Screen, target: Box | None, draft: str, job: Job, editor: EditorKeys) -> Undo:
    """Return the undo while the editor is open on the draft. An agent that drops blanks of the draft when its editor closes gets the whole
    draft again."""
    if not is_trimmed(draft, editor):
        return _going_back(screen, target, draft, job, editor)
    back = pasting_back(draft, _behind(draft, screen, target), "", job.look)
    return (*closing(editor), *back.before_enter("", job.look))


def _going_back(screen: Screen, target: Box | None, draft: str, job: Job, editor: EditorKeys) -> Undo:
    """Return the undo while nothing of ours is in the box, but the editor may be open. Keys that come before the agent is back are lost,
    and agents put the cursor at the end when their editor closes."""
    behind = _behind(draft, screen, target)
    return (*closing(editor), *(going_back(draft, behind, job.look) if behind else ()))


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
    if obstacle := find_obstacle(seen.screen, job, editor):
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
    yield from leave(read_box(seen.screen, job.look), opened.text, job, editor)
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
        if not is_pressed and not (yield LeaveUndo(while_open(job, editor))):
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
