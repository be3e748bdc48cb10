"""Calls about what agents print."""

import asyncio
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import StreamingResponse

from hark.api.route import Call, Query, query_number
from hark.api.service import service_of, session_of
from hark.api.shapes.sessions import OutputText
from hark.model.errors import HarkError
from hark.model.session import Session, SessionState

STREAM_BACKLOG = 1000
"""How many chunks a slow reader may lie behind before it is dropped: one reader must not fill the daemon's memory."""


async def get_output(request: Request, _: None) -> OutputText:
    session = _running(session_of(request))
    lines = int(query_number(request, "lines", 50, 1, 100_000))
    text = await service_of(request).panes.of(session.pane).history(session.pane.pane_id, lines)
    return OutputText(session_id=session.id, lines=text)


async def stream_output(request: Request, _: None) -> StreamingResponse:
    hark, session = service_of(request), _running(session_of(request))
    if not await hark.panes.watch(session.pane):
        raise HarkError(
            "not-available",
            "the pane's output already goes to another pipe",
            "end tmux's pipe-pane there, or use `hark attach`",
        )
    chunks: asyncio.Queue[bytes] = asyncio.Queue(STREAM_BACKLOG)

    def offer(data: bytes) -> None:
        if chunks.full():
            stop()
            chunks.get_nowait()
            data = b""
        chunks.put_nowait(data)

    stop = hark.panes.listen(session.pane, offer)

    async def follow() -> AsyncIterator[bytes]:
        try:
            while data := await chunks.get():
                yield data
        finally:
            stop()

    return StreamingResponse(follow(), media_type="application/octet-stream")


def _running(session: Session) -> Session:
    if session.state is SessionState.GONE:
        raise HarkError("pane-not-found", f"session {session.name} is gone", "`hark ls` shows the ones that run")
    return session


CALLS = (
    Call(
        method="GET",
        path="/sessions/{session:path}/output",
        summary="Return the last rendered lines.",
        handler=get_output,
        response=OutputText,
        queries=(Query("lines", "how many", {"type": "integer", "minimum": 1, "maximum": 100000}),),
        errors=("session-not-found", "pane-not-found"),
    ),
    Call(
        method="GET",
        path="/sessions/{session:path}/output/stream",
        summary="Stream the raw terminal output from now on, as bytes.",
        handler=stream_output,
        errors=("session-not-found", "pane-not-found", "not-available"),
    ),
)
