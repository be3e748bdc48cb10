"""What a delivery asks of the terminal, and what it gets back.

A carrier is a generator: it yields one of these steps, is sent a `Seen` (or a plain yes or no), and returns an Outcome. The
same generator runs on real tmux, in a simulator, and in a test that is a table.
"""

from collections.abc import Generator

from msgspec import Struct

from hark.delivery.carriers.undo import Undo
from hark.delivery.screen.capture import Screen
from hark.model.message import HoldReason


class Look(Struct, frozen=True):
    """The screen as it is now."""


class LookAgain(Struct, frozen=True):
    """The screen after the pane has printed something, or when the time is over."""

    within_s: float


class Press(Struct, frozen=True):
    """Keys that move or take away, by tmux's names; never one that submits. Answered with False if they were not pressed."""

    keys: tuple[str, ...]
    then: Undo | None = None
    """The undo from these keys on, where they change what the way back is: it replaces the one that was left in the same instant."""


class OpenEditor(Struct, frozen=True):
    """Press the agent's editor key and wait for the editor. Answered with EditorOpened, or False if none came in time."""

    keys: tuple[str, ...]
    within_s: float


class EditorOpened(Struct, frozen=True):
    text: str


class CloseEditor(Struct, frozen=True):
    """Gives the editor a new text, or None to leave the old one, and lets it end."""

    text: str | None


class SaveDraft(Struct, frozen=True):
    """The human's text, to be on record before the first key that takes it away. Answered like Stage."""

    text: str


class DropDraft(Struct, frozen=True):
    """It is verified back in the box."""


class Begin(Struct, frozen=True):
    """From here on our text may be in the box: to be put on record before the paste. Answered like Stage."""


class Paste(Struct, frozen=True):
    text: str
    then: Undo | None = None
    """The undo from this write on, as for `Press`; None leaves it as it is."""


class Stage(Struct, frozen=True):
    """Our text is in the box, and nothing else. Answered with False when we may not go on: the message was taken back, has expired,
    or somebody else delivers to this session now."""


class LeaveUndo(Struct, frozen=True):
    """The way back from here, left with whoever holds the keys; it replaces the one that was left before. Answered with True when the
    holder has it."""

    writes: Undo


class PressEnter(Struct, frozen=True):
    """Only if the screen still is that one, which the terminal checks in the same instant. Answered with whether it was."""

    screen: Screen
    proof: str
    then: Undo = ()
    """The undo from the Enter on: it replaces the one that was left in the same instant."""


class NoteInterrupt(Struct, frozen=True):
    """The running turn is about to be told to end: to be put on record before the key. Answered like Stage."""


class PressStop(Struct, frozen=True):
    """The key that ends a turn, only if the screen still is that one. Answered with whether it was pressed."""

    key: str
    screen: Screen


class AskUnread(Struct, frozen=True):
    """Answered with True while the agent has not read all that was written to it."""


class AskTaken(Struct, frozen=True):
    """Answered with True when the agent itself has said that it took the message: by a hook, its own API or its record."""


class SearchHistory(Struct, frozen=True):
    """Answered with whether these words are on the screen or in the scrollback."""

    words: str


class Seen(Struct, frozen=True):
    screen: Screen
    at_s: float
    """On a clock that only grows."""


class Submitted(Struct, frozen=True):
    """Enter was pressed and the box let go of our text."""

    detail: str = ""
    was_kept: bool = False
    """True if the agent took our text and kept it in the box all the same, from where it was erased."""


class Held(Struct, frozen=True):
    """Nothing of ours is in the box."""

    reason: HoldReason
    detail: str = ""
    is_refused: bool = False
    """True if the agent did not take this text as it is: the attempt counts against the message, not against the session."""
    is_late: bool = False
    """True if a paste of ours was never seen and may still come: the undo has to run before the human's keys go free."""


class Stuck(Struct, frozen=True):
    """Our text is in the box, not submitted, and must not be submitted now: others have typed beside it, or we may not go on."""

    detail: str
    is_refused: bool = False
    """True if the agent did not take the text, as for `Held`."""
    unseen: HoldReason | None = None
    """Set if our text was never seen, in a box that stays empty: the agent may not have drawn it yet, or something has swallowed it.
    Then the reason for which the message is held once the way back was pressed."""
    is_late: bool = False
    """True if our text was never seen in the box and may still come, as for `Held`."""


class Unproven(Struct, frozen=True):
    """Enter was pressed, and what became of it cannot be told."""

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
    """Whether a paste of ours may still come into the box: then only whoever holds the keys may bring the draft back."""
    return isinstance(outcome, Held | Stuck) and outcome.is_late
