"""The structs of the calls about sessions."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from msgspec import Meta

from hark.api.shapes.foundation import Request, Response
from hark.api.shapes.questions import QuestionInfo
from hark.model.message import HoldReason
from hark.model.session import RestartPolicy, Session
from hark.model.signal import SignalSource, SignalState
from hark.queue.reports.needs import Why, find_need
from hark.queue.turns import Phase, Turns


class Beside(Request, frozen=True, kw_only=True):
    pane_id: Annotated[str, Meta(pattern="^%[0-9]+$")]
    is_split: bool = False
    """True to open a new pane beside `pane_id`; False to open a new window after the window of `pane_id`."""
    is_shown: bool = False
    """True to make the new pane or window the current one, so that terminals that show its tmux session show it."""


class NewSession(Request, frozen=True, kw_only=True):
    command: list[str] = []
    """The command to start; if it is empty, the program of `agent` or of the default agent."""
    name: str | None = None
    agent: str | None = None
    directory: str | None = None
    environment: dict[str, str] = {}
    columns: Annotated[int, Meta(ge=20, le=1000)] = 120
    rows: Annotated[int, Meta(ge=5, le=500)] = 40
    socket_name: str | None = None
    """The name of the tmux server to start the session in, as for `tmux -L`; hark's own server by default."""
    socket_path: str | None = None
    """The socket of the tmux server to start the session in, as for `tmux -S`."""
    is_plain: bool = False
    """True to show no status line of tmux, so that the session looks like the plain program."""
    has_signals: bool = False
    """True to teach the agent to signal: for this run if the agent takes instructions without a file, else by a first message."""
    restart: RestartPolicy | None = None
    """When hark starts the agent again by itself; null means what the settings say."""
    beside: Beside | None = None
    """The pane beside which the session gets a window or a pane; None to give the session a tmux session of its own."""


class RestartSession(Request, frozen=True, kw_only=True):
    environment: dict[str, str] = {}
    command: list[str] = []
    """The command to start; if it is empty, the session's own command, with the agent's options to resume its conversation."""
    is_fresh: bool = False
    """True to begin a new conversation instead of resuming the last one."""
    ends_running: bool = False
    """True to end an agent that still runs; False to refuse the restart of such a session."""
    has_signals: bool = False
    restart: RestartPolicy | None = None
    """When hark starts the agent again by itself from now on; null changes nothing."""
    columns: Annotated[int, Meta(ge=20, le=1000)] = 120
    rows: Annotated[int, Meta(ge=5, le=500)] = 40
    socket_name: str | None = None
    socket_path: str | None = None
    beside: Beside | None = None


class RunInPane(Request, frozen=True, kw_only=True):
    target: str
    socket_path: str
    command: Annotated[list[str], Meta(min_length=1)]
    directory: str
    environment: dict[str, str] = {}
    """The environment variables that the agent will run with."""
    name: str | None = None
    agent: str | None = None
    has_signals: bool = False
    """True to teach the agent to signal, in the same way as in a new session."""


class AdoptPane(Request, frozen=True, kw_only=True):
    target: str
    name: str | None = None
    agent: str | None = None
    has_signals: bool = False
    """True to teach the agent to signal by a message, unless its instruction file already teaches it."""
    socket_name: str | None = None
    socket_path: str | None = None


class RenameSession(Request, frozen=True, kw_only=True):
    name: str


class SessionInfo(Response, frozen=True, kw_only=True):
    id: str
    name: str
    agent: str
    state: str
    host: str
    socket: str
    pane_id: str
    pane_pid: int
    command: list[str]
    directory: str
    is_adopted: bool
    airlock: str | None
    """The socket of the airlock in front of the agent; null if there is no airlock."""
    created_at: datetime
    gone_at: datetime | None
    gone_because: str = ""
    """Why the session is gone; empty while it runs."""
    heir_of: str | None = None
    """The session of the same name, gone before, whose queue this session has taken over."""
    restart: RestartPolicy = RestartPolicy.NEVER
    """When hark starts the session's agent again by itself."""
    failures: int = 0
    """How often the session's agent has failed in a row."""
    restart_at: datetime | None = None
    """When hark will start the agent of a session that is gone again by itself; null if it will not."""
    has_given_up: bool = False
    """True if the agent has failed so often that hark does not start it again by itself."""
    do_not_disturb_since: datetime | None
    """Since when a human has held all messages to this session; null if nobody holds them."""
    pending_count: int
    hold_reason: HoldReason | None
    """Why the first message in the queue of this session waits."""
    nudge_seq: int
    """How many signals the session's agent has given."""
    last_signal_at: datetime | None
    signal_state: SignalState | None = None
    """What the session's agent announced last; null when that is over."""
    nudge_state: SignalState | None = None
    """The value of `signal_state`, under the name that belongs to `nudge_seq`."""
    signal_text: str = ""
    signal_source: SignalSource | None = None
    """How hark heard the signal in `signal_state`."""
    last_words: str = ""
    """The beginning of what the session's agent answered last, 200 characters at most."""
    phase: Phase = Phase.UNKNOWN
    """What the session's agent is doing, as far as hark knows."""
    phase_since: datetime | None = None
    waiting_for: str = ""
    """What the session's agent asks a human's permission for."""
    need: Why | None = None
    """Why the session needs a human; null if it needs nobody."""
    need_since: datetime | None = None
    """Since when the session has waited for a human; null if it needs nobody."""
    open_questions: list[QuestionInfo] = []
    """What the session's agent asks its human now, oldest first."""
    question: str = ""
    """What the session's agent asks the human for, in its own words."""


class Started(Response, frozen=True, kw_only=True):
    session: SessionInfo
    words: list[str]
    """The command that starts the agent behind its airlock."""
    environment: dict[str, str]
    """The environment variables that the caller adds to its own before it starts `words`."""


class Restarted(Response, frozen=True, kw_only=True):
    session: SessionInfo
    conversation: str
    """The agent's own name for the conversation that it resumes; empty if it begins a new one."""
    has_draft: bool = False
    """True if a draft was out of the box when the agent ended: hark puts it back into the box of the agent that starts."""


class SessionList(Response, frozen=True, kw_only=True):
    sessions: list[SessionInfo]


class OutputText(Response, frozen=True, kw_only=True):
    session_id: str
    lines: list[str]


def session_info(
    session: Session,
    pending: int = 0,
    reason: HoldReason | None = None,
    turns: Turns | None = None,
    last_words: str = "",
    questions: Sequence[QuestionInfo] = (),
) -> SessionInfo:
    turns = turns or Turns()
    need = find_need(session, turns)
    return SessionInfo(
        id=session.id,
        name=session.name,
        agent=session.agent,
        state=session.state,
        host=session.host,
        socket=session.pane.socket,
        pane_id=session.pane.pane_id,
        pane_pid=session.pane.pid,
        command=list(session.command),
        directory=session.directory,
        is_adopted=session.is_adopted,
        airlock=session.airlock,
        created_at=session.created_at,
        gone_at=session.gone_at,
        gone_because=session.gone_because,
        heir_of=session.heir_of,
        restart=session.restart,
        failures=session.failures,
        restart_at=session.restart_at,
        has_given_up=session.has_given_up,
        do_not_disturb_since=session.do_not_disturb_since,
        pending_count=pending,
        hold_reason=reason,
        phase=turns.phase,
        phase_since=turns.at,
        waiting_for=turns.detail,
        nudge_seq=session.nudge_seq,
        last_signal_at=session.last_signal_at,
        signal_state=session.signal_state,
        nudge_state=session.signal_state,
        signal_text=session.signal_text,
        signal_source=session.signal_source,
        last_words=last_words,
        need=need.why if need else None,
        need_since=need.since if need else None,
        open_questions=list(questions),
        question=need.question if need else "",
    )
