"""The facts that tmux tells about its panes and clients, and the formats that ask for them. Free text comes last in each format."""

from msgspec import Struct

from hark.terminal.tmux.expansion import Format

SCREEN_FORMAT = Format(
    "#{pane_id} #{pane_pid} #{pane_dead} #{pane_in_mode} #{pane_width} #{cursor_x} #{cursor_y} #{cursor_flag} #{alternate_on} #{pane_title}"
)
PANE_FORMAT = Format(
    "#{pane_id} #{pane_pid} #{pane_dead} #{pane_in_mode} #{pane_pipe} #{pane_width} #{pane_height} #{pane_tty} #{session_id} #{start_time} #{pane_current_command}"
)
CLIENT_FORMAT = Format("#{client_activity} #{client_control_mode} #{pane_id} #{client_name}")


class PaneFacts(Struct, frozen=True, kw_only=True):
    pane_id: str
    pid: int
    is_dead: bool
    in_mode: bool
    has_pipe: bool
    columns: int
    rows: int
    tty: str
    session_id: str
    foreground: str
    """The name of the foreground process of the pane's terminal."""
    server_started_at: int = 0
    """The time when the pane's tmux server started, in whole seconds since the epoch; 0 if tmux does not tell."""


class ClientFacts(Struct, frozen=True, kw_only=True):
    """A human's terminal that shows a pane."""

    name: str
    pane_id: str
    activity_at: int
    """The time when something last arrived from the terminal, in whole seconds since the epoch."""


class ServerFacts(Struct, frozen=True):
    panes: dict[str, PaneFacts]
    clients: list[ClientFacts]

    @property
    def started_at(self) -> int:
        """When the server started, in whole seconds since the epoch; 0 if it is not known."""
        return max((pane.server_started_at for pane in self.panes.values()), default=0)

    def last_key_at(self, pane_id: str) -> int | None:
        return max((c.activity_at for c in self.clients if c.pane_id == pane_id), default=None)


def parse_pane(line: str) -> PaneFacts:
    pane_id, pid, dead, mode, pipe, columns, rows, tty, session_id, started, *foreground = line.split(" ", 10)
    return PaneFacts(
        pane_id=pane_id,
        pid=int(pid or 0),
        is_dead=dead == "1",
        in_mode=mode not in ("", "0"),
        has_pipe=pipe == "1",
        columns=int(columns or 0),
        rows=int(rows or 0),
        tty=tty,
        session_id=session_id,
        foreground="".join(foreground),
        server_started_at=int(started) if started.isdecimal() else 0,
    )


def parse_clients(lines: list[str]) -> list[ClientFacts]:
    """Return the clients of humans; leave out control clients, which are programs."""
    parts = [line.split(" ", 3) for line in lines]
    return [ClientFacts(name=p[3], pane_id=p[2], activity_at=int(p[0])) for p in parts if len(p) == 4 and p[1] != "1"]
