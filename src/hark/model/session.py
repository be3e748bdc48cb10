"""A session: one agent in one terminal pane."""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from hark.model.ids import SessionId
from hark.model.signal import SignalSource, SignalState


class SessionState(StrEnum):
    STARTING = "starting"
    """It is recorded, and its pane is being made. Nobody is told of it yet."""
    RUNNING = "running"
    """The session's pane is there."""
    GONE = "gone"
    """The pane, its process or its tmux server is no longer there."""


class Hearing(StrEnum):
    """What a session's agent has ever told us about its turns. It is kept, so that a daemon that starts again knows it."""

    NOTHING = ""
    TURNS = "turns"
    """The agent tells what it is doing, but not which prompts it takes."""
    PROMPTS = "prompts"
    """The agent also tells which prompts it takes."""


class Pane(Struct, frozen=True, kw_only=True):
    """Where the agent lives. Pane ids start again at %0 in a new tmux server, so the process id belongs to the identity."""

    socket: str
    """Path of the tmux server's socket."""
    pane_id: str
    """tmux's own id, such as %5."""
    pid: int
    """The process that tmux started in the pane."""


class Session(Struct, frozen=True, kw_only=True):
    id: SessionId
    name: str
    agent: str
    """Agent kind: the name of a data file in agents/."""
    host: str
    pane: Pane
    command: tuple[str, ...]
    directory: str
    created_at: datetime
    is_adopted: bool = False
    """Adopted panes belong to the human: hark never kills their tmux session nor changes their options."""
    state: SessionState = SessionState.RUNNING
    gone_at: datetime | None = None
    airlock: str | None = None
    """Socket of the airlock between pane and agent, where hark started the agent."""
    do_not_disturb_since: datetime | None = None
    nudge_seq: int = 0
    """Grows by one with every signal."""
    last_signal_at: datetime | None = None
    signal_state: SignalState | None = None
    """What its agent announced last; none when that is over."""
    signal_text: str = ""
    signal_source: SignalSource | None = None
    hearing: Hearing = Hearing.NOTHING
    conversation: str = ""
    """The agent's own name for the conversation that its pane shows, as its hooks told it last."""
    transcript: str = ""
    """The file in which the agent keeps that conversation, as its hooks told it last."""
