"""Who is alerted to a signal, and who has seen it.

Two numbers are kept for each session. What a *user* has seen (`acknowledge`) is the same on all devices: the phone is silent when the
laptop was looked at. What a *browser* has alerted to (`report`) is the browser's own: its second tab and its next page are silent. A tab
asks before it alerts (`claim`), and only one tab of a browser gets a yes at a time. A claim that no report follows ends, because a tab
that is closed or may not play a sound must not swallow an alert.
"""

from collections.abc import Callable
from datetime import datetime

from msgspec import Struct, structs

from hark.daemon.bus import Bus
from hark.daemon.registry.sessions import Sessions
from hark.model.event import Event, EventKind
from hark.model.viewer import AlertChannel, AlertOutcome, Notification
from hark.store.contract import Store

CLAIM_S = 10.0


class Looker(Struct, frozen=True, kw_only=True):
    """One open page, and what its human looks at."""

    user: str
    browser_id: str | None
    """The browser of the page; None for a program."""
    is_read_only: bool = False
    is_focused: bool = False
    """True if the page is visible and has the focus."""
    session_id: str | None = None
    """The session that the page shows."""

    @property
    def device(self) -> str:
        """The name under which it is stored what this browser has alerted to."""
        return f"browser:{self.browser_id}" if self.browser_id else f"user:{self.user}"


class Report(Struct, frozen=True, kw_only=True):
    """What a page says about one of its alerts."""

    session_id: str
    nudge_seq: int
    channel: AlertChannel
    outcome: AlertOutcome
    reason: str


class Listener(Struct, frozen=True, kw_only=True):
    """Whom to tell what happens at other pages."""

    on_acknowledged: Callable[[str, int], None]
    on_presence: Callable[[int], None]


class Page:
    """One connection of a page."""

    def __init__(self, looker: Looker, listener: Listener) -> None:
        self.looker = looker
        self.listener = listener


class Alerts:
    def __init__(
        self, store: Store, sessions: Sessions, bus: Bus, clock: Callable[[], datetime], elapsed_s: Callable[[], float]
    ) -> None:
        self._store = store
        self._sessions = sessions
        self._bus = bus
        self._clock = clock
        self._elapsed_s = elapsed_s
        self._seen: dict[str, dict[str, int]] = {}
        self._pages: set[Page] = set()
        self._claims: dict[tuple[str, str], tuple[Page, int, float]] = {}

    async def run(self) -> None:
        """Take in every event from now on."""
        async for event in self._bus.follow(await self._store.last_event_seq(), _is_for_alerts):
            await self._heed(event)

    async def seen(self, user: str) -> dict[str, int]:
        """Return how far a user has seen each subject."""
        if user not in self._seen:
            stored = await self._store.acknowledgements(user)
            self._seen.setdefault(user, stored)
        return self._seen[user]

    def join(self, page: Page) -> Callable[[], None]:
        self._pages.add(page)

        def part() -> None:
            self._pages.discard(page)
            self._claims = {key: claim for key, claim in self._claims.items() if claim[0] is not page}
            self._tell_presence(page.looker.user)

        return part

    async def look(self, page: Page, *, is_focused: bool, session_id: str | None) -> None:
        """Take note of what the human at a page looks at. Whoever looks at a session has seen its signals."""
        before = page.looker
        page.looker = structs.replace(before, is_focused=is_focused, session_id=session_id)
        if before.is_focused != is_focused:
            self._tell_presence(before.user)
        session = self._sessions.known(session_id) if session_id else None
        if is_focused and session and not before.is_read_only:
            await self.acknowledge(before.user, session.id, session.nudge_seq)

    async def acknowledge(self, user: str, subject: str, seq: int) -> int:
        """Store that the user has seen the subject up to `seq`, and tell all pages of the user. Return how far the user has seen it."""
        seen = await self.seen(user)
        if seq > seen.get(subject, 0):
            await self._store.acknowledge(user, subject, seq, self._clock())
            seen[subject] = max(seq, seen.get(subject, 0))
            for page in tuple(self._pages):
                if page.looker.user == user:
                    page.listener.on_acknowledged(subject, seen[subject])
        return seen.get(subject, 0)

    async def claim(self, page: Page, session_id: str, nudge_seq: int) -> str:
        """Let a page alert to a signal. Return why it must not; an empty text lets it."""
        looker = page.looker
        if nudge_seq <= (await self.seen(looker.user)).get(session_id, 0):
            return "acknowledged"
        if nudge_seq <= (await self.seen(looker.device)).get(session_id, 0):
            return "alerted"
        session = self._sessions.known(session_id)
        if session is None or nudge_seq != session.nudge_seq:
            return "old"
        if self._is_looked_at(page, session_id):
            await self.acknowledge(looker.user, session_id, nudge_seq)
            return "looked-at-elsewhere"
        holder, claimed, until_s = self._claims.get((looker.device, session_id), (page, 0, 0.0))
        if holder is not page and claimed == nudge_seq and until_s > self._elapsed_s():
            return "claimed-elsewhere"
        self._claims[looker.device, session_id] = (page, nudge_seq, self._elapsed_s() + CLAIM_S)
        return ""

    async def report(self, looker: Looker, report: Report) -> Notification:
        """Store what became of an alert. An alert that was shown is not shown by this browser again; one that failed can be claimed
        again."""
        self._claims.pop((looker.device, report.session_id), None)
        if report.outcome is AlertOutcome.SHOWN:
            seen = await self.seen(looker.device)
            seen[report.session_id] = max(report.nudge_seq, seen.get(report.session_id, 0))
            await self._store.acknowledge(looker.device, report.session_id, report.nudge_seq, self._clock())
        return await self._store.add_notification(
            Notification(
                at=self._clock(),
                user=looker.user,
                browser_id=looker.browser_id,
                session_id=report.session_id,
                nudge_seq=report.nudge_seq,
                channel=report.channel,
                outcome=report.outcome,
                reason=report.reason,
            )
        )

    async def _heed(self, event: Event) -> None:
        """Take in an event: whoever looks at a session when it signals has seen the signal; what is forgotten needs no memory."""
        if event.session_id is None:
            return
        if event.kind is EventKind.SESSION_FORGOTTEN:
            await self._store.forget_acknowledgements(event.session_id)
            for seen in self._seen.values():
                seen.pop(event.session_id, None)
        elif event.kind is EventKind.SIGNAL:
            for user in {page.looker.user for page in self._pages if _looks_at(page.looker, event.session_id)}:
                await self.acknowledge(user, event.session_id, int(event.data.get("nudge_seq") or 0))

    def _is_looked_at(self, page: Page, session_id: str) -> bool:
        """Return True if another browser of the same user shows the session to its human now."""
        mine = page.looker
        others = (one.looker for one in self._pages if one.looker.device != mine.device)
        return any(other.user == mine.user and _looks_at(other, session_id) for other in others)

    def _tell_presence(self, user: str) -> None:
        pages = [page for page in self._pages if page.looker.user == user]
        for page in pages:
            others = {one.looker.device for one in pages if one.looker.is_focused and not one.looker.is_read_only}
            page.listener.on_presence(len(others - {page.looker.device}))


def _looks_at(looker: Looker, session_id: str) -> bool:
    return looker.is_focused and looker.session_id == session_id and not looker.is_read_only


def _is_for_alerts(event: Event) -> bool:
    return event.kind in (EventKind.SIGNAL, EventKind.SESSION_FORGOTTEN)
