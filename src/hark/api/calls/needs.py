"""Calls about the sessions that need a human."""

from datetime import datetime

from starlette.requests import Request
from starlette.responses import PlainTextResponse

from hark.api.route import Call
from hark.api.service import service_of
from hark.api.shapes.foundation import Response
from hark.queue.reports.needs import Overview, Why, segment, survey


class NeedInfo(Response, frozen=True, kw_only=True):
    session_id: str
    name: str
    why: Why
    since: datetime
    """Since when the session has waited for a human."""
    question: str
    """What the agent asks for, in its own words; empty if it has not said."""


class NeedList(Response, frozen=True, kw_only=True):
    needs: list[NeedInfo]
    """The sessions that need a human. The one that has waited longest comes first."""
    working: int
    """How many sessions work and need nobody."""
    segment: str
    """The words for a status line, such as "2 need you · 5 working"; empty if there is nothing to say."""


def _overview(request: Request) -> Overview:
    hark = service_of(request)
    return survey((session, hark.turns.of(session.id)) for session in hark.sessions.running())


async def list_needs(request: Request, _: None) -> NeedList:
    overview = _overview(request)
    needs = [
        NeedInfo(session_id=need.session_id, name=need.name, why=need.why, since=need.since, question=need.question)
        for need in overview.needs
    ]
    return NeedList(needs=needs, working=overview.working, segment=segment(overview))


async def status_line(request: Request, _: None) -> PlainTextResponse:
    return PlainTextResponse(segment(_overview(request)))


CALLS = (
    Call(
        method="GET",
        path="/needs",
        summary="List the sessions that need a human. The one that has waited longest comes first.",
        handler=list_needs,
        response=NeedList,
    ),
    Call(
        method="GET",
        path="/needs/line",
        summary="Return the words for a status line as plain text; empty if there is nothing to say.",
        handler=status_line,
    ),
)
