"""What kind of box a run is played on: one value for each way in which real boxes differ."""

from random import Random

from msgspec import Struct
from msgspec.structs import replace

from hark.delivery.carriers.draft_reader import LineKeys
from hark.delivery.carriers.editor_text import EditorKeys
from hark.delivery.carriers.interrupt import InterruptKeys
from hark.delivery.carriers.stash import StashKeys
from hark.delivery.carriers.submit import Lines
from hark.delivery.screen.box import BoxLook
from tests.unit.delivery.screens import CLAUDE, DEMO

EMPTY_KEYS = ("S-End", "BSpace", "S-Home", "BSpace")
STASH = StashKeys(key="C-s", occupied="stashed")


class Flavour(Struct, frozen=True, kw_only=True):
    look: BoxLook
    prompt: str
    columns: int
    height: int
    """Rows of the pane."""
    spare: int
    """Columns at the right that the box leaves free."""
    wraps_words: bool
    by_rows: bool
    """Home, End, C-k and C-u go by visual rows, not by lines."""
    collapses_over: int
    """A paste with more newlines is not shown; -1: all are."""
    has_stash: bool
    editor: EditorKeys | None
    editor_loses_keys: bool
    """Keys pressed while the editor is open are gone, instead of being read afterwards."""
    editor_swallows: bool
    """The first key after the editor is gone."""
    settle_ms: float
    """An Enter that comes sooner after a paste is a newline."""
    settle_s: float
    """What hark believes that to be."""
    dialog_waits_ms: float
    """A dialog opens only so long after the last input; 0: it opens at once."""
    is_vim: bool
    lag_ms: float
    """How late the screen is, at the most: no later than was measured on real agents (`hark.delivery.carriers.rest`)."""
    ghost: str
    step_ms: float
    """How long the terminal takes for a step, at the most."""
    lines: Lines = "unknown"
    """What hark believes of `by_rows`."""
    is_drawn_bare: bool = False
    """The screen lies about texts: marks, joiners and variation selectors are not drawn."""
    is_adopted: bool = False
    """tmux holds the keys, instead of an airlock."""
    keeps_cleared: bool = False
    """What Ctrl-C has cleared is in the history."""

    @property
    def line_keys(self) -> LineKeys:
        return LineKeys(takes_paths=self.collapses_over < 0)

    @property
    def interrupt_keys(self) -> InterruptKeys:
        return InterruptKeys(recall="Up" if self.keeps_cleared else None, line_keys=self.line_keys)

    @property
    def width(self) -> int:
        return self.columns - self.look.indent - self.spare

    keeps_submitted: bool = False
    """It takes a text of hark's and keeps it in its box, and the draft in the stash: the Enter came when a turn ended."""


def with_loading_editor(flavour: Flavour) -> Flavour:
    """As OpenCode: its editor loads whatever is left there but no empty text, and four keys empty its box."""
    keys = EditorKeys(
        key=("C-x", "e"), needs_box=True, end_keys=("S-End", "Right"), ignores_empty=True, fails_to_keep=True
    )
    look = replace(flavour.look, empty_keys=EMPTY_KEYS)
    return replace(flavour, look=look, editor=keys, editor_swallows=False, is_vim=False)


def draw_flavour(random: Random) -> Flavour:
    is_claude = random.random() < 0.5
    trims, swallows = random.random() < 0.4, random.random() < 0.3
    has_editor = random.random() < 0.75
    settle_ms = random.choice((0.0, 0.0, 40.0))
    collapses_over = random.choice((-1, 2, 2))
    return Flavour(
        look=CLAUDE if is_claude else DEMO,
        prompt="❯\u00a0" if is_claude else "❯ ",
        columns=random.choice((21, 24, 25, 30, 40) if collapses_over < 0 else (32, 33, 40)),
        height=random.choice((10, 14, 18)),
        spare=random.choice((0, 1)),
        wraps_words=random.random() < 0.5,
        by_rows=random.random() < 0.5,
        collapses_over=collapses_over,
        has_stash=random.random() < 0.6,
        editor=EditorKeys(key=("C-g",), after=("End",) if swallows else (), trims=trims) if has_editor else None,
        editor_loses_keys=random.random() < 0.5,
        editor_swallows=swallows,
        settle_ms=settle_ms,
        settle_s=random.choice((0.0, settle_ms / 500)),
        dialog_waits_ms=random.choice((0.0, 1000.0)),
        is_vim=random.random() < 0.1,
        lag_ms=random.choice((2.0, 15.0, 40.0, 40.0, 240.0)),
        ghost=random.choice(("", "", 'Try "fix lint"')),
        step_ms=random.choice((1.0, 4.0, 4.0, 40.0)),
        is_drawn_bare=random.random() < 0.25,
    )
