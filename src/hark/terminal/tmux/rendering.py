"""What tmux shows in a pane at one instant: the screen, and the lines that have scrolled off its top."""

from msgspec import Struct

from hark.delivery.screen.capture import Screen, Widths, parse_rows
from hark.model.errors import HarkError
from hark.model.session import Pane
from hark.signals.ink import Drawn
from hark.terminal.tmux.expansion import Format
from hark.terminal.tmux.facts import SCREEN_FORMAT

RENDERING_FORMAT = Format(f"#{{history_size}} #{{pane_height}} {SCREEN_FORMAT}")


class Rendering(Struct, frozen=True, kw_only=True):
    rows: list[Drawn]
    """The rows that scrolled off the top, and then the rows of the screen."""
    screen: Screen
    history: int
    """How many lines have scrolled off the top of the screen, as far as tmux keeps them."""


def read_screen(pane: Pane, head: str, rows: list[str], widths: Widths) -> Screen:
    """Read the screen from the answer to `SCREEN_FORMAT` and the captured rows; refuse if the pane is another process by now."""
    _, pid, dead, mode, columns, x, y, visible, alternate, title = head.split(" ", 9)
    if int(pid) != pane.pid or dead == "1":
        raise HarkError(
            "pane-not-found",
            f"pane {pane.pane_id} is no longer the one of this session",
            "`hark ls` shows the sessions that are left",
        )
    return Screen(
        rows=parse_rows(rows, widths),
        columns=int(columns),
        cursor_x=int(x),
        cursor_y=int(y),
        is_cursor_visible=visible == "1",
        is_alternate=alternate == "1",
        in_mode=mode not in ("", "0"),
        title=title,
    )
