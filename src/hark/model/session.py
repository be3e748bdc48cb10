"""A session is one agent in one terminal pane."""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from hark.model.ids import SessionId
from hark.model.signal import SignalSource, SignalState


class SessionState(StrEnum):
    STARTING = "starting"
    """The session is recorded, and hark is making its pane. Nobody is told of the session yet."""
    RUNNING = "running"
    """The session's pane is there."""
    GONE = "gone"
    """The pane, its process or its tmux server is no longer there."""


LOST_SERVER = "its tmux server is gone"
"""Why a session is gone that ended with its tmux server."""


class RestartPolicy(StrEnum):
    """When hark starts the agent of a session again by itself."""

    NEVER = "no"
    ON_FAILURE = "on-failure"
    """Hark starts the agent again if it ended by itself and failed."""


class Hearing(StrEnum):
    """What a session's agent has ever told hark about its turns. Hark stores this, so that a daemon that starts again knows it."""

    NOTHING = ""
    TURNS = "turns"
    """The agent tells hark what it is doing, but not which prompts it takes."""
    PROMPTS = "prompts"
    """The agent tells hark what it is doing and which prompts it takes."""


class Pane(Struct, frozen=True, kw_only=True):
    """The tmux pane in which an agent runs. Pane ids start again at %0 in a new tmux server, so the process id is part of a pane's
    identity."""

    socket: str
    """The path of the tmux server's socket."""
    pane_id: str
    """The id that tmux gave the pane, such as %5."""
    pid: int
    """The process that tmux started in the pane."""


class Session(Struct, frozen=True, kw_only=True):
    id: SessionId
    name: str
    agent: str
    """The agent kind: the name by which hark finds the agent's data file."""
    host: str
    pane: Pane
    command: tuple[str, ...]
    directory: str
    created_at: datetime
    is_adopted: bool = False
    """True if the session's pane was adopted and so belongs to the human: hark never kills its tmux session nor changes its
    options."""
    state: SessionState = SessionState.RUNNING
    gone_at: datetime | None = None
    gone_because: str = ""
    """Why the session is gone, in words for people; empty while it runs."""
    started_at: datetime | None = None
    """When the session's agent was last started; None if hark did not record it."""
    heir_of: SessionId | None = None
    """The session of the same name, gone before, whose queue this session has taken over; None if there was none."""
    restart: RestartPolicy = RestartPolicy.NEVER
    failures: int = 0
    """How often the agent has failed in a row, without running well in between."""
    restart_at: datetime | None = None
    """When hark will start the agent again by itself; None if it will not."""
    has_given_up: bool = False
    """True if the agent has failed so often that hark does not start it again by itself."""
    airlock: str | None = None
    """The socket of the airlock between the pane and the agent, where hark started the agent; otherwise None."""
    do_not_disturb_since: datetime | None = None
    nudge_seq: int = 0
    """A number that grows by one with every signal of the session."""
    last_signal_at: datetime | None = None
    signal_state: SignalState | None = None
    """The status that the session's agent announced last; None when that status is over."""
    signal_text: str = ""
    signal_source: SignalSource | None = None
    hearing: Hearing = Hearing.NOTHING
    conversation: str = ""
    """The agent's own name for the conversation in its pane, as the agent's hooks last reported it."""
    transcript: str = ""
    """The file in which the agent stores the conversation in its pane, as the agent's hooks last reported it."""
