"""Calls for what the dashboard reads beside its WebSocket: the snapshot, the search, the overview, what happened, and alerts."""

from datetime import timedelta

from starlette.requests import Request
from starlette.responses import Response

from hark.api.dashboard.access import me_info, viewer_of
from hark.api.dashboard.away import count_kinds, item_of
from hark.api.dashboard.live import make_snapshot
from hark.api.dashboard.shapes import (
    AwayFeed,
    HourNumbers,
    NotificationInfo,
    NotificationList,
    NotificationReport,
    OverviewNumbers,
    SearchHit,
    SearchResults,
    Seen,
    SeenInfo,
    Snapshot,
)
from hark.api.dashboard.story import tell
from hark.api.route import Call, Query, query_number
from hark.api.service import service_of
from hark.daemon.process.clock import wall_clock
from hark.daemon.service import Service
from hark.daemon.viewing.alerts import Looker, Report
from hark.model.errors import HarkError
from hark.model.viewer import Hit, Notification
from hark.queue.reports.needs import survey
from hark.queue.reports.statistics import Histogram, Statistics

LONGEST_SEARCH = 200
EXCERPT = 300
MOST_READ = 20_000
"""How many events are read for one feed of what happened."""
_FAILED = ("uncertain", "dead", "failed", "expired")


def _name_of(hark: Service, session_id: str) -> str:
    session = hark.sessions.known(session_id)
    return session.name if session else session_id


async def get_snapshot(request: Request, _: None) -> Snapshot:
    return await make_snapshot(service_of(request), request.app.state.board, viewer_of(request), me_info(request))


async def search(request: Request, _: None) -> SearchResults:
    hark = service_of(request)
    text = request.query_params.get("q", "").strip()
    if not 0 < len(text) <= LONGEST_SEARCH:
        raise HarkError("request-invalid", f"q must have 1 to {LONGEST_SEARCH} characters", "say what to search for")
    wanted = request.query_params.get("session")
    session_id = hark.sessions.find(wanted).id if wanted else None
    limit = int(query_number(request, "limit", 50, 1, 500))
    found = await hark.record.search(text, session_id, limit)
    return SearchResults(hits=[_hit(hark, hit, text) for hit in found])


def _hit(hark: Service, hit: Hit, wanted: str) -> SearchHit:
    place = max(0, hit.text.lower().find(wanted.lower()) - EXCERPT // 3)
    return SearchHit(
        kind=hit.kind,
        at=hit.at,
        session_id=hit.session_id,
        session_name=_name_of(hark, hit.session_id),
        message_id=hit.message_id,
        text=hit.text[place : place + EXCERPT],
    )


async def get_overview(request: Request, _: None) -> OverviewNumbers:
    hark = service_of(request)
    count = int(query_number(request, "hours", 24, 1, 168))
    hours = list(await hark.past.hours(count))
    now = survey((session, hark.turns.of(session.id)) for session in hark.sessions.running())
    latency, holds = Histogram(), dict[str, float]()
    for numbers in [one for _at, one in hours]:
        latency.merge(numbers.latency)
        for reason, seconds in numbers.hold_s.items():
            holds[reason] = holds.get(reason, 0.0) + seconds
    return OverviewNumbers(
        since=hours[0][0],
        hours=[_hour(numbers, hour=hour) for hour, numbers in hours],
        delivered=latency.count,
        delivery_p50_s=latency.quantile(0.5),
        delivery_p95_s=latency.quantile(0.95),
        hold_seconds=holds,
        sessions=len(hark.sessions.running()),
        working=now.working,
        needing=len(now.needs),
    )


def _hour(numbers: Statistics, **when: object) -> HourNumbers:
    return HourNumbers(
        **when,  # type: ignore[arg-type]
        queued=numbers.queued,
        delivered=numbers.latency.count,
        delivery_p50_s=numbers.latency.quantile(0.5),
        delivery_p95_s=numbers.latency.quantile(0.95),
        turns=numbers.turns,
        signals=dict(numbers.signals),
        holds=dict(numbers.holds),
        failed=sum(numbers.outcomes[status] for status in _FAILED),
    )


async def get_away(request: Request, _: None) -> AwayFeed:
    hark = service_of(request)
    seen = await hark.alerts.seen(viewer_of(request).user)
    newest = await hark.record.last_event_seq()
    known = seen.get("away") or await hark.past.seq_before(wall_clock() - timedelta(days=1))
    after = int(query_number(request, "after", known, 0, 2.0**53))
    limit = int(query_number(request, "limit", 500, 1, 5000))
    events = await hark.record.events(after=max(after, newest - MOST_READ), limit=MOST_READ)
    items = [item for event in events if (item := item_of(event, lambda one: _name_of(hark, one)))]
    return AwayFeed(
        after=after,
        seq=newest,
        items=items[-limit:],
        counts=count_kinds(items),
        is_cut=len(items) > limit or newest - after > MOST_READ,
    )


async def get_story(request: Request, _: None) -> Response:
    hark = service_of(request)
    message = await hark.mailbox.find(request.path_params["message"])
    receipts = await hark.record.receipts(message.id)
    text = tell(message, _name_of(hark, message.session_id), receipts, await hark.record.answer(message.id))
    name = f"message-{message.id}.md"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(text, headers=headers, media_type="text/markdown; charset=utf-8")


async def mark_seen(request: Request, body: Seen) -> SeenInfo:
    seq = await service_of(request).alerts.acknowledge(viewer_of(request).user, body.subject, body.seq)
    return SeenInfo(subject=body.subject, seq=seq)


async def report_notification(request: Request, body: NotificationReport) -> NotificationInfo:
    viewer = viewer_of(request)
    looker = Looker(user=viewer.user, browser_id=viewer.browser.id if viewer.browser else None)
    report = Report(
        session_id=body.session_id,
        nudge_seq=body.nudge_seq,
        channel=body.channel,
        outcome=body.outcome,
        reason=body.reason,
    )
    return _notification(await service_of(request).alerts.report(looker, report))


async def list_notifications(request: Request, _: None) -> NotificationList:
    limit = int(query_number(request, "limit", 100, 1, 1000))
    found = await service_of(request).record.notifications(limit)
    return NotificationList(notifications=[_notification(one) for one in found])


def _notification(one: Notification) -> NotificationInfo:
    return NotificationInfo(**{name: getattr(one, name) for name in one.__struct_fields__})


_COUNT = {"type": "integer", "minimum": 1}
CALLS = (
    Call(
        method="GET",
        path="/dashboard/snapshot",
        summary="Return all sessions with what the attention queue needs, as the WebSocket /live sends them first.",
        handler=get_snapshot,
        response=Snapshot,
    ),
    Call(
        method="GET",
        path="/dashboard/overview",
        summary="Return the numbers of the last hours: the same numbers as those of /metrics, hour by hour.",
        handler=get_overview,
        response=OverviewNumbers,
        queries=(Query("hours", "how many hours", _COUNT | {"maximum": 168}),),
    ),
    Call(
        method="GET",
        path="/dashboard/away",
        summary="Return what happened since the user last marked it as read.",
        handler=get_away,
        response=AwayFeed,
        queries=(
            Query("after", "seq of the event after which the feed begins", {"type": "integer", "minimum": 0}),
            Query("limit", "how many items", _COUNT | {"maximum": 5000}),
        ),
    ),
    Call(
        method="PUT",
        path="/dashboard/acknowledgements",
        summary="Store how far the user has seen a session's signals, a message, or what happened.",
        handler=mark_seen,
        body=Seen,
        response=SeenInfo,
        errors=("read-only",),
    ),
    Call(
        method="GET",
        path="/dashboard/notifications",
        summary="List what became of alerts, newest first.",
        handler=list_notifications,
        response=NotificationList,
        queries=(Query("limit", "how many", _COUNT | {"maximum": 1000}),),
    ),
    Call(
        method="POST",
        path="/dashboard/notifications",
        summary="Store what became of an alert.",
        handler=report_notification,
        body=NotificationReport,
        response=NotificationInfo,
        status=201,
        errors=("read-only",),
    ),
    Call(
        method="GET",
        path="/search",
        summary="Search in messages, their senders, answers and signals, newest first.",
        handler=search,
        response=SearchResults,
        queries=(
            Query("q", "the text to search for", {"type": "string", "minLength": 1, "maxLength": LONGEST_SEARCH}),
            Query("session", "name or id of a session; all sessions without it", {"type": "string"}),
            Query("limit", "how many", _COUNT | {"maximum": 500}),
        ),
        errors=("session-not-found", "session-ambiguous"),
    ),
    Call(
        method="GET",
        path="/messages/{message}/story",
        summary="Return the story of a message as Markdown: its text, its receipts and its answer.",
        handler=get_story,
        errors=("message-not-found", "message-ambiguous"),
    ),
)
