"""The structs of the calls about the daemon, its events and agents' hooks."""

from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta

from hark.api.shapes.foundation import Request, Response


class EventInfo(Response, frozen=True, kw_only=True):
    seq: int
    at: datetime
    kind: str
    session_id: str | None
    message_id: str | None
    data: dict[str, Any]


class EventList(Response, frozen=True, kw_only=True):
    events: list[EventInfo]
    last_seq: int


class HookReport(Request, frozen=True, kw_only=True):
    agent: str
    event: str
    emitted_at: Annotated[datetime, Meta(tz=True)]
    session_id: str | None = None
    """The id of the hark session, as the agent's environment has it in HARK_SESSION."""
    socket: str | None = None
    pane_id: str | None = None
    payload: dict[str, Any] = {}


class HookTaken(Response, frozen=True, kw_only=True):
    session_id: str | None


class Restart(Request, frozen=True, kw_only=True):
    command: Annotated[list[str], Meta(min_length=1)] | None = None
    """The command that takes the daemon's place, such as that of a newer hark; by default the daemon's own command."""
    is_upgrade: bool = False
    """True if no human asked for this restart: the daemon then restarts only if the settings allow it and no delivery is under way."""


class Health(Response, frozen=True, kw_only=True):
    status: str
    version: str
    pid: int
    started_at: datetime
    sessions: int
    tmux_version: str | None
    database: str
    last_event_seq: int
    instance: str = ""
    """An id of the running daemon, which is different after every start."""
