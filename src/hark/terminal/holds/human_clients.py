"""The clients of humans that show a pane and could type into it, as tmux describes them in one instant."""

from collections.abc import Sequence

from msgspec import Struct

from hark.model.errors import HarkError
from hark.model.session import Pane
from hark.terminal.tmux.commands import command
from hark.terminal.tmux.expansion import Format

_PANE_FORMAT = Format("#{pane_pid} #{pane_in_mode} #{pane_key_mode}")
_CLIENT_FORMAT = Format(
    "#{client_control_mode}#{client_readonly} #{pane_id} #{session_id} #{prefix} #{prefix2} #{client_name} #{client_key_table} #{key-table}"
)


class Watcher(Struct, frozen=True):
    """A client of a human that shows the pane and could type into it."""

    session_id: str
    prefixes: tuple[str, str]
    name: str
    table: str
    usual_table: str

    @property
    def is_in_a_command(self) -> bool:
        """True if the next key means something else than usual: the human has pressed the prefix."""
        return self.table != self.usual_table


class View(Struct, frozen=True):
    """The facts of one instant that decide whether keys can be held."""

    pid: int
    in_mode: bool
    watchers: tuple[Watcher, ...]
    key_mode: str = ""
    """The form in which the program wants its keys: `VT10x`, `Ext 1` or `Ext 2`. It is empty on tmux before 3.5."""

    @property
    def is_in_a_command(self) -> bool:
        """True if someone has pressed the prefix, or scrolls: another key table now would change what the next key means."""
        return self.in_mode or any(watcher.is_in_a_command for watcher in self.watchers)

    def check_is(self, pane: Pane) -> None:
        """Raise `pane-not-found` if another process is in the pane."""
        if self.pid != pane.pid:
            raise HarkError(
                "pane-not-found",
                f"pane {pane.pane_id} is no longer the one of this session",
                "`hark ls` shows the sessions that are left",
            )


def questions(pane: Pane) -> tuple[str, str]:
    """Return the two commands whose answers `read_view` takes."""
    return (
        command("display-message", "-p", "-t", pane.pane_id, _PANE_FORMAT),
        command("list-clients", "-F", _CLIENT_FORMAT),
    )


def read_view(pane: Pane, pane_answer: Sequence[str], clients_answer: Sequence[str]) -> View:
    [text] = pane_answer
    pid, mode, key_mode = text.split(" ", 2)
    clients = (row.split(" ", 7) for row in clients_answer)
    return View(
        int(pid or 0),
        mode not in ("", "0"),
        tuple(
            Watcher(session_id, (prefix, prefix2), name, table, usual_table)
            for kind, pane_id, session_id, prefix, prefix2, name, table, usual_table in clients
            if kind == "00" and pane_id == pane.pane_id
        ),
        key_mode,
    )
