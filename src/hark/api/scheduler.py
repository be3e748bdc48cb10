"""Calls about reminders."""

from datetime import datetime

from starlette.requests import Request as HttpRequest

from hark.api.route import Call, Query
from hark.api.shapes import PositiveSeconds, Request, Response
from hark.model.reminder import Reminder


class Remind(Request, frozen=True, kw_only=True):
    session_id: str
    delay_seconds: PositiveSeconds
    message: str


class ReminderInfo(Response, frozen=True, kw_only=True):
    id: str
    session_id: str
    message: str
    created_at: datetime
    fire_at: datetime
    cancelled_at: datetime | None


class ReminderList(Response, frozen=True, kw_only=True):
    reminders: list[ReminderInfo]


async def remind(request: HttpRequest, body: Remind) -> ReminderInfo:
    hark = request.app.state.hark
    session = hark.sessions.find(body.session_id)
    return reminder_info(await hark.scheduler.remind(session, body.delay_seconds, body.message))


async def list_reminders(request: HttpRequest, _: None) -> ReminderList:
    hark = request.app.state.hark
    waiting = await hark.store.reminders()
    if wanted := request.query_params.get("session"):
        session = hark.sessions.find(wanted)
        waiting = [reminder for reminder in waiting if reminder.session_id == session.id]
    return ReminderList(reminders=[reminder_info(reminder) for reminder in waiting])


async def cancel_reminder(request: HttpRequest, _: None) -> ReminderInfo:
    return reminder_info(await request.app.state.hark.scheduler.cancel(request.path_params["reminder"]))


def reminder_info(reminder: Reminder) -> ReminderInfo:
    return ReminderInfo(
        id=reminder.id,
        session_id=reminder.session_id,
        message=reminder.text,
        created_at=reminder.created_at,
        fire_at=reminder.fire_at,
        cancelled_at=reminder.cancelled_at,
    )


CALLS = (
    Call(
        method="POST",
        path="/scheduler/remind",
        summary="Send a message to a session after a while, once.",
        handler=remind,
        body=Remind,
        response=ReminderInfo,
        status=201,
        errors=("session-not-found", "session-ambiguous", "text-empty", "text-too-long", "text-control-bytes"),
    ),
    Call(
        method="GET",
        path="/scheduler/reminders",
        summary="The reminders that have not fired yet, earliest first.",
        handler=list_reminders,
        response=ReminderList,
        queries=(Query("session", "only those of this session", {"type": "string"}),),
        errors=("session-not-found",),
    ),
    Call(
        method="DELETE",
        path="/scheduler/reminders/{reminder}",
        summary="Take a reminder back before it fires.",
        handler=cancel_reminder,
        response=ReminderInfo,
        errors=("reminder-not-found",),
    ),
)
