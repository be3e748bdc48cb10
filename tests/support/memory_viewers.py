"""The part of the store in memory that is about the dashboard."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime

from msgspec import structs

from hark.model.answer import Answer
from hark.model.event import Event, EventKind
from hark.model.ids import MessageId
from hark.model.message import Message
from hark.model.viewer import Browser, Hit, Notification
from hark.store.rules import NOTIFICATIONS_KEPT


class MemoryViewers:
    def __init__(self) -> None:
        self._browsers: dict[str, Browser] = {}
        self._seen: dict[str, dict[str, int]] = {}
        self._notifications: list[Notification] = []
        self._reports = 0

    def _check_open(self) -> None:
        raise NotImplementedError

    async def save_browser(self, browser: Browser) -> None:
        self._check_open()
        stored = self._browsers.get(browser.id, browser)
        self._browsers[browser.id] = structs.replace(
            stored, last_seen_at=browser.last_seen_at, expires_at=browser.expires_at
        )

    async def browsers(self) -> Sequence[Browser]:
        self._check_open()
        return sorted(self._browsers.values(), key=lambda browser: (browser.created_at, browser.id))

    async def delete_browser(self, browser_id: str) -> None:
        self._check_open()
        self._browsers.pop(browser_id, None)

    async def acknowledge(self, user: str, subject: str, seq: int, at: datetime) -> None:
        self._check_open()
        seen = self._seen.setdefault(user, {})
        seen[subject] = max(seq, seen.get(subject, seq))

    async def acknowledgements(self, user: str) -> dict[str, int]:
        self._check_open()
        return dict(self._seen.get(user, {}))

    async def forget_acknowledgements(self, subject: str) -> None:
        self._check_open()
        for seen in self._seen.values():
            seen.pop(subject, None)

    async def add_notification(self, notification: Notification) -> Notification:
        self._check_open()
        self._reports += 1
        stored = structs.replace(notification, sequence=self._reports)
        self._notifications = [*self._notifications, stored][-NOTIFICATIONS_KEPT:]
        return stored

    async def notifications(self, limit: int = 100) -> Sequence[Notification]:
        self._check_open()
        return self._notifications[::-1][:limit]


def find_hits(
    text: str, messages: Collection[Message], answers: Mapping[MessageId, Answer], events: Sequence[Event]
) -> Iterator[Hit]:
    wanted = text.lower()
    for message in messages:
        place = {"session_id": message.session_id, "message_id": message.id}
        if wanted in message.text.lower() or wanted in (message.sender_name or "").lower():
            yield Hit(kind="message", at=message.queued_at, text=message.text, **place)
        answer = answers.get(message.id)
        if answer and wanted in answer.text.lower():
            yield Hit(kind="answer", at=answer.at, text=answer.text, **place)
    for event in events:
        said = f"{event.data.get('state')}: {event.data.get('text') or ''}"
        if event.kind is EventKind.SIGNAL and wanted in said.lower():
            yield Hit(
                kind="signal", at=event.at, session_id=event.session_id or "", message_id=event.message_id, text=said
            )
