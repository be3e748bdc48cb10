"""The undo of a delivery while something stands over the box.

A dialog swallows the keys of an undo, and may close between any two of them. A key that exchanges the box and the stash then finds our
text still in the box: it puts our text into the stash and so drops the human's draft. So the undo has that key only while the box
is seen. Without the key the draft stays in the stash, from where the agent or the next daemon brings it back.
"""

from msgspec.structs import replace

from hark.delivery.carriers.steps import Delivery, LeaveUndo, Paste, Press, PressEnter, Seen, Step
from hark.delivery.carriers.undo import Undo
from hark.delivery.screen.box import BoxLook, read_box


def with_key_while_seen(delivery: Delivery, look: BoxLook, key: str) -> Delivery:
    """Run the delivery, and take the key out of every undo that is left while no box is seen. The undo gets the key again when the box
    is seen again. A box whose first rows are out of sight is seen too."""
    look = replace(look, is_cut_read=True)
    meant: Undo = ()
    is_seen = True
    try:
        step = next(delivery)
        while True:
            undo = _undo_of(step)
            answer = yield step if undo is None or is_seen else _with_undo(step, _without(key, undo))
            if undo is not None and answer is not False:
                # With a step that is refused, the undo that was left before stays.
                meant = undo
            if isinstance(answer, Seen) and is_seen != (read_box(answer.screen, look) is not None):
                is_seen = not is_seen
                if meant != _without(key, meant):
                    yield LeaveUndo(meant if is_seen else _without(key, meant))
            step = delivery.send(answer)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]  # the type of what a generator returns is lost here


def _undo_of(step: Step) -> Undo | None:
    if isinstance(step, LeaveUndo):
        return step.writes
    return step.then if isinstance(step, Press | Paste | PressEnter) else None


def _with_undo(step: Step, undo: Undo) -> Step:
    return LeaveUndo(undo) if isinstance(step, LeaveUndo) else replace(step, then=undo)


def _without(key: str, undo: Undo) -> Undo:
    return tuple(write for write in undo if key not in write.keys)
