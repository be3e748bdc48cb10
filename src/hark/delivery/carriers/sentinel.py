"""The carrier `sentinel`: for agents that have neither an editor key that opens our editor nor a stash. hark reads the draft with a
mark (`draft_reader.py`), takes it away with line keys, and pastes it back.

    look -> on record -> read -> on record to the letter -> clear -> the message, as into any empty box -> paste -> cursor

hark does not touch a draft that it cannot read exactly: one with a collapsed paste, one beside which a completion may stand open,
one that is too long to be read while keys are held. Until the box is empty, the text that is left in it is a beginning of the
draft: that is how a delivery that was cut short is taken up again.
"""

import re
from collections.abc import Generator

from msgspec import Struct
from msgspec.structs import replace

from hark.delivery.budget import BACK_WITHIN_S, TAKEN_WITHIN_S
from hark.delivery.carriers import empty_box as into_empty_box
from hark.delivery.carriers.cursor import same_rows, walk_cursor
from hark.delivery.carriers.draft_reader import LineKeys, Reader, before_cursor, choose_mark, squeeze
from hark.delivery.carriers.draft_record import drop_draft
from hark.delivery.carriers.free_box import NOT_HELD
from hark.delivery.carriers.steps import (
    Answer,
    Delivery,
    Held,
    LeaveUndo,
    Outcome,
    Paste,
    Press,
    SaveDraft,
    Seen,
    Step,
    Stuck,
    is_late,
)
from hark.delivery.carriers.submit import TOO_SLOW, Job, look, watch_for
from hark.delivery.carriers.undo import MARKS, WayBack, behind_cursor, last_letter, pasting_back, pieces_of, rest_of
from hark.delivery.carriers.undo_under_dialog import with_draft_while_seen
from hark.delivery.headers import OURS
from hark.delivery.screen.box import Box, BoxLook, may_be_wrapped, mentions, read_box, shows_below
from hark.delivery.screen.capture import Screen, parse_row
from hark.delivery.screen.diff import is_continued
from hark.delivery.screen.wrapping import is_surely_newline
from hark.model.message import HoldReason

DRAWN_WITHIN_S = 0.6
DRAWINGS_TO_COME = 6
"""The number of times that the agent still has to draw once a draft is read: the box empty, our text in it, our text gone, the draft,
the draft without its mark, the cursor."""

_OPENS_A_POPUP = re.compile(r"\A\s*/\S*\Z|(?:\A|\s)@\S*\Z")

Clearing = Generator[Step, Answer, bool]


class FoundDraft(Struct, frozen=True):
    seen: Seen
    box: Box


def deliver(job: Job, keys: LineKeys) -> Delivery:
    return (yield from with_draft_while_seen(_deliver(job, keys), job))


def _deliver(job: Job, keys: LineKeys) -> Delivery:
    found = yield from find_draft(job, keys)
    if not isinstance(found, FoundDraft):
        return found
    text = yield from take_note(job, keys, found)
    if isinstance(text, Held):
        return text
    seen = yield from look()
    if not shows(seen.screen, job, found.box):
        return Held(HoldReason.DIALOG, "the box went away while the draft was read")
    if _is_too_slow(job, seen.at_s - found.seen.at_s, text):
        if (yield from walk_cursor(found.box, job.look)):
            yield from drop_draft()
        return Held(HoldReason.DRAFT, TOO_SLOW)
    job = replace(job, way_back=way_back_of(job, found, text))
    if not (yield LeaveUndo(job.undo)):
        return Held(HoldReason.CALLED_OFF, NOT_HELD)
    if not (yield from _clear(job, keys, found.box, text)):
        return Held(HoldReason.DIALOG, "the draft did not leave the box")
    return (yield from _deliver_and_give_back(job, keys, found.box, text))


def way_back_of(job: Job, found: FoundDraft, text: str) -> WayBack:
    """Return the way back for a draft that was read to the letter."""
    return pasting_back(text, behind_cursor(text, found.seen.screen, found.box), job.text, job.look)


def find_draft(job: Job, keys: LineKeys) -> Generator[Step, Answer, Outcome | FoundDraft]:
    """Find a draft that can be read. If there is none, return what becomes of the message; an empty box gets the message at once."""
    seen = yield from look()
    box = read_box(seen.screen, job.look)
    if box is None:
        return Held(HoldReason.DIALOG, "there is no input box at the cursor")
    if mentions(box, job.message_id):
        return Stuck("the message's text is already in the box")
    if box.is_empty:
        return (yield from into_empty_box.deliver(job.text, job.message_id, job.look, job.settle_s))
    if shows_below(seen.screen, box, keys.not_while):
        return Held(HoldReason.DRAFT, "the box is in a mode in which the line keys do something else")
    if reason := why_unreadable(box, job.look, keys):
        return Held(HoldReason.DRAFT, reason)
    return FoundDraft(seen, box)


def why_unreadable(box: Box, box_look: BoxLook, keys: LineKeys) -> str | None:
    shown = "".join(box.rows)
    if not shown.strip():
        return "the draft holds only blanks"
    if len(shown.strip()) == 1:
        return "a draft of one character cannot be pasted back safely"
    if box_look.placeholder and re.search(box_look.placeholder, shown):
        return "the draft holds a collapsed paste"
    if squeeze(OURS) in squeeze(shown):
        return "a message of hark's is in the box, or has just left it"
    if any(_OPENS_A_POPUP.search(row.rstrip()) for row in box.rows):
        return "a completion menu may be open"
    if len(box.rows) > keys.most_rows:
        return "the draft is too long to be read from the screen"
    if _is_excepted("\n".join(row.rstrip() for row in box.rows), keys):
        return "this draft cannot be read from this agent's screen"
    return None


def is_plain(box: Box, screen: Screen, box_look: BoxLook, keys: LineKeys) -> bool:
    """Return whether the screen shows the whole draft, and none of its rows may continue the row above."""
    rows = [row.rstrip() for row in box.rows]
    are_lines = all(is_surely_newline(rows, row, screen.columns - box.starts[row]) for row in range(len(rows) - 1))
    return why_unreadable(box, box_look, keys) is None and are_lines and not may_be_wrapped(box, screen)


def _is_excepted(text: str, keys: LineKeys) -> bool:
    return keys.not_for is not None and re.match(keys.not_for, text) is not None


def take_note(job: Job, keys: LineKeys, found: FoundDraft) -> Generator[Step, Answer, str | Held]:
    """Read the draft to the letter and put it on record, or return why that failed. Before the first mark the draft is put on record as
    the screen shows it."""
    box = found.box
    if not (yield SaveDraft("\n".join(row.rstrip() for row in box.rows))):
        return Held(HoldReason.CALLED_OFF, "the delivery was called off")
    reader = Reader(job, keys, found.seen, box)
    text = yield from reader.read()
    text = None if text is None or _is_excepted(text, keys) else text
    is_saved = text is not None and bool((yield SaveDraft(text)))
    if text is not None and is_saved:
        return text
    if reader.is_mark_due:
        # The draft stays on record: whoever holds the keys erases the mark before letting them go.
        return Held(HoldReason.BUSY, "the agent does not show hark's mark in the draft")
    yield from _erase_left_mark(job, keys, box)
    if (yield from walk_cursor(box, job.look)):
        yield from drop_draft()
    if text is not None:
        return Held(HoldReason.CALLED_OFF, "the delivery was called off")
    return Held(HoldReason.DRAFT, "the draft cannot be read exactly from the screen")


def _is_too_slow(job: Job, taken_s: float, text: str) -> bool:
    """Return whether the keys would be let go before the draft is back. Reading has shown how long the agent takes to draw: for each
    line of the text, at least one mark has come and gone."""
    one_s = taken_s / (2 * (text.count("\n") + 1))
    return taken_s + DRAWINGS_TO_COME * one_s + job.settle_s > job.held_for_s


def _clear(job: Job, keys: LineKeys, box: Box, text: str) -> Clearing:
    """Take the draft away from its end, so that the text that is left at any moment is a beginning of the draft. Return whether the box
    is empty."""
    down = ("Down",) * (len(box.rows) - 1)
    line = (keys.home, keys.kill)
    if not (yield Press((*down, keys.end, *(*line, keys.erase) * text.count("\n"), *line))):
        return False
    seen = yield from watch_for(lambda screen: is_empty(screen, job), TAKEN_WITHIN_S)
    return is_empty(seen.screen, job)


def _deliver_and_give_back(job: Job, keys: LineKeys, box: Box, text: str) -> Delivery:
    outcome = yield from into_empty_box.deliver(job.text, job.message_id, job.look, job.settle_s, job.way_back)
    if not isinstance(outcome, Stuck) and not is_late(outcome):
        yield from give_back(job, keys, box, text)
    return outcome


def give_back(job: Job, keys: LineKeys, box: Box, text: str) -> Generator[Step, Answer, None]:
    seen = yield from watch_for(lambda screen: is_empty(screen, job), BACK_WITHIN_S)
    if not is_empty(seen.screen, job) or not (yield from _paste(job, keys, text, text)):
        return
    seen = yield from watch_for(lambda screen: _shows_all(screen, job, box, text), DRAWN_WITHIN_S)
    if shows(seen.screen, job, box):
        yield from walk_cursor(box, job.look)
        yield from drop_draft()


def put_back(job: Job, keys: LineKeys, draft: str) -> Generator[Step, Answer, bool]:
    """Put back a draft that a delivery which was cut short has taken, wholly or in part, or has left a mark in. Return whether the draft
    is in the box."""
    seen = yield from look()
    box = read_box(seen.screen, job.look)
    if box is not None and shows_below(seen.screen, box, keys.not_while):
        return False
    if box is not None and (mark := mark_in(box, draft)):
        return (yield from _erase_mark(job, keys, seen, draft, mark))
    if box is None or (job.message_id and mentions(box, job.message_id)):
        return False
    if is_continued(squeeze(draft), squeeze("".join(box.rows))):
        return True
    if not box.is_cursor_at_end:
        return False
    rest = rest_of(draft, *_shown_to_cursor(seen.screen, box))
    if rest is None or not (yield from _paste(job, keys, rest, draft)):
        return False
    seen = yield from watch_for(lambda screen: _holds_letters(screen, job, draft), BACK_WITHIN_S)
    return _holds_letters(seen.screen, job, draft)


def is_marked(box_look: BoxLook, draft: str) -> Generator[Step, Answer, bool]:
    """Return whether the box holds this draft with a mark of ours in it, so that the draft has to be mended whoever has typed since."""
    seen = yield from look()
    box = read_box(seen.screen, box_look)
    return box is not None and mark_in(box, draft) is not None


def mark_in(box: Box, draft: str) -> str | None:
    """Return the mark that stands in a box that otherwise holds this draft, or None if there is no such mark."""
    shown = squeeze("".join(box.rows))
    return next((mark for mark in MARKS if mark in shown and shown.replace(mark, "", 1) == squeeze(draft)), None)


def _erase_mark(job: Job, keys: LineKeys, seen: Seen, draft: str, mark: str) -> Generator[Step, Answer, bool]:
    """Erase the mark, with the cursor right behind it. A draft that came back from the agent's history has its cursor elsewhere: bring
    the cursor to the mark first, if there is only one such mark. Return whether the box then holds the draft."""
    box = read_box(seen.screen, job.look)
    if box and before_cursor(seen.screen, box)[-1:] != mark and (place := _place_behind(box, mark)):
        yield from walk_cursor(place, job.look)
        seen = yield from look()
        box = read_box(seen.screen, job.look)
    if box is None or before_cursor(seen.screen, box)[-1:] != mark or not (yield Press((keys.erase,))):
        return False
    seen = yield from watch_for(lambda screen: _holds_letters(screen, job, draft), BACK_WITHIN_S)
    return _holds_letters(seen.screen, job, draft)


def _erase_left_mark(job: Job, keys: LineKeys, box: Box) -> Generator[Step, Answer, None]:
    """Erase a mark that is still in the draft, which `box` shows without it: a dialog may have swallowed the key that should have erased
    it."""
    seen = yield from look()
    now, draft = read_box(seen.screen, job.look), "\n".join(row.rstrip() for row in box.rows)
    if now and (mark := mark_in(now, draft)):
        yield from _erase_mark(job, keys, seen, draft, mark)


def _place_behind(box: Box, mark: str) -> Box | None:
    """Return the box with the cursor right behind the mark, or None if the box shows the mark more than once."""
    cells = [parse_row(row)[0].cells for row in box.rows]
    found = [(row, column) for row, some in enumerate(cells) for column, cell in enumerate(some) if cell == mark]
    if len(found) != 1:
        return None
    row, column = found[0]
    return replace(box, cursor_row=row, cursor_x=box.starts[row] + column + 1)


def _shown_to_cursor(screen: Screen, box: Box) -> tuple[str, int, int]:
    """Return what a box shows whose cursor is at the end: its letters, and the numbers of empty rows and then of blanks between the
    letters and the cursor."""
    rows = [row.rstrip() for row in box.rows]
    while rows and not rows[-1]:
        rows.pop()
    cells = screen.rows[screen.cursor_y].cells[box.starts[box.cursor_row] : screen.cursor_x]
    blanks = screen.cursor_x - box.starts[box.cursor_row] - last_letter(cells)
    return squeeze("".join(rows)), len(box.rows) - max(len(rows), 1), blanks


def _paste(job: Job, keys: LineKeys, text: str, whole: str) -> Clearing:
    """Paste this text, after which the box should hold `whole`."""
    return (yield from _paste_guarded(job, keys, text, whole) if keys.takes_paths else _paste_in_pieces(text))


def _paste_guarded(job: Job, keys: LineKeys, text: str, whole: str) -> Clearing:
    seen = yield from look()
    mark = choose_mark(seen.screen, whole)

    def has_mark(screen: Screen) -> bool:
        box = read_box(screen, job.look)
        return box is not None and mark_in(box, whole) == mark and before_cursor(screen, box)[-1:] == mark

    if not mark or not (yield Paste(text + mark)):
        return False
    seen = yield from watch_for(has_mark, BACK_WITHIN_S)
    return has_mark(seen.screen) and bool((yield Press((keys.erase,))))


def _paste_in_pieces(text: str) -> Clearing:
    """Paste the text in pieces: newlines one by one, and nothing long, because an agent may collapse what is pasted together. Never
    paste a letter or digit alone: some agents take a paste of one character for a key, and a dialog may have opened."""
    for piece in pieces_of(text):
        if (len(piece) == 1 and piece.isalnum()) or not (yield Paste(piece)):
            return False
    return True


def is_empty(screen: Screen, job: Job) -> bool:
    box = read_box(screen, job.look)
    return box is not None and box.is_empty


def shows(screen: Screen, job: Job, target: Box) -> bool:
    box = read_box(screen, job.look)
    return box is not None and same_rows(box, target)


def _shows_all(screen: Screen, job: Job, target: Box, text: str) -> bool:
    """Return whether the box shows the whole text, also the blanks at its end, which only the cursor tells: a cursor that stands before
    these blanks may still have to move. If a wrap hides some of the blanks, the result is never True."""
    box = read_box(screen, job.look)
    return box is not None and same_rows(box, target) and rest_of(text, *_shown_to_cursor(screen, box)) == ""


def _holds_letters(screen: Screen, job: Job, draft: str) -> bool:
    box = read_box(screen, job.look)
    return box is not None and squeeze("".join(box.rows)) == squeeze(draft)
