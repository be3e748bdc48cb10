"""The call about a draft that hark took out of an input box and has not put back, because the session's agent has ended, or because the
box is out of sight."""

from datetime import datetime

from starlette.requests import Request as HttpRequest

from hark.api.route import Call
from hark.api.service import service_of, session_of
from hark.api.shapes.foundation import Response
from hark.model.errors import HarkError


class DraftInfo(Response, frozen=True, kw_only=True):
    session_id: str
    session_name: str
    text: str
    cursor: int
    """The place of the cursor in the text, in characters."""
    taken_at: datetime
    """When hark took the draft out of the box."""


async def get_draft(request: HttpRequest, _: None) -> DraftInfo:
    session, record = session_of(request), service_of(request).record
    draft = await record.draft(session.id)
    if draft is None:
        raise HarkError(
            "draft-not-found",
            f"hark keeps no draft of {session.name}",
            "a draft that hark did not take out of the box is in the box, or was lost with its agent",
        )
    return DraftInfo(
        session_id=session.id,
        session_name=session.name,
        text=draft.text,
        cursor=draft.cursor,
        taken_at=draft.taken_at,
    )


CALLS = (
    Call(
        method="GET",
        path="/sessions/{session:path}/draft",
        summary="Return the draft that hark took out of the session's input box and has not put back.",
        handler=get_draft,
        response=DraftInfo,
        errors=("session-not-found", "session-ambiguous", "draft-not-found"),
    ),
)
