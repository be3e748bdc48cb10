"""The undo of a delivery while something stands over the box.

A dialog swallows the keys of an undo, and may close between any two of them. A key that exchanges the box and the stash then finds our
text still in the box: it puts our text into the stash and so drops the human's draft. A paste finds our text, or the draft itself,
and the draft comes to stand beside it; or the dialog has a field that takes the paste. So while no box is seen, the undo only erases.
It leaves the draft out: the draft stays on record, and comes back when a box is seen.
"""

from collections.abc import Callable
from functools import partial

from msgspec.structs import replace

from hark.delivery.carriers.steps import (
    Answer,
    CloseEditor,
    Delivery,
    EditorOpened,
    LeaveUndo,
    Paste,
    Press,
    PressEnter,
    Seen,
    Step,
)
from hark.delivery.carriers.submit import Job, Test, ends_at_cursor
from hark.delivery.carriers.undo import Undo, Write, leaves_draft_out
from hark.delivery.screen.box import BoxLook, read_box
from hark.delivery.screen.capture import Rows, Screen


def with_key_while_seen(delivery: Delivery, look: BoxLook, key: str) -> Delivery:
    """Run the delivery, and take this key, by which the draft comes back, out of every undo that is left while no box is seen."""
    return _while_seen(delivery, _Sight(partial(_shows_box, look=look)), partial(_leaving_out, key=key))


def with_draft_while_seen(delivery: Delivery, job: Job, key: str | None = None) -> Delivery:
    """Run the delivery, and take the pastes of the draft, and the key by which it comes back, if there is one, out of every undo that is
    left while no box is seen. A box of which only the end is seen, with our text at the cursor, counts as seen."""

    def shows_box(screen: Screen) -> bool:
        return _shows_box(screen, job.look) or ends_at_cursor(screen, job)

    return _while_seen(delivery, _Sight(shows_box), partial(_leaving_out, key=key))


def with_draft_out(delivery: Delivery) -> Delivery:
    """Run the delivery while a draft that an earlier delivery has taken is still out of the box: every undo says so, for none of them
    brings that draft back."""
    return _while_seen(delivery, _NoSight(), _leaving_all_out)


class _Sight:
    """Whether the box is seen. While the agent is in its editor nothing else is seen, but an editor that opens proves that there is a
    box; what it leaves on the screen when it closes proves nothing. Nor does a blank screen, or the terminal's other screen: the agent
    is about to draw."""

    def __init__(self, shows_box: Test) -> None:
        self.has_box = True
        self._shows_box = shows_box
        self._is_in_editor = False
        self._editor_rows: Rows | None = None
        self._is_alternate: bool | None = None
        """True if the box stands on the terminal's alternate screen; None until it is seen."""

    def take(self, step: Step, answer: Answer) -> None:
        if isinstance(answer, EditorOpened):
            self._is_in_editor = self.has_box = True
        elif isinstance(step, CloseEditor):
            self._is_in_editor = False
        elif isinstance(answer, Seen) and self._is_in_editor:
            self._editor_rows = answer.screen.rows
        elif isinstance(answer, Seen) and answer.screen.rows != self._editor_rows:
            self._take_screen(answer.screen)

    def _take_screen(self, screen: Screen) -> None:
        if self._shows_box(screen):
            self.has_box, self._editor_rows, self._is_alternate = True, None, screen.is_alternate
        elif self._is_alternate in (None, screen.is_alternate) and any(row.strip() for row in screen.rows.plain):
            self.has_box, self._editor_rows = False, None


class _NoSight(_Sight):
    """A box that never counts as seen."""

    def __init__(self) -> None:
        super().__init__(lambda screen: False)
        self.has_box = False

    def take(self, step: Step, answer: Answer) -> None:
        pass


def _while_seen(delivery: Delivery, sight: _Sight, hidden: Callable[[Undo], Undo]) -> Delivery:
    """Run the delivery. While no box is seen, leave `hidden(undo)` for every undo; leave the undo itself when the box is seen again."""
    meant: Undo = ()
    try:
        step = next(delivery)
        while True:
            undo = _undo_of(step)
            had_box = sight.has_box
            answer = yield step if undo is None or had_box else _with_undo(step, hidden(undo))
            if undo is not None and answer is not False:
                # With a step that is refused, the undo that was left before stays.
                meant = undo
            sight.take(step, answer)
            if sight.has_box != had_box and meant != hidden(meant):
                yield LeaveUndo(meant if sight.has_box else hidden(meant))
            step = delivery.send(answer)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]  # the type of what a generator returns is lost here


def _shows_box(screen: Screen, look: BoxLook) -> bool:
    """Return whether the box is seen. A box whose first rows are out of sight is seen too."""
    return read_box(screen, replace(look, is_cut_read=True)) is not None


def _undo_of(step: Step) -> Undo | None:
    if isinstance(step, LeaveUndo):
        return step.writes
    return step.then if isinstance(step, Press | Paste | PressEnter) else None


def _with_undo(step: Step, undo: Undo) -> Step:
    return LeaveUndo(undo) if isinstance(step, LeaveUndo) else replace(step, then=undo)


def _leaving_all_out(undo: Undo) -> Undo:
    return undo if leaves_draft_out(undo) else (*undo, Write(leaves_draft_out=True))


def _leaving_out(undo: Undo, key: str | None) -> Undo:
    """Return the undo without the writes that bring the draft back, which are its last ones. An undo that erases says even without
    such writes that it was left while no box was seen."""
    back = next((at for at, write in enumerate(undo) if write.paste or (key and key in write.keys)), None)
    if back is None and not any("BSpace" in write.keys for write in undo):
        return undo
    return (*undo[:back], Write(leaves_draft_out=True))
