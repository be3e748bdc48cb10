"""What happened while somebody was away, from the events, in the order in which it happened."""

from collections import Counter
from collections.abc import Callable

from hark.api.dashboard.shapes import AwayItem
from hark.model.event import Event, EventKind

_FAILED = ("uncertain", "dead", "failed", "expired")
_ASIDE = frozenset({"working"})
TEXT = 300


def item_of(event: Event, name_of: Callable[[str], str]) -> AwayItem | None:
    """Return what an event means for somebody who was away; None if it means nothing."""
    said = _words(event)
    if said is None or event.session_id is None:
        return None
    kind, text = said
    name = str(event.data.get("name") or "") or name_of(event.session_id)
    return AwayItem(
        seq=event.seq,
        at=event.at,
        kind=kind,
        session_id=event.session_id,
        session_name=name,
        message_id=event.message_id,
        text=text[:TEXT],
    )


def _words(event: Event) -> tuple[str, str] | None:
    data = event.data
    match event.kind:
        case EventKind.SIGNAL if data.get("state") not in _ASIDE:
            return "signal", f"{data.get('state')}: {data.get('text') or ''}".rstrip(": ")
        case EventKind.TURN if data.get("phase") == "waiting":
            return "permission", str(data.get("detail") or "")
        case EventKind.SESSION_CREATED | EventKind.SESSION_RESTARTED:
            return "started", ""
        case EventKind.SESSION_GONE:
            return "gone", str(data.get("because") or data.get("reason") or "")
        case EventKind.MESSAGE if data.get("status") in _FAILED:
            return "failed", f"{data['status']}: {data.get('detail') or ''}".rstrip(": ")
        case EventKind.MESSAGE if data.get("status") == "completed":
            answer = data.get("answer")
            return "completed", str(answer.get("text") or "") if isinstance(answer, dict) else ""
    return None


def count_kinds(items: list[AwayItem]) -> dict[str, int]:
    return dict(Counter(item.kind for item in items))
