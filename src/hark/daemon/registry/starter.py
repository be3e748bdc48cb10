"""Starts agents: in a new pane for a new session, in a new pane for a session that is gone, or in a pane in which a human is.

A session is recorded as `starting` before its pane is made. In this order no agent can be without a session, even if the daemon or
tmux dies in between; `settle_unfinished` finishes or removes what was left so.
"""

import os
from pathlib import Path

import msgspec
from msgspec import Struct

from hark.agents.kinds import Kinds, check_teachable
from hark.daemon.panes import Panes
from hark.daemon.process.log import logger
from hark.daemon.registry.interrupted_starts import find_pane
from hark.daemon.registry.kept_starts import KeptStart, KeptStarts
from hark.daemon.registry.launcher import Launch, Launcher, check_command
from hark.daemon.registry.sessions import Sessions, base_name, new_id
from hark.daemon.session.live import LiveSessions
from hark.model.errors import HarkError
from hark.model.ids import SessionId
from hark.model.session import Pane, RestartPolicy, Session, SessionState
from hark.terminal.tmux.new_panes import Beside, OwnSession, Program, open_pane


class Place(Struct, frozen=True, kw_only=True):
    """A place names the tmux server, the size and the neighbour of a new pane."""

    columns: int = 120
    rows: int = 40
    socket: str | None = None
    """The socket of the tmux server; None for hark's own server."""
    beside: Beside | None = None
    """The pane beside which the agent gets a window or a pane; None to give it a tmux session of its own."""
    is_plain: bool = False
    """True to show no status line of tmux below the agent, which is how `hark run` shows an agent."""


class Start(Struct, frozen=True, kw_only=True):
    """A start names the agent that hark starts in a new pane, and how."""

    command: list[str]
    environment: dict[str, str]
    name: str | None = None
    agent: str | None = None
    directory: str | None = None
    has_signals: bool = False
    """True to teach the agent to signal, if it allows that."""
    restart: RestartPolicy | None = None
    """When hark starts the agent again by itself; None means what the settings say."""
    place: Place = Place()
    session_id: SessionId | None = None


class StartInPane(Struct, frozen=True, kw_only=True):
    """A start in a pane names the agent that is about to start behind an airlock in a human's own pane."""

    target: str
    socket: str
    command: list[str]
    environment: dict[str, str]
    directory: str
    name: str | None = None
    agent: str | None = None
    has_signals: bool = False


class Defaults(Struct, frozen=True, kw_only=True):
    """What holds for a start that does not say otherwise."""

    socket: str
    """The socket of hark's own tmux server."""
    restart: RestartPolicy = RestartPolicy.NEVER


class Starter:
    def __init__(
        self,
        sessions: Sessions,
        panes: Panes,
        kinds: Kinds,
        launcher: Launcher,
        kept: KeptStarts,
        defaults: Defaults,
        live: LiveSessions,
    ) -> None:
        self._sessions = sessions
        self._panes = panes
        self._kinds = kinds
        self._launcher = launcher
        self._kept = kept
        self._live = live
        self._defaults = defaults
        self._in_progress: set[SessionId] = set()

    async def start(self, start: Start) -> Session:
        """Start an agent in a new pane, as a new session. If a session of the wanted name is gone, the new one takes its queue over."""
        directory = start.directory or str(Path.home())
        # An environment without a PATH gets the daemon's, as in any other session of its tmux server, and nothing else from the daemon.
        start = msgspec.structs.replace(start, directory=directory, environment=with_path(start.environment))
        check_command(start.command, directory, start.environment)
        kind = self._kind(start.agent, start.command, has_signals=start.has_signals)
        session_id = start.session_id or new_id()
        async with self._sessions.naming:
            name = self._sessions.free_name(start.name, base_name(start.command))
            made = self._sessions.make(session_id, name, kind, self._nowhere(start.place), start.command, directory)
            heir_of = await self._let_go(self._sessions.gone_under(start.name))
            wanted = msgspec.structs.replace(made, restart=self._policy(start), heir_of=heir_of)
            session = await self._open(wanted, start)
        await self._panes.watch(session.pane)
        return session

    async def _let_go(self, gone: Session | None) -> SessionId | None:
        """Make sure that nobody works for a session that is gone any more, or will start it again. Return its id."""
        if gone is None:
            return None
        if gone.restart_at or gone.has_given_up:
            await self._sessions.kill(gone)
        await end_parts(self._live, gone)
        return gone.id

    def _policy(self, start: Start) -> RestartPolicy:
        """Return when hark starts the agent again by itself. `hark run` ends with its agent, and tells its shell how the agent ended."""
        return RestartPolicy.NEVER if start.place.is_plain else start.restart or self._defaults.restart

    async def start_again(self, gone: Session, start: Start) -> Session:
        """Start an agent in a new pane for a session that is gone. The session keeps its id, its name and its queue."""
        start = msgspec.structs.replace(start, directory=gone.directory, environment=with_path(start.environment))
        check_command(start.command, gone.directory, start.environment)
        self._kind(gone.agent, start.command, has_signals=start.has_signals)
        async with self._sessions.naming:
            self._sessions.check_free(gone.name)
            self._launcher.clear(gone.id)
            wanted = msgspec.structs.replace(gone, pane=self._nowhere(start.place))
            session = await self._open(wanted, start)
        await self._panes.watch(session.pane)
        return session

    def check(self, command: list[str], directory: str, environment: dict[str, str]) -> None:
        """Raise a HarkError if the command cannot be started so."""
        check_command(command, directory, with_path(environment))

    def _nowhere(self, place: Place) -> Pane:
        """Return the pane of a session that has none yet: it names the tmux server alone."""
        return Pane(socket=self._panes.server(place.socket or self._defaults.socket).socket, pane_id="", pid=0)

    async def _open(self, session: Session, start: Start) -> Session:
        """Prepare the agent's start, record the session as starting, and make its pane."""
        launch = self._launcher.launch(
            session.id,
            session.agent,
            start.command,
            start.environment,
            has_signals=start.has_signals,
            is_watched=start.place.is_plain,
        )
        program = Program(
            words=launch.words,
            directory=start.directory or session.directory,
            environment=launch.environment,
            name=session.name,
            title=f"{session.name} ({session.agent})",
        )
        wanted = msgspec.structs.replace(session, airlock=launch.airlock, state=SessionState.STARTING)
        started = await self._begin(wanted, program, start.place)
        if started.restart is RestartPolicy.ON_FAILURE:
            self._kept.keep(started.id, KeptStart(environment=start.environment, has_signals=start.has_signals))
        if start.place.is_plain:
            await self._panes.of(started.pane).hide_status(started.pane)
        return started

    async def _begin(self, wanted: Session, program: Program, place: Place) -> Session:
        own = OwnSession(name=_tmux_name(wanted.name, wanted.id), columns=place.columns, rows=place.rows)
        self._in_progress.add(wanted.id)
        try:
            await self._sessions.begin(wanted)
            try:
                pane = await open_pane(self._panes.server(wanted.pane.socket), program, place.beside or own)
            except HarkError as failure:
                # tmux may still make the pane when it has not answered in time.
                if failure.code != "tmux-timeout":
                    await self._sessions.give_up_start(wanted)
                raise
            return await self._sessions.finish_start(wanted, pane)
        finally:
            self._in_progress.discard(wanted.id)

    async def settle_unfinished(self) -> None:
        """Settle the starts that were not finished: an agent that is there becomes a session, and a start without an agent is removed
        from the record."""
        for session in [one for one in self._sessions.unfinished() if one.id not in self._in_progress]:
            try:
                pane = await find_pane(self._panes, session)
            except HarkError as failure:
                logger.warning("an unfinished start", extra={"session": session.name, "code": failure.code})
                continue
            if pane is None:
                await self._sessions.give_up_start(session)
            else:
                logger.info("an agent without a session was found", extra={"session": session.name})
                await self._sessions.finish_start(session, pane)

    async def start_in_pane(self, start: StartInPane) -> tuple[Session, Launch]:
        """Make a session for an agent that is about to start behind an airlock in a human's own pane. Return the session, and how to
        start the agent."""
        server = self._panes.server(start.socket)
        facts = await server.resolve(start.target)
        pane = Pane(socket=server.socket, pane_id=facts.pane_id, pid=facts.pid)
        if known := self._sessions.at(pane):
            await self._sessions.mark_gone(known, "another agent took its pane")
        kind = self._kind(start.agent, start.command, has_signals=start.has_signals)
        session_id = new_id()
        async with self._sessions.naming:
            name = self._sessions.free_name(start.name, base_name(start.command))
            launch = self._launcher.launch(
                session_id, kind, start.command, start.environment, has_signals=start.has_signals
            )
            made = self._sessions.make(session_id, name, kind, pane, start.command, start.directory)
            session = msgspec.structs.replace(made, airlock=launch.airlock, is_adopted=True)
            await self._sessions.add(session)
        await self._panes.watch(pane)
        return session, launch

    def _kind(self, agent: str | None, command: list[str], *, has_signals: bool) -> str:
        kind = self._kinds.get(agent).name if agent else self._kinds.recognise(tuple(command))
        if has_signals:
            check_teachable(kind)
        return kind


async def end_parts(live: LiveSessions, gone: Session) -> None:
    """End all that the daemon still does for the agent of a session that is gone."""
    try:
        await live.end(gone.id)
    except TimeoutError:
        raise HarkError(
            "not-available", f"hark has not finished with the agent of {gone.name} that has ended", "try again"
        ) from None


def with_path(environment: dict[str, str]) -> dict[str, str]:
    return {"PATH": os.environ.get("PATH", os.defpath)} | environment


def _tmux_name(name: str, session_id: SessionId) -> str:
    """Return a name for a tmux session. tmux allows no dots and colons in it, and a part of the id keeps it apart from the names of other
    tmux sessions."""
    return f"{name.replace('.', '_').replace(':', '_')}-{session_id[:4]}"
