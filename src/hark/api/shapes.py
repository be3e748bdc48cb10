"""The structs of the API's requests and responses. /openapi.json is generated from them."""

from datetime import datetime
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from hark.model.answer import Answer, AnswerSource
from hark.model.message import Authority, Carrier, Channel, HoldReason, Message, Mode, Receipt, Status
from hark.model.session import Session
from hark.model.signal import SignalSource, SignalState
from hark.queue.needs import Why, find_need
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
    phase: Phase = Phase.UNKNOWN
    """What the session's agent is doing, as far as hark knows."""
    phase_since: datetime | None = None
    waiting_for: str = ""
    """What the session's agent asks a human's permission for."""
    need: Why | None = None
    """Why the session needs a human; null if it needs nobody."""
    need_since: datetime | None = None
    """Since when the session has waited for a human; null if it needs nobody."""
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
    """True to never type the message: it waits until the session's agent checks its inbox."""
    queue: bool = False
    """True to keep the message if the session is gone, instead of refusing it."""
    waits: bool = False
    """True if the sender will wait until the message is completed: hark refuses a message that would make sessions wait for each other."""
    raw: bool = False
    """True to type the text without a header and apart from other messages: for the agent's own commands, such as /compact."""
    notify_on_delivery: bool = False
    notify_after_seconds: PositiveSeconds | None = None
    notify_on_failure: bool | None = None
    """True to tell the sender when the message cannot be delivered; null means: if the sender is a session."""
    as_user: bool = False
    """True to deliver the message only in ways that give it the authority of a user's prompt."""
    notify_on_stop: bool = False
    """True to send the sender's session a message when the turn of this message has stopped."""


class SendGroup(Send, frozen=True, kw_only=True):
    to: Annotated[list[str], Meta(min_length=1)]
    """The names and ids of the receiving sessions, and patterns: `crew/*`, or `*` for everyone but the sender."""


class Sent(Response, frozen=True, kw_only=True):
    id: str
    session_id: str
    session_name: str
    status: Status
    queue_position: int
    delivery_mode: Mode
    estimated_delivery: str
    """When the message will be delivered: `now`, `next_turn`, `after_earlier_messages`, `waiting_for_idle`,
    `when_the_inbox_is_checked`, or `waiting_for_` and the reason of the hold. For a message that does not wait any more it is
    the message's status."""
    interrupted: bool = False
    """True if hark interrupted a running turn for this message."""


class SentList(Response, frozen=True, kw_only=True):
    messages: list[Sent]


class Spawn(Request, frozen=True, kw_only=True):
    agent: str | None = None
    """The agent kind; by default the kind that hark recognises in `command`, or the default agent."""
    task: str
    """The text of the agent's first message, which hark delivers when the agent is ready."""
    name: str | None = None
    command: list[str] = []
    """The command that starts the agent; by default the program of its agent kind."""
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
    """True if the message waits until the agent checks its inbox."""


class SendQueue(Response, frozen=True, kw_only=True):
    session_id: str
    is_idle: bool | None
    """True if the agent is idle, false if it is not; null if hark does not know."""
    pending_count: int
    pending_messages: list[PendingMessage]
    saved_user_input: str | None
    """The draft that hark took out of the input box and has not put back yet."""
    pending_user_input: str | None = None
    """The text that the screen shows in the input box now; null if the box is empty or out of sight."""
    pending_input_first_seen: datetime | None = None
    """Since when hark has seen exactly `pending_user_input` in the box."""


class ReceiptInfo(Response, frozen=True, kw_only=True):
    status: Status
    at: datetime
    reason: HoldReason | None
    detail: str
    channel: Channel | None
    carrier: Carrier | None = None
    """The carrier that was chosen on the terminal channel, or `none` for an empty box; `had_draft` says whether it carried a draft."""
    authority: Authority | None = None
    had_draft: bool | None = None
    """True if a human's draft was carried out of the box, false if the box was empty, null if that is not known or no box was used."""


class AnswerInfo(Response, frozen=True, kw_only=True):
    text: str
    """The agent's final words of the turn in which it has worked on the message; empty if there are none."""
    source: AnswerSource
    """Where the words come from; `screen` may have more or less than the answer, `none` means that there is no answer."""
    is_cut: bool
    """True if the agent has said more than hark keeps, which is 256 KiB."""
    reason: str
    """Why there is no text, or why the text may not be the whole answer."""
    at: datetime


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
    """The authority with which the agent has received the message."""
    as_user: bool
    """True if the sender wants the message to reach the agent as a user's prompt, and nothing less."""
    queued_at: datetime
    timeout_at: datetime | None
    delivered_at: datetime | None
    acknowledged_at: datetime | None
    completed_at: datetime | None
    ended_at: datetime | None
    in_reply_to: str | None
    """The message that this message replies to."""
    thread_id: str
    """The first message of the thread; the message's own id if it replies to no message."""
    hops: int
    """How many replies lead from the first message of the thread to this one."""
    answer: AnswerInfo | None
    """The agent's answer; null in lists of messages, and for a message that has not completed by a turn."""
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


class Nothing(Response, frozen=True, kw_only=True):
    """An empty object."""

    note: str | UnsetType = UNSET


def session_info(
    session: Session, pending: int = 0, reason: HoldReason | None = None, turns: Turns | None = None
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
        need=need.why if need else None,
        need_since=need.since if need else None,
        question=need.question if need else "",
    )


def answer_info(answer: Answer) -> AnswerInfo:
    return AnswerInfo(text=answer.text, source=answer.source, is_cut=answer.is_cut, reason=answer.reason, at=answer.at)


def message_info(
    message: Message, session_name: str, receipts: list[Receipt], answer: Answer | None = None
) -> MessageInfo:
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
        in_reply_to=message.in_reply_to,
        thread_id=message.thread,
        hops=message.hops,
        answer=answer_info(answer) if answer else None,
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
