"""Starts the agent of a session again: under the same id, name and directory, with the same queue, and in the same conversation if the
agent can resume it."""

import asyncio
from pathlib import Path

from msgspec import Struct, structs

from hark.daemon.process.slow_calls import work_aside
from hark.daemon.registry.sessions import Sessions
from hark.daemon.registry.starter import Place, Start, Starter, end_parts
from hark.daemon.session.live import LiveSessions
from hark.daemon.session.resumption import begin_resumption
from hark.installing.resuming import can_resume, resume_command
from hark.model.errors import HarkError
from hark.model.session import RestartPolicy, Session, SessionState


class RestartOptions(Struct, frozen=True, kw_only=True):
    """How a session starts again."""

    environment: dict[str, str]
    command: list[str] = []
    """The command to start; if it is empty, the session's own command."""
    is_fresh: bool = False
    """True to begin a new conversation instead of resuming the last one."""
    ends_running: bool = False
    """True to end an agent that still runs."""
    has_signals: bool = False
    is_automatic: bool = False
    """True if hark starts the session again by itself, so that the failures in a row still count."""
    restart: RestartPolicy | None = None
    """When hark starts the agent again by itself from now on; None changes nothing."""
    place: Place = Place()


class Restarted(Struct, frozen=True):
    session: Session
    conversation: str
    """The conversation that the agent resumes; empty if it begins a new one."""
    has_draft: bool
    """True if a human's draft was out of the box when the agent ended: it goes into the box of the agent that starts."""


class Restarts:
    def __init__(self, sessions: Sessions, starter: Starter, live: LiveSessions) -> None:
        self._sessions = sessions
        self._starter = starter
        self._live = live
        self._restarting = asyncio.Lock()

    async def restart(self, session: Session, options: RestartOptions) -> Restarted:
        """Start the session's agent again. Everything is checked before a running agent is ended. One restart at a time: a second one
        that comes meanwhile finds the session as the first has left it."""
        async with self._restarting:
            return await self._restart(self._sessions.get(session.id), options)

    async def _restart(self, session: Session, options: RestartOptions) -> Restarted:
        check_restart(session, options)
        command, conversation = choose_command(session, options, has_begun=await has_begun(session))
        self._starter.check(command, session.directory, options.environment)
        gone = await self._sessions.kill(session) if session.state is SessionState.RUNNING else session
        await end_parts(self._live, gone)
        gone = structs.replace(
            gone, restart=options.restart or gone.restart, failures=gone.failures if options.is_automatic else 0
        )
        start = Start(
            command=command,
            environment=options.environment,
            has_signals=options.has_signals,
            place=options.place,
        )
        has_draft = await self._sessions.rescue_draft(gone.id)
        started = await self._starter.start_again(gone, start)
        if conversation:
            begin_resumption(self._live, started)
        return Restarted(started, conversation, has_draft)


def check_restart(session: Session, options: RestartOptions) -> None:
    """Raise a HarkError if the session cannot or must not be started again so."""
    if session.is_adopted:
        raise HarkError(
            "session-adopted",
            f"{session.name} ran in a pane of yours, which hark does not start programs in",
            "start the agent in its pane with `hark run`, or adopt it again with `hark adopt`",
        )
    if options.is_automatic and session.restart_at is None:
        raise HarkError("session-gone", f"somebody has ended {session.name} meanwhile", "it stays gone")
    if session.state is SessionState.RUNNING and not options.ends_running:
        raise HarkError(
            "session-running",
            f"{session.name} still runs",
            f"`hark restart --kill {session.name}` ends its agent first; a draft in its box is lost",
        )


async def has_begun(session: Session) -> bool:
    """Return whether the agent has a conversation on record. The transcript's path comes from the agent and may hang, so nobody waits for
    it in the daemon's own thread."""
    if not session.conversation or not session.transcript:
        return bool(session.conversation)
    try:
        return await work_aside(f"transcript {session.transcript}", Path(session.transcript).exists)
    except OSError:
        return True  # The path does not answer, and the agent has told of a conversation.


def choose_command(session: Session, options: RestartOptions, *, has_begun: bool) -> tuple[list[str], str]:
    """Return the command to start, and the conversation that it resumes; an empty text if it begins a new one. `has_begun` says whether
    the agent has a conversation on record."""
    if options.command:
        return options.command, ""
    if options.is_fresh or not has_begun or not can_resume(session.agent):
        return list(session.command), ""
    if command := resume_command(session.agent, session.command, session.conversation):
        return list(command), session.conversation
    raise HarkError(
        "resume-unclear",
        f"hark does not understand every word of {session.name}'s command, and cannot tell a first prompt from an option",
        f"`hark restart {session.name} -- CMD…` names the command, and --fresh begins a new conversation with the old one",
    )
