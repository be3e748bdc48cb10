"""The rows of sessions as the dashboard shows them. A row is made once for all pages and kept until an event touches its session; what
depends on the user is added for each user."""

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from hark.api.calls.questions import open_questions
from hark.api.dashboard.shapes import MessageNote, SessionRow
from hark.api.shapes.sessions import session_info
from hark.daemon.service import Service
from hark.model.event import Event
from hark.model.ids import SessionId
from hark.model.message import Message, Status
from hark.model.session import Session
from hark.queue.ordering import delivery_order

MOST_NOTES = 20
TEXT = 200
_LOST = (Status.DEAD, Status.FAILED, Status.EXPIRED)
_UNSETTLED = (Status.UNCERTAIN, *_LOST)


class Board:
    def __init__(self, hark: Service) -> None:
        self._hark = hark
        self._rows: dict[str, SessionRow] = {}
        self._touched: Counter[str] = Counter()
        hark.bus.listen(self._on_event)

    def _on_event(self, event: Event) -> None:
        if event.session_id:
            self._rows.pop(event.session_id, None)
            self._touched[event.session_id] += 1

    async def all(self, user: str) -> list[SessionRow]:
        """Return the rows of all sessions on record, for a user."""
        return await self.of([session.id for session in self._hark.sessions.all()], user)

    async def of(self, session_ids: Sequence[str], user: str) -> list[SessionRow]:
        """Return the rows of those sessions that are on record, for a user."""
        seen = await self._hark.alerts.seen(user)
        rows = [await self._row(session_id) for session_id in session_ids]
        return [self._for_user(row, seen) for row in rows if row]

    def _for_user(self, row: SessionRow, seen: Mapping[str, int]) -> SessionRow:
        line = self._hark.last_lines.of(row.id)
        return msgspec.structs.replace(
            row,
            acked_seq=seen.get(row.id, 0),
            uncertain=[note for note in row.uncertain if f"message:{note.id}" not in seen],
            dead=[note for note in row.dead if f"message:{note.id}" not in seen],
            last_line=line.text,
            last_output_at=line.at,
        )

    async def _row(self, session_id: str) -> SessionRow | None:
        if session_id in self._rows:
            return self._rows[session_id]
        touched = self._touched[session_id]
        session = self._hark.sessions.known(session_id)
        if session is None:
            return None
        row = await self._make(session)
        if touched == self._touched[session_id]:
            self._rows[session_id] = row
        return row

    async def _make(self, session: Session) -> SessionRow:
        record = self._hark.record
        pending = delivery_order(await record.pending(SessionId(session.id)))
        unsettled = await record.messages(SessionId(session.id), MOST_NOTES, _UNSETTLED)
        turns = self._hark.turns.of(session.id)
        words = await record.last_words([session.id], TEXT)
        reason = pending[0].hold_reason if pending else None
        info = session_info(
            session, len(pending), reason, turns, words.get(session.id, ""), open_questions(self._hark, session)
        )
        details = {message.id: await self._detail(message) for message in unsettled}
        return SessionRow(
            **{name: getattr(info, name) for name in info.__struct_fields__},
            held=[_note(one) for one in pending[:MOST_NOTES] if one.status is Status.HELD],
            uncertain=[_note(one, details[one.id]) for one in unsettled if one.status is Status.UNCERTAIN],
            dead=[_note(one, details[one.id]) for one in unsettled if one.status in _LOST],
            oldest_pending_at=min((one.queued_at for one in pending), default=None),
        )

    async def _detail(self, message: Message) -> str:
        receipts = await self._hark.record.receipts(message.id)
        return receipts[-1].detail if receipts else ""


def _note(message: Message, detail: str = "") -> MessageNote:
    return MessageNote(
        id=message.id,
        sender=message.sender_name,
        status=message.status,
        reason=message.hold_reason,
        since=message.held_since or message.ended_at or message.queued_at,
        queued_at=message.queued_at,
        text=message.text[:TEXT],
        detail=detail[:TEXT],
    )
