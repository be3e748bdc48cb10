"""Calls about sessions."""

import os

from starlette.requests import Request

from hark.api.calls.questions import open_questions
from hark.api.route import Call, Query, idempotency_key, query_number
from hark.api.service import service_of, session_of
from hark.api.shapes.sessions import (
    AdoptPane,
    NewSession,
    RenameSession,
    Restarted,
    RestartSession,
    RunInPane,
    SessionInfo,
    SessionList,
    Started,
    session_info,
)
from hark.daemon.registry.default_agent import command_for
from hark.daemon.registry.idempotency import Once
from hark.daemon.registry.restarts import RestartOptions
from hark.daemon.registry.starter import Place, Start, StartInPane
from hark.daemon.service import Service
from hark.daemon.waits import GOALS
from hark.model.errors import HarkError
from hark.model.ids import SessionId
from hark.model.message import HoldReason
from hark.model.session import Session, SessionState
from hark.queue.ordering import delivery_order, kept_back
from hark.terminal.tmux.new_panes import Beside
from hark.terminal.tmux.socket_paths import choose_socket

LONGEST_WORDS = 200
"""How many characters of an agent's last answer a session shows."""


async def _info(request: Request, session: Session) -> SessionInfo:
    waiting = await service_of(request).record.pending(session.id)
    pending = [*delivery_order(waiting), *kept_back(waiting)]
    turns = service_of(request).turns.of(session.id)
    words = await _last_words(request, [session])
    reason = pending[0].hold_reason if pending else None
    return session_info(
        session, len(pending), reason, turns, words.get(session.id, ""), open_questions(service_of(request), session)
    )


async def _last_words(request: Request, sessions: list[Session]) -> dict[SessionId, str]:
    """Return what the agents of these sessions said last. An agent sees only its own words, unless it may read those of others."""
    caller = request.scope.get("hark_caller")
    readable = [session.id for session in sessions]
    if caller is not None and "read" not in caller.rights:
        readable = [session_id for session_id in readable if session_id == caller.session.id]
    words: dict[SessionId, str] = await service_of(request).record.last_words(readable, LONGEST_WORDS)
    return words


async def list_sessions(request: Request, _: None) -> SessionList:
    hark = service_of(request)
    is_all = request.query_params.get("all") in ("1", "true")
    chosen = [session for session in hark.sessions.all() if is_all or is_listed(session)]
    waiting: dict[str, int] = {}
    reasons: dict[str, HoldReason | None] = {}
    pending = await hark.record.pending()
    for message in [*delivery_order(pending), *kept_back(pending)]:
        reasons.setdefault(message.session_id, message.hold_reason)
        waiting[message.session_id] = waiting.get(message.session_id, 0) + 1
    words = await _last_words(request, chosen)

    def info(session: Session) -> SessionInfo:
        turns, count = hark.turns.of(session.id), waiting.get(session.id, 0)
        return session_info(
            session,
            count,
            reasons.get(session.id),
            turns,
            words.get(session.id, ""),
            open_questions(service_of(request), session),
        )

    return SessionList(sessions=[info(session) for session in chosen])


def is_listed(session: Session) -> bool:
    """Return True if a list of sessions shows the session without being asked for all: it runs, or hark is about to start it again, or
    has given that up."""
    return session.state is SessionState.RUNNING or session.restart_at is not None or session.has_given_up


async def start_session(request: Request, body: NewSession) -> SessionInfo:
    hark, key = service_of(request), idempotency_key(request)
    if key is None:
        return await _start(hark, body)
    once = Once(call="sessions", key=key, body=body, answer=SessionInfo)
    made: SessionInfo = await hark.repeats.run(once, lambda session_id: _start(hark, body, session_id))
    return made


async def _start(hark: Service, body: NewSession, session_id: SessionId | None = None) -> SessionInfo:
    """Start the session, unless a session with `session_id` exists already, and describe it."""
    if session_id and hark.sessions.is_known(session_id):
        return session_info(hark.sessions.get(session_id))
    command = command_for(hark.kinds, body.agent, body.command, body.environment, hark.config.default_agent)
    start = Start(
        command=command,
        environment=body.environment,
        name=body.name,
        agent=body.agent,
        directory=body.directory,
        has_signals=body.has_signals,
        restart=body.restart,
        place=_place(body),
        session_id=session_id,
    )
    session = await hark.starter.start(start)
    if body.has_signals:
        await hark.teacher.teach(session, command, body.environment)
    return session_info(session)


def _place(body: NewSession | RestartSession) -> Place:
    wanted = body.beside
    beside = Beside(pane_id=wanted.pane_id, is_split=wanted.is_split, is_shown=wanted.is_shown) if wanted else None
    return Place(
        columns=body.columns,
        rows=body.rows,
        socket=choose_socket(body.socket_name, body.socket_path),
        beside=beside,
        is_plain=isinstance(body, NewSession) and body.is_plain,
    )


async def restart_session(request: Request, body: RestartSession) -> Restarted:
    hark = service_of(request)
    options = RestartOptions(
        environment=body.environment,
        command=body.command,
        is_fresh=body.is_fresh,
        ends_running=body.ends_running,
        has_signals=body.has_signals,
        restart=body.restart,
        place=_place(body),
    )
    restarted = await hark.restarts.restart(session_of(request), options)
    if body.has_signals:
        await hark.teacher.teach(restarted.session, restarted.session.command, body.environment)
    return Restarted(
        session=await _info(request, restarted.session),
        conversation=restarted.conversation,
        has_draft=restarted.has_draft,
    )


async def adopt_pane(request: Request, body: AdoptPane) -> SessionInfo:
    hark, socket = service_of(request), choose_socket(body.socket_name, body.socket_path)
    session = await hark.sessions.adopt(
        body.target, name=body.name, agent=body.agent, socket=socket, has_signals=body.has_signals
    )
    if body.has_signals:
        await hark.teacher.teach(session, (), os.environ)
    return session_info(session)


async def run_in_pane(request: Request, body: RunInPane) -> Started:
    start = StartInPane(
        target=body.target,
        socket=body.socket_path,
        command=body.command,
        environment=body.environment,
        directory=body.directory,
        name=body.name,
        agent=body.agent,
        has_signals=body.has_signals,
    )
    session, launch = await service_of(request).starter.start_in_pane(start)
    if body.has_signals:
        await service_of(request).teacher.teach(session, body.command, body.environment)
    added = {name: value for name, value in launch.environment.items() if body.environment.get(name) != value}
    return Started(session=session_info(session), words=launch.words, environment=added)


async def wait(request: Request, _: None) -> SessionList:
    hark, query = service_of(request), request.query_params
    names = [name for name in query.get("sessions", "").split(",") if name]
    if not names:
        raise HarkError(
            "request-invalid",
            "the request names no session to wait for",
            "name some in `sessions`, with commas between them",
        )
    there = await hark.waits.until(
        [hark.sessions.find(name) for name in names],
        query.get("for", "idle"),
        query_number(request, "wait_seconds", 30, 0, 60),
        is_any=query.get("any") in ("1", "true"),
        after=int(query_number(request, "after", await hark.record.last_event_seq(), 0, 2.0**53)),
    )
    return SessionList(sessions=[await _info(request, session) for session in there])


async def get_session(request: Request, _: None) -> SessionInfo:
    return await _info(request, session_of(request))


async def rename_session(request: Request, body: RenameSession) -> SessionInfo:
    return await _info(request, await service_of(request).sessions.rename(session_of(request), body.name))


async def hold_session(request: Request, _: None) -> SessionInfo:
    return await _info(request, await service_of(request).sessions.set_do_not_disturb(session_of(request), is_on=True))


async def release_session(request: Request, _: None) -> SessionInfo:
    """Deliver to the session again. A human also lets go what is held as a part of a loop; an agent may not decide that."""
    hark = service_of(request)
    released = await hark.sessions.set_do_not_disturb(session_of(request), is_on=False)
    if request.scope.get("hark_caller") is None:
        await hark.mailbox.release_all(released)
    return await _info(request, released)


async def kill_session(request: Request, _: None) -> SessionInfo:
    return await _info(request, await service_of(request).sessions.kill(session_of(request)))


CALLS = (
    Call(
        method="GET",
        path="/sessions",
        summary="List the sessions that run, that hark is about to start again, and that it has given up; with all=1 also the others.",
        handler=list_sessions,
        response=SessionList,
        queries=(Query("all", "1 also lists sessions that are gone", {"type": "string"}),),
    ),
    Call(
        method="POST",
        path="/sessions",
        summary="Start an agent in a new session. With an Idempotency-Key header the same key starts only one.",
        handler=start_session,
        body=NewSession,
        response=SessionInfo,
        status=201,
        errors=(
            "name-taken",
            "name-invalid",
            "name-reserved",
            "agent-unknown",
            "request-invalid",
            "tmux-missing",
            "tmux-too-old",
            "idempotency-conflict",
            "tmux-unsafe",
        ),
    ),
    Call(
        method="POST",
        path="/sessions/adopt",
        summary="Turn an existing pane into a session.",
        handler=adopt_pane,
        body=AdoptPane,
        response=SessionInfo,
        status=201,
        errors=("pane-not-found", "pane-adopted", "name-taken", "tmux-gone", "tmux-unsafe"),
    ),
    Call(
        method="POST",
        path="/sessions/run",
        summary="Make a session for an agent that is about to start behind an airlock in an existing pane.",
        handler=run_in_pane,
        body=RunInPane,
        response=Started,
        status=201,
        errors=("pane-not-found", "name-taken", "tmux-gone", "tmux-unsafe"),
    ),
    Call(
        method="POST",
        path="/sessions/{session:path}/hold",
        summary="Deliver nothing to the session until it is released.",
        handler=hold_session,
        response=SessionInfo,
        errors=("session-not-found", "session-ambiguous"),
    ),
    Call(
        method="POST",
        path="/sessions/{session:path}/restart",
        summary="Start the session's agent again, under the same id and name and with the same queue, in its conversation if it can "
        "resume it.",
        handler=restart_session,
        body=RestartSession,
        response=Restarted,
        errors=(
            "session-not-found",
            "session-ambiguous",
            "session-running",
            "session-adopted",
            "resume-unclear",
            "name-taken",
            "request-invalid",
            "not-available",
            "tmux-missing",
            "tmux-unsafe",
        ),
    ),
    Call(
        method="POST",
        path="/sessions/{session:path}/release",
        summary="Deliver again, also what is held because it looks like a part of a loop between agents.",
        handler=release_session,
        response=SessionInfo,
        errors=("session-not-found", "session-ambiguous"),
    ),
    Call(
        method="GET",
        path="/wait",
        summary="Wait until agents are idle, busy, waiting, completed, or give a signal.",
        handler=wait,
        response=SessionList,
        queries=(
            Query("sessions", "names or ids, with commas between them", {"type": "string"}),
            Query(
                "for",
                "what to wait for; `completed` means every message that was sent, `signal:completed` the agent's announcement",
                {"enum": list(GOALS)},
            ),
            Query("any", "1 waits until one of the sessions has reached the goal", {"enum": ["0", "1"]}),
            Query("after", "count only signals after the event with this number", {"type": "integer", "minimum": 0}),
            Query("wait_seconds", "how long to wait at most", {"type": "number", "minimum": 0, "maximum": 60}),
        ),
        errors=("session-not-found", "session-ambiguous", "request-invalid", "wait-timeout"),
    ),
    Call(
        method="GET",
        path="/sessions/{session:path}",
        summary="One session.",
        handler=get_session,
        response=SessionInfo,
        errors=("session-not-found", "session-ambiguous"),
    ),
    Call(
        method="PATCH",
        path="/sessions/{session:path}",
        summary="Rename a session.",
        handler=rename_session,
        body=RenameSession,
        response=SessionInfo,
        errors=("session-not-found", "name-taken", "name-invalid", "name-reserved"),
    ),
    Call(
        method="DELETE",
        path="/sessions/{session:path}",
        summary="End a session; hark only forgets an adopted pane.",
        handler=kill_session,
        response=SessionInfo,
        errors=("session-not-found",),
    ),
)
