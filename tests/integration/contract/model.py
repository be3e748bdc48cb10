"""What a store must answer, said as simply as possible and without the code it checks."""

from datetime import datetime

from hark.model.errors import HarkError
from hark.model.ids import MessageId, SessionId
from hark.model.message import Lease, Message, Mode, Status
from hark.model.session import SessionState
from hark.queue.lifecycle import Step

PENDING = ("queued", "held", "staged")
RANKS = {Mode.URGENT: 0, Mode.IMPORTANT: 1, Mode.SEQUENTIAL: 2}
LEGAL = {
    "queued": "held staged expired cancelled dead",
    "queued in box": "held staged uncertain",
    "held": "queued held expired cancelled dead",
    "held in box": "queued held uncertain",
    "staged": "submitted acknowledged queued held expired cancelled uncertain",
    "staged native": "submitted acknowledged queued held uncertain",
    "staged hook": "submitted acknowledged queued held uncertain",
    "submitted": "acknowledged completed interrupted failed queued",
    "acknowledged": "completed interrupted failed queued",
    "completed": "queued",
    "interrupted": "queued",
    "uncertain": "submitted acknowledged completed interrupted queued cancelled dead",
    "dead": "queued",
}
LEGAL_IN_INBOX = {
    "queued": "submitted expired cancelled",
    "submitted": "acknowledged completed failed",
    "acknowledged": "completed failed",
}


class Life:
    def __init__(self, message: Message, arrival: int) -> None:
        self.message = message
        self.arrival = arrival
        self.history = [Status.QUEUED]
        self.attempts = 0
        self.attempted_at: datetime | None = None
        self.channel: str | None = None
        self.timeout_at = message.timeout_at

    @property
    def status(self) -> Status:
        return self.history[-1]

    @property
    def row(self) -> str:
        """The row of the table of what may become of the message."""
        if self.status == "staged" and self.channel in ("native", "hook"):
            return f"staged {self.channel}"
        is_marked = self.status in ("queued", "held") and self.attempted_at is not None
        return f"{self.status} in box" if is_marked else self.status

    @property
    def is_pending(self) -> bool:
        return self.status in PENDING


class Model:
    def __init__(self) -> None:
        self.sessions: dict[SessionId, tuple[str, SessionState]] = {}
        self.messages: dict[MessageId, Life] = {}
        self.arrivals = 0
        self.holders: dict[SessionId, tuple[str, int, datetime]] = {}
        self.fences: dict[SessionId, int] = {}

    # sessions

    def add_session(self, session_id: SessionId, name: str, state: SessionState) -> None:
        self._need(not self._is_taken(name, session_id), "name-taken")
        self._need(session_id not in self.sessions, "internal")
        self._take_name(name, session_id)
        self.sessions[session_id] = (name, state)

    def change_session(self, session_id: SessionId, name: str = "", state: SessionState | None = None) -> str:
        self._need(session_id in self.sessions, "session-not-found")
        old_name, old_state = self.sessions[session_id]
        self._take_name(name or old_name, session_id)
        self.sessions[session_id] = (name or old_name, state or old_state)
        return name or old_name

    def remove_session(self, session_id: SessionId) -> None:
        self._need(session_id in self.sessions, "session-not-found")
        del self.sessions[session_id]
        self.messages = {i: life for i, life in self.messages.items() if life.message.session_id != session_id}
        self.holders.pop(session_id, None)
        self.fences.pop(session_id, None)

    def _is_taken(self, name: str, wanted_by: SessionId) -> bool:
        return any(n == name and s != "gone" for i, (n, s) in self.sessions.items() if i != wanted_by)

    def _take_name(self, name: str, taker: SessionId) -> None:
        self._need(not self._is_taken(name, taker), "name-taken")
        for session_id, (held, state) in self.sessions.items():
            if held == name and session_id != taker:
                self.sessions[session_id] = (f"{name}~{session_id}", state)

    # messages

    def enqueue(self, message: Message) -> tuple[MessageId, int, bool]:
        self._need(message.session_id in self.sessions, "session-not-found")
        for message_id, life in self.messages.items():
            old = life.message
            if message.idempotency_key and (old.session_id, old.idempotency_key) == (
                message.session_id,
                message.idempotency_key,
            ):
                self._need(old.text == message.text, "idempotency-conflict")
                return message_id, self._position(message_id), False
        self.arrivals += 1
        self.messages[message.id] = Life(message, self.arrivals)
        return message.id, self._position(message.id), True

    def move(self, message_id: MessageId, step: Step, fence: int | None) -> Status:
        self._need(message_id in self.messages, "message-not-found")
        life = self.messages[message_id]
        self._check_fence(life, fence)
        following = LEGAL_IN_INBOX.get(life.status, "") if life.message.is_inbox else LEGAL.get(life.row, "")
        self._need(step.status in following.split(), "transition-illegal")
        self._need((step.reason is not None) == (step.status == "held"), "transition-illegal")
        if step.status == "queued" and life.status in ("dead", "uncertain"):
            life.attempts, life.timeout_at = 0, None
        life.history.append(step.status)
        life.channel = step.channel or life.channel
        if not (step.is_in_box or step.status == "staged"):
            life.attempted_at = None
        elif step.is_in_box and life.attempted_at is None:
            life.attempted_at = step.at
        return step.status

    def begin_attempt(self, message_id: MessageId, at: datetime, fence: int) -> int:
        self._need(message_id in self.messages, "message-not-found")
        life = self.messages[message_id]
        self._check_fence(life, fence)
        self._need(life.status == "queued" and not life.message.is_inbox, "transition-illegal")
        life.attempts += 1
        life.attempted_at = at
        return life.attempts

    def _check_fence(self, life: Life, fence: int | None) -> None:
        holder = self.holders.get(life.message.session_id)
        self._need(fence is None or (holder is not None and holder[1] == fence), "lease-lost")

    def pending(self) -> list[MessageId]:
        return [message_id for message_id, life in self.messages.items() if life.is_pending]

    def expired(self, now: datetime) -> list[MessageId]:
        over = [(at, n, i) for at, n, i in self._timeouts() if at <= now]
        return [message_id for _, _, message_id in sorted(over)]

    def next_timeout(self) -> datetime | None:
        return min((at for at, _, _ in self._timeouts()), default=None)

    def _timeouts(self) -> list[tuple[datetime, int, MessageId]]:
        pending = ((life.timeout_at, life.arrival, i) for i, life in self.messages.items() if life.is_pending)
        return [(at, arrival, message_id) for at, arrival, message_id in pending if at]

    def order(self, session_id: SessionId) -> list[MessageId]:
        queue = [life for life in self._waiting(session_id) if not life.message.is_inbox]
        queue.sort(key=lambda life: (life.status != "staged", RANKS[life.message.mode], life.arrival))
        return [life.message.id for life in queue]

    def take_inbox(self, session_id: SessionId, now: datetime, limit: int) -> list[MessageId]:
        self._need(session_id in self.sessions, "session-not-found")
        over = self.expired(now)
        inbox = [life for life in self._waiting(session_id) if life.message.is_inbox and life.message.id not in over]
        inbox.sort(key=lambda life: (RANKS[life.message.mode], life.arrival))
        for life in inbox[:limit]:
            life.history.append(Status.SUBMITTED)
        return [life.message.id for life in inbox[:limit]]

    def _waiting(self, session_id: SessionId) -> list[Life]:
        return [life for life in self.messages.values() if life.is_pending and life.message.session_id == session_id]

    def _position(self, message_id: MessageId) -> int:
        order = self.order(self.messages[message_id].message.session_id)
        return order.index(message_id) + 1 if message_id in order else 0

    # leases

    def acquire(self, session_id: SessionId, owner: str, now: datetime, until: datetime) -> int | None:
        self._need(session_id in self.sessions, "session-not-found")
        holder, fence, expires_at = self.holders.get(session_id, ("", 0, now))
        if holder not in ("", owner) and expires_at > now:
            return None
        if holder != owner:
            fence = self.fences[session_id] = self.fences.get(session_id, 0) + 1
        self.holders[session_id] = (owner, fence, until)
        return fence

    def release(self, lease: Lease) -> None:
        if self.holders.get(lease.session_id, ("", 0))[:2] == (lease.owner, lease.fence):
            del self.holders[lease.session_id]

    def _need(self, condition: bool, code: str) -> None:
        if not condition:
            raise HarkError(code, "refused by the model")
