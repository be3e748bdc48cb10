"""Calls about reminders."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta
from starlette.requests import Request as HttpRequest

from hark.api.route import Call, Query
from hark.api.service import service_of
from hark.api.shapes.foundation import PositiveSeconds, Request, Response
from hark.daemon.timers.reminders import make_when
from hark.model.reminder import Reminder


class Remind(Request, frozen=True, kw_only=True):
    session_id: str
    message: str
    delay_seconds: PositiveSeconds | None = None
    at: Annotated[datetime, Meta(tz=True)] | None = None
    every_seconds: PositiveSeconds | None = None
    """The interval at which the reminder repeats; it fires first after this interval, or at `at`, or after `delay_seconds`."""
    cron: Annotated[str, Meta(max_length=200)] | None = None
    """When the reminder fires, as a cron line: MINUTE HOUR DAY MONTH WEEKDAY, in the time zone of the daemon."""
    sender_session_id: str | None = None
    """The session that asks for the reminder."""
    sender_name: str | None = None
    """The name of whoever asks for the reminder, if that is no session."""


class ReminderInfo(Response, frozen=True, kw_only=True):
    id: str
    session_id: str
    message: str
    created_at: datetime
    fire_at: datetime
    """When the reminder fires next."""
    repeat: str | None
    cancelled_at: datetime | None
    follows: Literal["clock", "elapsed"]
    """`clock` if the reminder is due when the wall clock shows `fire_at`; `elapsed` if it is due after an amount of time, however the
    wall clock is set meanwhile."""
    failures: int
    """How often in a row the reminder could not be fired."""
    failure: str | None
    """Why the reminder could not be fired the last time."""
    set_aside_at: datetime | None
    """When hark gave the reminder up after too many failures."""
    sender_session_id: str | None = None
    sender: str | None = None
    """The name of whoever asked for the reminder; null if no name was given."""


class ReminderList(Response, frozen=True, kw_only=True):
    reminders: list[ReminderInfo]


async def remind(request: HttpRequest, body: Remind) -> ReminderInfo:
    hark = service_of(request)
    session = hark.sessions.find(body.session_id)
    when = make_when(body.delay_seconds, body.at, body.every_seconds, body.cron)
    reminder = await hark.scheduler.remind(
        session, when, body.message, sender=body.sender_session_id, sender_name=body.sender_name
    )
    return reminder_info(reminder)


async def list_reminders(request: HttpRequest, _: None) -> ReminderList:
    hark = service_of(request)
    waiting = await hark.scheduler.waiting()
    if wanted := request.query_params.get("session"):
        session = hark.sessions.find(wanted)
        waiting = [reminder for reminder in waiting if reminder.session_id == session.id]
    return ReminderList(reminders=[reminder_info(reminder) for reminder in waiting])


async def cancel_reminder(request: HttpRequest, _: None) -> ReminderInfo:
    return reminder_info(await service_of(request).scheduler.cancel(request.path_params["reminder"]))


def reminder_info(reminder: Reminder) -> ReminderInfo:
    return ReminderInfo(
        id=reminder.id,
        session_id=reminder.session_id,
        message=reminder.text,
        created_at=reminder.created_at,
        fire_at=reminder.fire_at,
        repeat=reminder.repeat,
        cancelled_at=reminder.cancelled_at,
        follows="elapsed" if reminder.is_elapsed else "clock",
        failures=reminder.failures,
        failure=reminder.failure,
        set_aside_at=reminder.set_aside_at,
        sender_session_id=reminder.sender_session_id,
        sender=reminder.sender_name,
    )


CALLS = (
    Call(
        method="POST",
        path="/scheduler/remind",
        summary="Send a message to a session later, once or again and again.",
        handler=remind,
        body=Remind,
        response=ReminderInfo,
        status=201,
        errors=(
            "session-not-found",
            "session-ambiguous",
            "text-empty",
            "text-too-long",
            "text-control-bytes",
            "name-invalid",
            "name-reserved",
        ),
    ),
    Call(
        method="GET",
        path="/scheduler/reminders",
        summary="List the reminders that have not fired yet, earliest first.",
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
