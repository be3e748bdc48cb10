"""The JSON frames of the WebSocket `/live`. docs/dashboard.md says when each is sent."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

from hark.api.dashboard.access import Me
from hark.api.dashboard.shapes import LastLine, SessionRow, Snapshot
from hark.api.shapes.system import EventInfo
from hark.model.viewer import AlertChannel, AlertOutcome

Number = Annotated[int, Meta(ge=0, le=2**53)]
Terminal = Annotated[int, Meta(ge=1, le=2**31)]
Id = Annotated[str, Meta(max_length=200)]
MOST_KEYS = 65536


class ClientFrame(Struct, frozen=True, kw_only=True, tag_field="type", forbid_unknown_fields=True):
    """A frame from the page."""


class Hello(ClientFrame, frozen=True, kw_only=True, tag="hello"):
    after: Number | None = None
    """The seq of the last event that the page has taken in; null for a snapshot."""
    instance: Id | None = None


class AcknowledgeFrame(ClientFrame, frozen=True, kw_only=True, tag="acknowledge"):
    subject: Id
    seq: Number


class Claim(ClientFrame, frozen=True, kw_only=True, tag="claim"):
    session_id: Id
    nudge_seq: Number


class Notified(ClientFrame, frozen=True, kw_only=True, tag="notified"):
    session_id: Id
    nudge_seq: Number
    channel: AlertChannel
    outcome: AlertOutcome
    reason: Annotated[str, Meta(max_length=500)] = ""


class Presence(ClientFrame, frozen=True, kw_only=True, tag="presence"):
    is_visible: bool
    is_focused: bool
    session_id: Id | None = None


class Ping(ClientFrame, frozen=True, kw_only=True, tag="ping"):
    id: Id = ""


class Attach(ClientFrame, frozen=True, kw_only=True, tag="attach"):
    terminal: Terminal
    session: Id
    stream: Id | None = None
    after: Number | None = None
    history: Annotated[int, Meta(ge=0, le=50_000)] = 1000


class Detach(ClientFrame, frozen=True, kw_only=True, tag="detach"):
    terminal: Terminal


class Received(ClientFrame, frozen=True, kw_only=True, tag="received"):
    terminal: Terminal
    seq: Number


class TakeSize(ClientFrame, frozen=True, kw_only=True, tag="take-size"):
    terminal: Terminal
    columns: Annotated[int, Meta(ge=20, le=500)]
    rows: Annotated[int, Meta(ge=5, le=200)]


class LeaveSize(ClientFrame, frozen=True, kw_only=True, tag="leave-size"):
    terminal: Terminal


class TakeKeyboard(ClientFrame, frozen=True, kw_only=True, tag="take-keyboard"):
    terminal: Terminal


class LeaveKeyboard(ClientFrame, frozen=True, kw_only=True, tag="leave-keyboard"):
    terminal: Terminal


class Keys(ClientFrame, frozen=True, kw_only=True, tag="keys"):
    terminal: Terminal
    data: Annotated[str, Meta(max_length=MOST_KEYS)]
    is_binary: bool = False
    """True if every character of `data` is one byte."""


class HistoryRequest(ClientFrame, frozen=True, kw_only=True, tag="history"):
    terminal: Terminal
    id: Id
    before: Number = 0
    """The first line that is known already; 0 asks for the newest lines."""
    lines: Annotated[int, Meta(ge=1, le=5000)] = 1000


AnyClientFrame = (
    Hello
    | AcknowledgeFrame
    | Claim
    | Notified
    | Presence
    | Ping
    | Attach
    | Detach
    | Received
    | TakeSize
    | LeaveSize
    | TakeKeyboard
    | LeaveKeyboard
    | Keys
    | HistoryRequest
)
TerminalFrame = Attach | Detach | Received | TakeSize | LeaveSize | TakeKeyboard | LeaveKeyboard | Keys | HistoryRequest
WRITES = (AcknowledgeFrame, Notified, TakeSize, TakeKeyboard, Keys)
"""The frames that change something: a browser that may only look must not send them."""


class ServerFrame(Struct, frozen=True, kw_only=True, tag_field="type"):
    """A frame from the daemon."""


class Welcome(ServerFrame, frozen=True, kw_only=True, tag="welcome"):
    me: Me
    seq: int
    is_resumed: bool


class SnapshotFrame(ServerFrame, frozen=True, kw_only=True, tag="snapshot"):
    snapshot: Snapshot


class EventFrame(ServerFrame, frozen=True, kw_only=True, tag="event"):
    event: EventInfo


class SessionFrame(ServerFrame, frozen=True, kw_only=True, tag="session"):
    seq: int
    session: SessionRow


class Forgotten(ServerFrame, frozen=True, kw_only=True, tag="forgotten"):
    seq: int
    session_id: str


class Lines(ServerFrame, frozen=True, kw_only=True, tag="lines"):
    lines: dict[str, LastLine]


class AcknowledgedFrame(ServerFrame, frozen=True, kw_only=True, tag="acknowledged"):
    subject: str
    seq: int


class Claimed(ServerFrame, frozen=True, kw_only=True, tag="claimed"):
    session_id: str
    nudge_seq: int
    is_yours: bool
    reason: str
    """Why the page must not alert: acknowledged, alerted, old, claimed-elsewhere or looked-at-elsewhere; empty if it may."""


class PresenceFrame(ServerFrame, frozen=True, kw_only=True, tag="presence"):
    others_focused: int


class Pong(ServerFrame, frozen=True, kw_only=True, tag="pong"):
    id: str


class RefusedFrame(ServerFrame, frozen=True, kw_only=True, tag="refused"):
    re: str
    """The type of the frame that was refused."""
    terminal: int | None
    code: str
    detail: str
    hint: str


class KeyboardInfo(Struct, frozen=True, kw_only=True):
    browser_id: str
    user: str
    is_you: bool
    since: datetime


class Attached(ServerFrame, frozen=True, kw_only=True, tag="attached"):
    terminal: int
    session_id: str
    stream: str
    columns: int
    rows: int
    history: int
    """How many lines have scrolled off the top of the screen, as far as tmux keeps them."""
    viewers: int
    keyboard: KeyboardInfo | None
    sized_by: str | None
    is_resumed: bool


class Viewers(ServerFrame, frozen=True, kw_only=True, tag="viewers"):
    terminal: int
    viewers: int
    keyboard: KeyboardInfo | None
    sized_by: str | None


class Resized(ServerFrame, frozen=True, kw_only=True, tag="resized"):
    terminal: int
    columns: int
    rows: int
    stream: str
    """The stream to name when the page comes back: positions of the old one mean nothing any more."""


class Ended(ServerFrame, frozen=True, kw_only=True, tag="ended"):
    terminal: int
    reason: str


class History(ServerFrame, frozen=True, kw_only=True, tag="history"):
    terminal: int
    id: str
    first: int
    total: int
    text: str


class Bye(ServerFrame, frozen=True, kw_only=True, tag="bye"):
    reason: str
    """`stopping`, `revoked` or `slow`."""


AnyServerFrame = (
    Welcome
    | SnapshotFrame
    | EventFrame
    | SessionFrame
    | Forgotten
    | Lines
    | AcknowledgedFrame
    | Claimed
    | PresenceFrame
    | Pong
    | RefusedFrame
    | Attached
    | Viewers
    | Resized
    | Ended
    | History
    | Bye
)
