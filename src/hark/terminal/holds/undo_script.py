"""The undo of a hold as steps for `inside/undo_runner.py`, which the timer of the tmux server runs when nobody ended the hold. PURE.

An option of the tmux server holds the steps while the keys are held. They are in base64, because some versions of tmux print other
characters in their own way.
"""

import base64
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import msgspec
from msgspec import Struct

from hark.delivery.carriers.undo import Undo, Write, leaves_draft_out
from hark.model.session import Pane
from hark.terminal.holds.keys import LONGEST_WRITE, bytes_of
from hark.terminal.tmux.commands import command, in_words
from hark.terminal.tmux.expansion import Format

UNDONE = "@hark-undone"
"""The name of a pane option. Its value is the label of the last hold that ended without its holder, 1 or 0 for whether its Enter was
pressed, `out` if its undo did not bring the draft back, and the second in which it ended."""

Step = dict[str, Any]


class UndoPlace(Struct, frozen=True, kw_only=True):
    """The place where an undo is run, and the label that is noted when it has run."""

    tmux: list[str]
    """The words of the command line by which a program reaches the tmux server."""
    pane: Pane
    is_running: Format
    """The condition for tmux that is true while the program that was written to is in the foreground of the pane."""
    paste_flags: tuple[str, ...]
    buffer: str
    label: str


def undo_script(undo: Undo, place: UndoPlace, *, is_after_enter: bool = False) -> str:
    steps = [step for write in undo for step in _steps(write, place)]
    line = in_words([("display-message", "-p", "-t", place.pane.pane_id, Format("#{pane_tty}"))])
    order = {"tmux": place.tmux, "line": line, "steps": [*steps, _note(place, undo, is_after_enter)]}
    return base64.b64encode(msgspec.json.encode(order)).decode()


def _steps(write: Write, place: UndoPlace) -> Iterator[Step]:
    for press in _presses(write.keys, place.pane):
        yield {"words": _if_running(place, press), "is_written": True}
    if write.paste:
        paste = command("paste-buffer", *place.paste_flags, "-b", place.buffer, "-t", place.pane.pane_id)
        yield {"words": in_words([("load-buffer", "-b", place.buffer, "-")]), "stdin": write.paste}
        dropped = command("delete-buffer", "-b", place.buffer)
        yield {"words": _if_running(place, paste, dropped), "is_written": True}
    if write.then_wait_s:
        yield {"wait_s": write.then_wait_s if write.read_wait_s is None else write.read_wait_s}


def _presses(keys: tuple[str, ...], pane: Pane) -> Iterator[str]:
    for key, same in groupby(keys):
        left, most = len(list(same)), max(1, LONGEST_WRITE // len(bytes_of(key)))
        while left > 0:
            yield command("send-keys", "-t", pane.pane_id, "-N", str(min(left, most)), "--", key)
            left -= most


def _if_running(place: UndoPlace, action: str, otherwise: str = "") -> list[str]:
    words = ("if-shell", "-F", "-t", place.pane.pane_id, place.is_running, action, *((otherwise,) if otherwise else ()))
    return in_words([words])


def _note(place: UndoPlace, undo: Undo, is_after_enter: bool) -> Step:
    facts = f"{place.label or '-'} {int(is_after_enter)} {'out ' if leaves_draft_out(undo) else ''}"
    return {
        "words": in_words([("set-option", "-p", "-q", "-t", place.pane.pane_id, UNDONE, facts)]),
        "is_stamped": True,
    }
