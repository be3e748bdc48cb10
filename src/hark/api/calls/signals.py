"""Calls about what agents have announced."""

from starlette.requests import Request

from hark.api.calls.system import event_info
from hark.api.route import Call, Query, query_number
from hark.api.service import service_of
from hark.api.shapes.system import EventList


async def list_signals(request: Request, _: None) -> EventList:
    hark = service_of(request)
    wanted = request.query_params.get("session")
    session_id = hark.sessions.find(wanted).id if wanted else None
    limit = int(query_number(request, "limit", 50, 1, 10_000))
    last_seq = await hark.record.last_event_seq()
    events = await hark.record.signals(session_id, limit)
    return EventList(events=[event_info(event) for event in events], last_seq=last_seq)


CALLS = (
    Call(
        method="GET",
        path="/signals",
        summary="List what agents have announced, the newest last. The WebSocket /events sends it as it happens, as kind `signal`.",
        handler=list_signals,
        response=EventList,
        queries=(
            Query("session", "name or id of a session; all sessions without it", {"type": "string"}),
            Query("limit", "how many", {"type": "integer", "minimum": 1, "maximum": 10000}),
        ),
        errors=("session-not-found", "session-ambiguous"),
    ),
)
