"""Starts the agent of a session again: under the same id, name and directory, with the same queue, and in the same conversation if the
agent can resume it."""

from pathlib import Path

from msgspec import Struct

from hark.daemon.registry.sessions import Sessions
from hark.daemon.registry.starter import Place, Start, Starter
from hark.daemon.session.live import LiveSessions
from hark.installing.resuming import can_resume, resume_command
from hark.model.errors import HarkError
from hark.model.session import Session, SessionState


class Again(Struct, frozen=True, kw_only=True):
    """How a session starts again."""

    environment: dict[str, str]
    command: list[str] = []
    """The command to start; if it is empty, the session's own command."""
    is_fresh: bool = False
    """True to begin a new conversation instead of resuming the last one."""
    ends_running: bool = False
    """True to end an agent that still runs."""
    has_signals: bool = False
    place: Place = Place()


class Restarted(Struct, frozen=True):
    session: Session
    conversation: str
    """The conversation that the agent resumes; empty if it begins a new one."""


class Restarts:
    def __init__(self, sessions: Sessions, starter: Starter, live: LiveSessions) -> None:
        self._sessions = sessions
        self._starter = starter
        self._live = live

    async def restart(self, session: Session, again: Again) -> Restarted:
        """Start the session's agent again. Everything is checked before a running agent is ended."""
        if session.is_adopted:
            raise HarkError(
                "session-adopted",
                f"{session.name} ran in a pane of yours, which hark does not start programs in",
                "start the agent in its pane with `hark run`, or adopt it again with `hark adopt`",
            )
        is_running = session.state is SessionState.RUNNING
        if is_running and not again.ends_running:
            raise HarkError(
                "session-running",
                f"{session.name} still runs",
                f"`hark restart --kill {session.name}` ends its agent first; a draft in its box is lost",
            )
        command, conversation = choose_command(session, again)
        self._starter.check(command, session.directory, again.environment)
        gone = await self._sessions.kill(session) if is_running else session
        await self._end_parts(gone)
        start = Start(
            command=command,
            environment=again.environment,
            has_signals=again.has_signals,
            place=again.place,
        )
        return Restarted(await self._starter.start_again(gone, start), conversation)

    async def _end_parts(self, gone: Session) -> None:
        try:
            await self._live.end(gone.id)
        except TimeoutError:
            raise HarkError(
                "not-available", f"hark has not finished with the agent of {gone.name} that has ended", "try again"
            ) from None


def choose_command(session: Session, again: Again) -> tuple[list[str], str]:
    """Return the command to start, and the conversation that it resumes; an empty text if it begins a new one."""
    if again.command:
        return again.command, ""
    has_begun = session.conversation and (not session.transcript or Path(session.transcript).exists())
    if again.is_fresh or not has_begun or not can_resume(session.agent):
        return list(session.command), ""
    if command := resume_command(session.agent, session.command, session.conversation):
        return list(command), session.conversation
    raise HarkError(
        "resume-unclear",
        f"hark does not understand every word of {session.name}'s command, and cannot tell a first prompt from an option",
        f"`hark restart {session.name} -- CMD…` names the command, and --fresh begins a new conversation with the old one",
    )
