"""The undo of a hold as a shell script, which the timer of the tmux server runs when nobody ended the hold. PURE.

The script stands in an option of the tmux server while the keys are held. It holds no newline and no control character, because
some versions of tmux print these in their own way; what is pasted is written in octal where it is not plain.
"""

import re
import shlex
from collections.abc import Iterator
from itertools import groupby

from msgspec import Struct

from hark.delivery.undo import Undo, Write
from hark.model.session import Pane
from hark.terminal.commands import command, shell_command
from hark.terminal.expansion import Format
from hark.terminal.keys import LONGEST_WRITE, bytes_of

UNDONE = "@hark-undone"
"""An option of the pane: the label of the last hold that ended without its holder, 1 if its Enter was pressed, and when it ended."""

BURST_GAP_S = 0.004
"""Between two writes of keys: keys that an agent reads in one go with many others may count as a paste."""

_NOT_PLAIN = re.compile(rb"[^ !\"#&()+*,./0-9:;<=>?@A-Z\[\]^_a-z{|}~-]")


class UndoPlace(Struct, frozen=True, kw_only=True):
    """Where an undo is run, and what is noted when it has run."""

    tmux: list[str]
    """The command line by which a shell reaches the server."""
    pane: Pane
    is_running: Format
    """True while the program that was written to is in the foreground of the pane."""
    paste_flags: tuple[str, ...]
    buffer: str
    label: str


def undo_script(undo: Undo, place: UndoPlace, *, is_after_enter: bool = False) -> str:
    steps = [step for write in undo for step in _steps(write, place)]
    return "; ".join([*steps, _note(place, is_after_enter)])


def _steps(write: Write, place: UndoPlace) -> Iterator[str]:
    if write.keys:
        yield _if_running(place, " ; ".join(_presses(write.keys, place.pane)))
    if write.paste:
        paste = command("paste-buffer", *place.paste_flags, "-b", place.buffer, "-t", place.pane.pane_id)
        loaded = shell_command(place.tmux, [("load-buffer", "-b", place.buffer, "-")])
        yield f"printf {shlex.quote(_in_octal(write.paste))} | {loaded}"
        yield _if_running(place, paste, command("delete-buffer", "-b", place.buffer))
    if write.then_wait_s:
        yield f"sleep {write.then_wait_s:.3f}"


def _presses(keys: tuple[str, ...], pane: Pane) -> Iterator[str]:
    pause = command("run-shell", "-d", f"{BURST_GAP_S:.3f}")
    for key, same in groupby(keys):
        left, most = len(list(same)), max(1, LONGEST_WRITE // len(bytes_of(key)))
        while left > 0:
            yield command("send-keys", "-t", pane.pane_id, "-N", str(min(left, most)), "--", key)
            yield pause
            left -= most


def _if_running(place: UndoPlace, action: str, otherwise: str = "") -> str:
    words = ("if-shell", "-F", "-t", place.pane.pane_id, place.is_running, action, *((otherwise,) if otherwise else ()))
    return shell_command(place.tmux, [words])


def _note(place: UndoPlace, is_after_enter: bool) -> str:
    noted = shell_command(place.tmux, [("set-option", "-p", "-q", "-t", place.pane.pane_id, UNDONE)])
    facts = f"{place.label or '-'} {int(is_after_enter)} "
    return f"{noted} {shlex.quote(facts)}$(date +%s)"


def _in_octal(text: str) -> str:
    """Writes a text so that the shell's printf prints exactly it."""
    return _NOT_PLAIN.sub(lambda found: b"\\%03o" % found[0][0], text.encode()).decode()
