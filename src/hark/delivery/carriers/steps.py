"""The steps that a delivery asks of the terminal, and the answers it gets.

A carrier is a generator: it yields one of these steps, receives a `Seen` (or a plain yes or no), and returns an Outcome. The same
generator runs on real tmux, in a simulator, and in a test that is a table.
"""

from collections.abc import Generator

from msgspec import Struct

from hark.delivery.carriers.undo import Undo
from hark.delivery.screen.capture import Screen
from hark.model.message import HoldReason


class Look(Struct, frozen=True):
    """Look at the screen as it is now."""


class LookAgain(Struct, frozen=True):
    """Look at the screen after the pane has printed something, or when the time is over."""

    within_s: float


class Press(Struct, frozen=True):
    """Press keys, given by tmux's names, that move the cursor or take text away, never one that submits. The answer is False if the keys
    were not pressed."""

    keys: tuple[str, ...]
    then: Undo | None = None
    """The undo from these keys on, if they change the way back: in the same instant it replaces the undo that was left before."""


class OpenEditor(Struct, frozen=True):
    """Press the agent's editor key and wait for the editor. The answer is EditorOpened, or False if no editor came in time."""

    keys: tuple[str, ...]
    within_s: float


class EditorOpened(Struct, frozen=True):
    text: str


class CloseEditor(Struct, frozen=True):
    """Give the editor a new text, or None to keep the old text, and let the editor end."""

    text: str | None


class SaveDraft(Struct, frozen=True):
    """Put the human's text on record, before the first key that takes it away. The answer is like the one to Stage."""

    text: str


class DropDraft(Struct, frozen=True):
    """Drop the draft from the record, because it is verified to be in the box again."""


class Begin(Struct, frozen=True):
    """Put on record, before the paste, that from now on our text may be in the box. The answer is like the one to Stage."""


class Paste(Struct, frozen=True):
    text: str
    then: Undo | None = None
    """The undo from this write on, as for `Press`; None leaves the undo as it is."""


class Stage(Struct, frozen=True):
    """Put on record that our text, and nothing else, is in the box. The answer is False if the delivery may not go on: the message was
    taken back, has expired, or somebody else delivers to this session now."""


class LeaveUndo(Struct, frozen=True):
    """Leave the undo from here on with whoever holds the keys, in place of the undo that was left before. The answer is True if the
    holder has it."""

    writes: Undo


class PressEnter(Struct, frozen=True):
    """Press Enter if the screen still is the given one, which the terminal checks in the same instant. The answer says whether Enter was
    pressed."""

    screen: Screen
    proof: str
    then: Undo = ()
    """The undo from the Enter on: in the same instant it replaces the undo that was left before."""


class NoteInterrupt(Struct, frozen=True):
    """Put on record, before the key, that the running turn is about to be told to end. The answer is like the one to Stage."""


class PressStop(Struct, frozen=True):
    """Press the key that ends a turn if the screen still is the given one. The answer says whether the key was pressed."""

    key: str
    screen: Screen


class AskUnread(Struct, frozen=True):
    """Ask whether the agent has not yet read everything that was written to it. The answer is True while it has not."""


class AskTaken(Struct, frozen=True):
    """Ask whether the agent itself has said that it took the message: by a hook, its own API or its record. The answer is True if it
    has."""


class SearchHistory(Struct, frozen=True):
    """Ask whether these words are on the screen or in the scrollback."""

    words: str


class Seen(Struct, frozen=True):
    screen: Screen
    at_s: float
    """When the screen was seen, in seconds on a clock that never goes back."""


class Submitted(Struct, frozen=True):
    """Enter was pressed and the box let go of our text."""

    detail: str = ""
    was_kept: bool = False
    """True if the agent took our text but kept it in the box, from where hark erased it."""


class Held(Struct, frozen=True):
    """The message was not submitted, and nothing of ours is in the box."""

    reason: HoldReason
    detail: str = ""
    is_refused: bool = False
    """True if the agent did not take this text as it is: the attempt counts against the message, not against the session."""
    is_late: bool = False
    """True if a paste of ours was never seen and may still come: the undo has to run before the human's keys are let go."""


class Stuck(Struct, frozen=True):
    """Our text is in the box, not submitted, and must not be submitted now: others have typed beside it, or the delivery may not
    go on."""

    detail: str
    is_refused: bool = False
    """True if the agent did not take the text, as for `Held`."""
    unseen: HoldReason | None = None
    """The reason for which to hold the message once the way back is pressed, if our text was never seen in a box that stays empty: the
    agent may not have drawn our text yet, or something has swallowed it. None if our text was seen."""
    is_late: bool = False
    """True if our text was never seen in the box and may still come, as for `Held`."""


class Unproven(Struct, frozen=True):
    """Enter was pressed, and hark cannot tell what became of our text."""

    detail: str


Step = (
    Look
    | LookAgain
    | Press
    | OpenEditor
    | CloseEditor
    | SaveDraft
    | DropDraft
    | Begin
    | Paste
    | Stage
    | LeaveUndo
    | PressEnter
    | NoteInterrupt
    | PressStop
    | AskUnread
    | AskTaken
    | SearchHistory
)
Answer = Seen | EditorOpened | bool
Outcome = Submitted | Held | Stuck | Unproven
Delivery = Generator[Step, Answer, Outcome]


def is_late(outcome: Outcome) -> bool:
    """Return whether a paste of ours may still come into the box: then only whoever holds the keys may bring the draft back."""
    return isinstance(outcome, Held | Stuck) and outcome.is_late
