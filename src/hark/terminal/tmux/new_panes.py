"""Panes for new agents: in a tmux session of their own, or beside a pane in which a human is."""

import shlex

from msgspec import Struct

from hark.model.session import Pane
from hark.terminal.tmux.commands import command
from hark.terminal.tmux.expansion import Format, equals
from hark.terminal.tmux.server import TmuxServer

_WINDOW_FORMAT = Format("#{session_id}:#{window_id}")
_HAS_NO_TITLE = Format("#{==:#{pane_title},#{host}}")
"""The condition that is true if the pane's program has set no title: then tmux uses the machine's name as the title."""


class Program(Struct, frozen=True, kw_only=True):
    words: list[str]
    directory: str
    environment: dict[str, str]
    name: str
    """The name of the program's window. tmux does not rename a window that was given a name."""
    title: str
    """The title of the program's pane, until the program sets one."""


class OwnSession(Struct, frozen=True, kw_only=True):
    name: str
    columns: int
    rows: int


class Beside(Struct, frozen=True, kw_only=True):
    """The place of a new window after the window of a pane, or of a new pane beside that pane, as `tmux new-window` and
    `tmux split-window` open them."""

    pane_id: str
    is_split: bool = False
    is_shown: bool = False
    """True if the new window or pane becomes the current one, so that clients of that session show it."""


async def open_pane(server: TmuxServer, program: Program, place: OwnSession | Beside) -> Pane:
    if isinstance(place, OwnSession):
        size = ("-x", str(place.columns), "-y", str(place.rows))
        opened = ["new-session", "-d", "-s", place.name, "-n", program.name, *size]
    elif place.is_split:
        opened = ["split-window", "-t", place.pane_id, *([] if place.is_shown else ["-d"])]
    else:
        window = await _window_of(server, place.pane_id)
        opened = ["new-window", "-a", "-t", window, "-n", program.name, *([] if place.is_shown else ["-d"])]
    variables = [part for name, value in program.environment.items() for part in ("-e", f"{name}={value}")]
    words = [*opened, "-c", program.directory, *variables, "--", *_words(program.words)]
    pane = await server.create(*words, may_start=isinstance(place, OwnSession))
    await server.act_if(pane, _HAS_NO_TITLE, command("select-pane", "-t", pane.pane_id, "-T", program.title))
    return pane


async def rename_window(server: TmuxServer, pane: Pane, before: str, name: str) -> None:
    """Rename the window of a session that was renamed, if the window still has the name that hark gave it."""
    renamed = command("rename-window", "-t", pane.pane_id, "--", name)
    await server.act_if(pane, equals("window_name", before), renamed)


async def _window_of(server: TmuxServer, pane_id: str) -> str:
    await server.resolve(pane_id)
    return await server.show_at_home(pane_id, _WINDOW_FORMAT)


def _words(command_line: list[str]) -> list[str]:
    """Return the words so that no shell interprets them: tmux gives a single word to a shell, and runs several words as they are."""
    return [shlex.quote(command_line[0])] if len(command_line) == 1 else command_line
