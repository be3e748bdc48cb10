"""What goes over the wire: requests and responses as structs. /openapi.json is generated from these."""

from datetime import datetime
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from hark.model.message import Authority, Carrier, Channel, HoldReason, Message, Mode, Receipt, Status
from hark.model.session import Session
from hark.model.signal import SignalSource, SignalState
from hark.queue.turns import Phase, Turns

PositiveSeconds = Annotated[float, Meta(gt=0, le=366 * 86400)]


class Request(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class Response(Struct, frozen=True, kw_only=True):
    pass


class Problem(Response, frozen=True, kw_only=True):
    """RFC 9457 problem details, with a stable `code` and a `hint` that says what to do next."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    code: str
    hint: str


class Beside(Request, frozen=True, kw_only=True):
    pane_id: Annotated[str, Meta(pattern="^%[0-9]+$")]
    is_split: bool = False
    """In a new pane of its window; otherwise in a new window after it."""
    is_shown: bool = False
    """Make it the current one, so that terminals that show that tmux session show it."""


class NewSession(Request, frozen=True, kw_only=True):
    command: list[str] = []
    """By default the program of `agent`, or of the default agent."""
    name: str | None = None
    agent: str | None = None
    directory: str | None = None
    environment: dict[str, str] = {}
    columns: Annotated[int, Meta(ge=20, le=1000)] = 120
    rows: Annotated[int, Meta(ge=5, le=500)] = 40
    socket_name: str | None = None
    """tmux -L: the server to start it in; hark's own by default."""
    socket_path: str | None = None
    """tmux -S"""
    is_plain: bool = False
    """Without a status line: it shall look like the plain program."""
    has_signals: bool = False
    """Teach the agent to signal: for this run where it takes instructions without a file, else by a first message."""
    beside: Beside | None = None
    """In a window or a pane beside this one of that server, instead of a tmux session of its own."""


class RunInPane(Request, frozen=True, kw_only=True):
    target: str
    socket_path: str
    command: Annotated[list[str], Meta(min_length=1)]
    directory: str
    environment: dict[str, str] = {}
    """What the agent will run in."""
    name: str | None = None
    agent: str | None = None
    has_signals: bool = False
    """Teach the agent to signal, as for a new session."""


class AdoptPane(Request, frozen=True, kw_only=True):
    target: str
    name: str | None = None
    agent: str | None = None
    has_signals: bool = False
    """Teach the agent to signal by a message, unless its instruction file does already."""
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
    """Socket of the airlock in front of the agent, where there is one."""
    created_at: datetime
    gone_at: datetime | None
    do_not_disturb_since: datetime | None
    """Since when a human has held all messages to it."""
    pending_count: int
    hold_reason: HoldReason | None
    """Why the first waiting message waits."""
    nudge_seq: int
    """How many signals its agent has given."""
    last_signal_at: datetime | None
    signal_state: SignalState | None = None
    """What its agent announced last; none when that is over."""
    nudge_state: SignalState | None = None
    """The same as signal_state, under the name that belongs to nudge_seq."""
    signal_text: str = ""
    signal_source: SignalSource | None = None
    """How that was heard."""
    phase: Phase = Phase.UNKNOWN
    """What its agent is doing, as far as it is known."""
    phase_since: datetime | None = None
    waiting_for: str = ""
    """What it asks a human's permission for."""


class Started(Response, frozen=True, kw_only=True):
    session: SessionInfo
    words: list[str]
    """The command that starts the agent behind its airlock."""
    environment: dict[str, str]
    """What is to be added to the environment."""


class SessionList(Response, frozen=True, kw_only=True):
    sessions: list[SessionInfo]


class OutputText(Response, frozen=True, kw_only=True):
    session_id: str
    lines: list[str]


class Send(Request, frozen=True, kw_only=True):
    text: str
    sender_session_id: str | None = None
    sender_name: str | None = None
    delivery_mode: Mode = Mode.SEQUENTIAL
    timeout_seconds: PositiveSeconds | None = None
    inbox: bool = False
    """Never typed: it waits until the session's agent checks its inbox."""
    raw: bool = False
    """Without a header, and alone: for the agent's own commands, such as /compact."""
    notify_on_delivery: bool = False
    notify_after_seconds: PositiveSeconds | None = None
    notify_on_failure: bool | None = None
    """null: where the sender is a session."""
    as_user: bool = False
    """Only in ways that give it the authority of a user's prompt."""
    notify_on_stop: bool = False
    """The sender's session is sent a message when the turn of this one has stopped."""


class SendGroup(Send, frozen=True, kw_only=True):
    to: Annotated[list[str], Meta(min_length=1)]
    """Names, ids, and patterns: `crew/*`, or `*` for everyone but the sender."""


class Sent(Response, frozen=True, kw_only=True):
    id: str
    session_id: str
    session_name: str
    status: Status
    queue_position: int
    delivery_mode: Mode
    estimated_delivery: str
    """`now`, `next_turn`, `after_earlier_messages`, `waiting_for_idle`, `when_the_inbox_is_checked`, or `waiting_for_` and the
    reason of the hold; the status of a message that does not wait any more."""
    interrupted: bool = False
    """A running turn was interrupted for it."""


class SentList(Response, frozen=True, kw_only=True):
    messages: list[Sent]


class Spawn(Request, frozen=True, kw_only=True):
    agent: str | None = None
    """By default known from the command, or the default agent."""
    task: str
    """Its first message, delivered when it is ready."""
    name: str | None = None
    command: list[str] = []
    """How the agent is started; by its kind's own program by default."""
    directory: str | None = None
    environment: dict[str, str] = {}
    sender_session_id: str | None = None
    sender_name: str | None = None
    notify_on_stop: bool = False


class Spawned(Response, frozen=True, kw_only=True):
    session: SessionInfo
    message: Sent


class PendingMessage(Response, frozen=True, kw_only=True):
    id: str
    sender: str | None
    queued_at: datetime
    timeout_at: datetime | None
    status: Status
    reason: HoldReason | None
    held_since: datetime | None
    delivery_mode: Mode
    text: str
    is_inbox: bool
    """It waits until the agent checks its inbox."""


class SendQueue(Response, frozen=True, kw_only=True):
    session_id: str
    is_idle: bool | None
    """null: not known."""
    pending_count: int
    pending_messages: list[PendingMessage]
    saved_user_input: str | None
    """A draft that was taken out of the box and is not back yet."""
    pending_user_input: str | None = None
    """What stands in the input box now, as the screen shows it; null also where the box is out of sight."""
    pending_input_first_seen: datetime | None = None
    """Since when hark has seen exactly that in the box."""


class ReceiptInfo(Response, frozen=True, kw_only=True):
    status: Status
    at: datetime
    reason: HoldReason | None
    detail: str
    channel: Channel | None
    carrier: Carrier | None = None
    """On the terminal channel: which carrier was chosen, or `none` for an empty box; `had_draft` says whether it had to carry."""
    authority: Authority | None = None
    had_draft: bool | None = None
    """true: a human's draft was carried out of the box; false: the box was empty; null: not known, or no box in between."""


class MessageInfo(Response, frozen=True, kw_only=True):
    id: str
    session_id: str
    session_name: str
    sender_session_id: str | None
    sender: str | None
    text: str
    delivery_mode: Mode
    status: Status
    reason: HoldReason | None
    held_since: datetime | None
    attempts: int
    channel: Channel | None
    authority: Authority | None
    """As what the agent has got it."""
    as_user: bool
    """The sender wants it to be a user's prompt, and nothing less."""
    queued_at: datetime
    timeout_at: datetime | None
    delivered_at: datetime | None
    acknowledged_at: datetime | None
    completed_at: datetime | None
    ended_at: datetime | None
    receipts: list[ReceiptInfo]


class MessageList(Response, frozen=True, kw_only=True):
    messages: list[MessageInfo]


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
    """Of ours, as the agent's environment has it."""
    socket: str | None = None
    pane_id: str | None = None
    payload: dict[str, Any] = {}


class HookTaken(Response, frozen=True, kw_only=True):
    session_id: str | None


class Restart(Request, frozen=True, kw_only=True):
    command: Annotated[list[str], Meta(min_length=1)] | None = None
    """The program that takes the daemon's place, such as that of a newer hark; its own by default."""
    is_upgrade: bool = False
    """Nobody has asked for it: only where the settings allow it, and when no delivery is under way."""


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
    """Another one after every start."""


class Nothing(Response, frozen=True, kw_only=True):
    """An empty object."""

    note: str | UnsetType = UNSET


def session_info(
    session: Session, pending: int = 0, reason: HoldReason | None = None, turns: Turns | None = None
) -> SessionInfo:
    turns = turns or Turns()
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
    )


def message_info(message: Message, session_name: str, receipts: list[Receipt]) -> MessageInfo:
    return MessageInfo(
        id=message.id,
        session_id=message.session_id,
        session_name=session_name,
        sender_session_id=message.sender_session_id,
        sender=message.sender_name,
        text=message.text,
        delivery_mode=message.mode,
        status=message.status,
        reason=message.hold_reason,
        held_since=message.held_since,
        attempts=message.attempts,
        channel=message.channel,
        authority=message.authority,
        as_user=message.is_as_user,
        queued_at=message.queued_at,
        timeout_at=message.timeout_at,
        delivered_at=message.delivered_at,
        acknowledged_at=message.acknowledged_at,
        completed_at=message.completed_at,
        ended_at=message.ended_at,
        receipts=[
            ReceiptInfo(
                status=r.status,
                at=r.at,
                reason=r.reason,
                detail=r.detail,
                channel=r.channel,
                carrier=r.carrier,
                authority=r.authority,
                had_draft=r.had_draft,
            )
            for r in receipts
        ],
    )


def pending_message(message: Message) -> PendingMessage:
    return PendingMessage(
        id=message.id,
        sender=message.sender_name,
        queued_at=message.queued_at,
        timeout_at=message.timeout_at,
        status=message.status,
        reason=message.hold_reason,
        held_since=message.held_since,
        delivery_mode=message.mode,
        text=message.text,
        is_inbox=message.is_inbox,
    )
