"""Calls about the daemon itself, its events, and the reports of agents' hooks."""

import asyncio
import contextlib
import os

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from hark import __version__
from hark.api.route import Call, Query, query_number
from hark.api.service import service_of
from hark.api.shapes.foundation import Nothing
from hark.api.shapes.system import EventInfo, EventList, Health, HookReport, HookTaken, Restart
from hark.daemon.doors.hook_reports import HookOrigin
from hark.daemon.process.restart import check_command
from hark.model.errors import HarkError
from hark.model.event import Event

LARGEST_SEQ = 2.0**53


async def healthz(request: Request, _: None) -> Health:
    hark = service_of(request)
    return Health(
        status="ok",
        version=__version__,
        pid=os.getpid(),
        started_at=hark.started_at,
        sessions=len(hark.sessions.running()),
        tmux_version=hark.tmux_version,
        database=hark.database,
        last_event_seq=await hark.record.last_event_seq(),
        instance=hark.instance,
    )


async def list_events(request: Request, _: None) -> EventList:
    record = service_of(request).record
    after = int(query_number(request, "after", 0, 0, LARGEST_SEQ))
    events = await record.events(after=after, limit=int(query_number(request, "limit", 1000, 1, 10_000)))
    return EventList(events=[event_info(event) for event in events], last_seq=await record.last_event_seq())


async def take_hook(request: Request, body: HookReport) -> HookTaken:
    hooks = service_of(request).hooks
    origin = HookOrigin(body.session_id, body.socket, body.pane_id)
    return HookTaken(session_id=await hooks.take(body.agent, body.event, origin, body.emitted_at, body.payload))


async def shutdown(request: Request, _: None) -> Nothing:
    service_of(request).stop()
    return Nothing()


async def restart(request: Request, body: Restart) -> Nothing:
    hark = service_of(request)
    if body.is_upgrade and not hark.config.restart_on_upgrade:
        raise HarkError(
            "restart-refused", "restart_on_upgrade is off", "`hark daemon restart` restarts it all the same"
        )
    if body.is_upgrade and any(courier.lock.locked() for courier in hark.couriers.all()):
        raise HarkError("restart-refused", "a delivery is under way", "ask again in a moment")
    if body.command:
        check_command(body.command)
    hark.restart(body.command)
    return Nothing()


async def openapi(request: Request, _: None) -> Response:
    return Response(request.app.state.openapi, media_type="application/json")


async def follow_events(socket: WebSocket) -> None:
    """Send the events after SEQ of `/events?after=SEQ`, one per text frame, until the client goes or the daemon stops."""
    await socket.accept()
    try:
        after = int(query_number(socket, "after", 0, 0, LARGEST_SEQ))
    except HarkError as refused:
        await socket.close(1008, refused.detail)
        return
    async with asyncio.TaskGroup() as tasks:
        telling = tasks.create_task(_tell_events(socket, after))
        await _until_disconnected(socket)
        telling.cancel()


async def _tell_events(socket: WebSocket, after: int) -> None:
    with contextlib.suppress(WebSocketDisconnect):
        async for event in service_of(socket).bus.follow(after):
            await socket.send_text(msgspec.json.encode(event_info(event)).decode())


async def _until_disconnected(socket: WebSocket) -> None:
    """Read and ignore what the client says: only a read tells that the client has gone or that the server closes."""
    while (await socket.receive())["type"] != "websocket.disconnect":
        pass


def event_info(event: Event) -> EventInfo:
    return EventInfo(
        seq=event.seq,
        at=event.at,
        kind=event.kind,
        session_id=event.session_id,
        message_id=event.message_id,
        data=event.data,
    )


CALLS = (
    Call(method="GET", path="/healthz", summary="Say whether the daemon is well.", handler=healthz, response=Health),
    Call(
        method="GET",
        path="/events",
        summary="List events after a sequence number; a WebSocket on the same path sends them as they happen.",
        handler=list_events,
        response=EventList,
        queries=(
            Query("after", "seq of the last event that the caller knows", {"type": "integer", "minimum": 0}),
            Query("limit", "how many", {"type": "integer", "minimum": 1, "maximum": 10000}),
        ),
    ),
    Call(
        method="POST",
        path="/hooks",
        summary="Take a report of an agent's hook.",
        handler=take_hook,
        body=HookReport,
        response=HookTaken,
        status=202,
    ),
    Call(
        method="POST",
        path="/shutdown",
        summary="Stop the daemon; nothing is lost.",
        handler=shutdown,
        response=Nothing,
        status=202,
    ),
    Call(
        method="POST",
        path="/restart",
        summary="Replace the daemon by a new one; nothing is lost.",
        handler=restart,
        body=Restart,
        response=Nothing,
        status=202,
        errors=("restart-refused", "request-invalid"),
    ),
    Call(method="GET", path="/openapi.json", summary="This description.", handler=openapi),
)
