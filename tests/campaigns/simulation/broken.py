"""Carriers that are wrong on purpose: each leaves out one thing that the real ones do. The simulator must catch them all."""

from collections.abc import Callable, Generator

from msgspec.structs import replace

from hark.delivery.carriers import empty_box as into_empty_box
from hark.delivery.carriers import stash as by_stash
from hark.delivery.carriers.draft_reader import squeeze
from hark.delivery.carriers.rest import AtHold
from hark.delivery.carriers.steps import (
    Answer,
    Begin,
    Delivery,
    EditorOpened,
    Held,
    LeaveUndo,
    Look,
    LookAgain,
    OpenEditor,
    Outcome,
    Paste,
    Press,
    PressEnter,
    SaveDraft,
    Seen,
    Stage,
    Step,
    Stuck,
    Submitted,
)
from hark.delivery.carriers.submit import Job, look
from hark.delivery.screen.box import BoxLook
from tests.campaigns.simulation.carriers import (
    Carriers,
    Start,
    deliver_editor,
    deliver_interrupt,
    deliver_none,
    deliver_sentinel,
    deliver_stash,
)
from tests.campaigns.simulation.flavour import STASH, Flavour


def leaving_out(start: Start, is_left_out: Callable[[Step], bool]) -> Start:
    """Steps that are answered with yes, and never taken."""

    def deliver(job: Job, flavour: Flavour) -> Delivery:
        delivery = start(job, flavour)
        answer: Answer | None = None
        while True:
            try:
                step = next(delivery) if answer is None else delivery.send(answer)
            except StopIteration as end:
                outcome: Outcome = end.value
                return outcome
            answer = True if is_left_out(step) else (yield step)

    return deliver


def without_undo(start: Start) -> Start:
    """Leaves nothing with whoever holds the keys."""

    def deliver(job: Job, flavour: Flavour) -> Delivery:
        delivery = start(job, flavour)
        answer: Answer | None = None
        while True:
            try:
                step = next(delivery) if answer is None else delivery.send(answer)
            except StopIteration as end:
                outcome: Outcome = end.value
                return outcome
            if isinstance(step, Press | Paste):
                step = replace(step, then=None)
            elif isinstance(step, PressEnter):
                step = replace(step, then=())
            answer = True if isinstance(step, LeaveUndo) else (yield step)

    return deliver


def never_late(start: Start) -> Start:
    """Says that nothing is on its way any more, so that the keys are let go at once and nobody runs the undo."""

    def deliver(job: Job, flavour: Flavour) -> Delivery:
        outcome = yield from start(job, flavour)
        return replace(outcome, is_late=False) if isinstance(outcome, Held | Stuck) else outcome

    return deliver


def ending_at(start: Start, is_end: Callable[[Step], bool], ends: int = 1) -> Start:
    """Takes what would follow for granted."""

    def deliver(job: Job, flavour: Flavour) -> Delivery:
        delivery = start(job, flavour)
        answer: Answer | None = None
        left = ends
        while True:
            try:
                step = next(delivery) if answer is None else delivery.send(answer)
            except StopIteration as end:
                outcome: Outcome = end.value
                return outcome
            left -= is_end(step)
            if not left:
                return Submitted()
            answer = yield step

    return deliver


def _is_walk(step: Step) -> bool:
    return isinstance(step, Press) and set(step.keys) <= {"Left", "Right", "Up", "Down"}


def enter_without_looking(job: Job, _: Flavour) -> Delivery:
    yield Look()
    yield Begin()
    yield Paste(job.text)
    yield Stage()
    seen = yield from look()
    yield PressEnter(seen.screen, "")
    return Submitted()


def enter_on_any_screen(start: Start) -> Start:
    """Everything as it should be, but Enter is pressed on what stands there now, whatever it is."""

    def deliver(job: Job, flavour: Flavour) -> Delivery:
        delivery = start(job, flavour)
        answer: Answer | None = None
        while True:
            try:
                step = next(delivery) if answer is None else delivery.send(answer)
            except StopIteration as end:
                outcome: Outcome = end.value
                return outcome
            if isinstance(step, PressEnter):
                yield LookAgain(0.3)
                seen = yield from look()
                step = PressEnter(seen.screen, "")
            answer = yield step

    return deliver


def always_submitted(job: Job, flavour: Flavour) -> Delivery:
    yield from deliver_none(job, flavour)
    return Submitted()


def into_any_box(job: Job, _: Flavour) -> Delivery:
    """Does not ask whether the box is empty."""
    yield Begin()
    yield Paste(job.text)
    seen = yield LookAgain(1.0)
    assert isinstance(seen, Seen)
    return Stuck("left there")


def over_the_humans_stash(job: Job, _: Flavour) -> Delivery:
    return by_stash.deliver(job, replace(STASH, occupied="never shown"))


def editor_before_it_is_gone(job: Job, flavour: Flavour) -> Delivery:
    """Enter follows at once on the editor's end."""
    assert flavour.editor is not None
    opened = yield OpenEditor(flavour.editor.key, 1.0)
    if not isinstance(opened, EditorOpened):
        return Stuck("no editor")
    return (yield from enter_without_looking(job, flavour))


def resume_by_delivering_again(job: Job, _: Flavour, __: str, ___: bool) -> Delivery:
    """Does not look for the text first."""
    return into_empty_box.deliver(job.text, job.message_id, job.look, job.settle_s)


def never_resting(_: BoxLook, __: AtHold) -> Generator[Step, Answer, bool]:
    """Takes the screen for what it is in the moment in which the keys are held."""
    return True
    yield


def rows_for_lines(job: Job, flavour: Flavour) -> Delivery:
    """Takes every row of the screen for a line of the draft."""
    delivery = deliver_sentinel(job, flavour)
    answer: Answer | None = None
    shown: str | None = None
    while True:
        try:
            step = next(delivery) if answer is None else delivery.send(answer)
        except StopIteration as end:
            outcome: Outcome = end.value
            return outcome
        if isinstance(step, SaveDraft):
            shown = shown or step.text
        elif isinstance(step, Paste) and shown and "\n" not in step.text and squeeze(step.text) == squeeze(shown):
            step = Paste(shown)
        answer = yield step


def _is_way_back(step: Step) -> bool:
    return isinstance(step, Press) and len(step.keys) > 1 and set(step.keys) <= {"BSpace", "DC"}


def _is_save(step: Step) -> bool:
    return isinstance(step, SaveDraft)


def _is_erase(step: Step) -> bool:
    return isinstance(step, Press) and step.keys == ("BSpace",)


BROKEN: dict[str, Carriers] = {
    "presses Enter without looking": Carriers(none=enter_without_looking),
    "presses Enter on any screen": Carriers(
        none=enter_on_any_screen(deliver_none),
        stash=enter_on_any_screen(deliver_stash),
        editor=enter_on_any_screen(deliver_editor),
    ),
    "says submitted whatever happened": Carriers(none=always_submitted),
    "pastes into a box with a draft": Carriers(none=into_any_box),
    "stashes over the human's stash": Carriers(stash=over_the_humans_stash),
    "keeps no record (editor)": Carriers(editor=leaving_out(deliver_editor, _is_save)),
    "leaves the cursor (stash)": Carriers(stash=ending_at(deliver_stash, _is_walk)),
    "leaves the cursor (editor)": Carriers(editor=ending_at(deliver_editor, _is_walk)),
    "keeps the draft": Carriers(editor=ending_at(deliver_editor, lambda step: isinstance(step, OpenEditor), 2)),
    "leaves the cursor (sentinel)": Carriers(sentinel=ending_at(deliver_sentinel, _is_walk)),
    "leaves its mark": Carriers(sentinel=leaving_out(deliver_sentinel, _is_erase)),
    "takes rows for lines": Carriers(sentinel=rows_for_lines),
    "keeps no record (sentinel)": Carriers(sentinel=leaving_out(deliver_sentinel, _is_save)),
    "keeps no record (interrupt)": Carriers(interrupt=leaving_out(deliver_interrupt, _is_save)),
    "leaves the mark of an interrupt": Carriers(interrupt=leaving_out(deliver_interrupt, _is_erase)),
    "does not wait for the editor's end": Carriers(editor=editor_before_it_is_gone),
    "does not go back": Carriers(
        none=never_late(leaving_out(deliver_none, _is_way_back)),
        stash=never_late(leaving_out(deliver_stash, _is_way_back)),
        editor=never_late(leaving_out(deliver_editor, _is_way_back)),
    ),
    "does not wait for keys that are not drawn": Carriers(rest=never_resting),
    "leaves no undo (none)": Carriers(none=without_undo(deliver_none)),
    "leaves no undo (stash)": Carriers(stash=without_undo(deliver_stash)),
    "leaves no undo (editor)": Carriers(editor=without_undo(deliver_editor)),
    "leaves no undo (sentinel)": Carriers(sentinel=without_undo(deliver_sentinel)),
    "leaves no undo (interrupt)": Carriers(interrupt=without_undo(deliver_interrupt)),
    "delivers twice after a crash": Carriers(resume=resume_by_delivering_again),
}

UNDONE = Carriers(
    none=leaving_out(deliver_none, _is_way_back),
    stash=leaving_out(deliver_stash, _is_way_back),
    editor=leaving_out(deliver_editor, _is_way_back),
)
"""Carriers that do not go back themselves, but say so: whoever holds the keys runs the undo."""
