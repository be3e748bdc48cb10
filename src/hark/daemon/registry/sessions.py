"""Knows the sessions, adopts, renames and ends them, and finds them by whatever part of their name or id somebody types."""

import asyncio
import os
import secrets
import socket as sockets
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import msgspec

from hark.agents.kinds import Kinds, check_teachable
from hark.daemon.panes import Panes
from hark.daemon.process.clock import Clock
from hark.daemon.process.log import logger
from hark.daemon.registry.foreground_program import foreground_command, working_directory
from hark.model.errors import HarkError
from hark.model.event import Event, EventKind
from hark.model.ids import SESSION_ID_LENGTH, SessionId, check_name, find_group, find_session
from hark.model.message import Carrier
from hark.model.session import Pane, Session, SessionState
from hark.model.signal import SignalSource, SignalState
from hark.model.text.names import RESERVED, shorten
from hark.store.contract import Store
from hark.store.rules import yielded
from hark.terminal.tmux.new_panes import rename_window
from hark.terminal.tmux.socket_paths import default_socket

KILLED = "killed"
"""Why a session is gone that somebody ended by `hark kill`."""
_NO_RESTART: dict[str, Any] = {"restart_at": None, "has_given_up": False}
_NO_SIGNAL: dict[str, Any] = {"signal_state": None, "signal_text": "", "signal_source": None}


class Sessions:
    def __init__(
        self, store: Store, panes: Panes, kinds: Kinds, clock: Clock, on_change: Callable[[SessionId], None]
    ) -> None:
        """`on_change` is called after a session has changed, when `get` already returns the changed session; the event of the change
        comes earlier."""
        self._store = store
        self._panes = panes
        self._kinds = kinds
        self._clock = clock
        self._by_id: dict[SessionId, Session] = {}
        self._by_pane: dict[Pane, Session] = {}
        self._used_names: set[str] = set()
        """The names that sessions have or had; none of these names is taken for the beginning of an id."""
        self._unfinished: dict[SessionId, Session] = {}
        """The sessions that are on record, and whose panes may not exist."""
        self.naming = asyncio.Lock()
        """Whoever gives a session a name holds this lock from the choice of the name until the session is on record."""
        self._signalling = asyncio.Lock()
        self._ending = asyncio.Lock()
        self._being_killed: set[SessionId] = set()
        """The sessions whose panes hark is ending: the watcher may see that a pane is gone before `kill` has said why."""
        self._on_change = on_change

    async def load(self) -> None:
        self._used_names = self._used_names or set(await self._store.used_names())
        stored = await self._store.sessions()
        self._unfinished = {session.id: session for session in stored if session.state is SessionState.STARTING}
        self._by_id = {session.id: _as_known(session) for session in stored if _is_known(session)}
        self._used_names |= {session.name for session in self._by_id.values()}
        self._by_pane = {session.pane: session for session in self.running()}

    def all(self) -> list[Session]:
        return list(self._by_id.values())

    def find_group(self, wanted: str, sender: str | None = None) -> list[Session]:
        """Return the running sessions that fit names and patterns. A pattern of the sender's does not match the sender itself."""
        own = self.named(sender).id if sender else None
        named = [(session.id, session.name) for session in self.running()]
        return [self.get(session_id) for session_id in find_group(wanted, named, own, self._used_names)]

    def running(self) -> list[Session]:
        return [session for session in self._by_id.values() if session.state is SessionState.RUNNING]

    def get(self, session_id: SessionId) -> Session:
        if session := self._by_id.get(session_id):
            return session
        raise HarkError("session-not-found", f"no session {session_id!r}", "`hark ls` shows the sessions there are")

    def is_running(self, session_id: SessionId) -> bool:
        session = self._by_id.get(session_id)
        return session is not None and session.state is SessionState.RUNNING

    def is_known(self, session_id: SessionId) -> bool:
        return session_id in self._by_id

    def known(self, session_id: str) -> Session | None:
        """Return the session with exactly that id; None if there is none."""
        return self._by_id.get(SessionId(session_id))

    def find(self, wanted: str) -> Session:
        """Find a session by its name, its id, or a prefix of one. A running session wins over gone ones that fit as well. But a whole
        name or id wins over a mere prefix: otherwise a message to a session that has just ended would reach another session."""
        if exact := [session for session in self._by_id.values() if wanted in (session.id, session.name)]:
            return min(exact, key=lambda session: session.state is SessionState.GONE)
        running = [(session.id, session.name) for session in self.running()]
        try:
            return self.get(find_session(wanted, running, self._used_names))
        except HarkError as failure:
            if failure.code != "session-not-found":
                raise
            gone = [(s.id, s.name) for s in self._by_id.values() if s.state is SessionState.GONE]
            try:
                return self.get(find_session(wanted, gone, self._used_names))
            except HarkError as second:
                raise (failure if second.code == "session-not-found" else second) from None

    def named(self, wanted: str) -> Session:
        """Find a session by its whole id or name: a caller that speaks for a session must say which one."""
        if exact := [session for session in self._by_id.values() if wanted in (session.id, session.name)]:
            return min(exact, key=lambda session: session.state is SessionState.GONE)
        raise HarkError(
            "session-not-found", f"no session {shorten(wanted)!r}", "`hark ls` shows the sessions there are"
        )

    def at(self, pane: Pane) -> Session | None:
        """Return the session in a pane; None if there is none. This is fast, because it is asked for every chunk that any pane prints."""
        return self._by_pane.get(pane)

    def in_pane(self, socket: str, pane_id: str) -> Session | None:
        panes = ((session.pane.socket, session.pane.pane_id, session) for session in self.running())
        return next((session for at, pane, session in panes if (at, pane) == (socket, pane_id)), None)

    def gone_under(self, name: str | None) -> Session | None:
        """Return the session that is gone and still has exactly this name; None if there is none."""
        gone = (session for session in self._by_id.values() if session.state is SessionState.GONE)
        return next((session for session in gone if session.name == name and session.id not in self._unfinished), None)

    def unfinished(self) -> list[Session]:
        """Return the sessions that are on record as starting."""
        return list(self._unfinished.values())

    async def begin(self, wanted: Session) -> None:
        """Record that an agent is about to start in a new pane. A session that is gone counts as gone until the agent is there."""
        if wanted.gone_at is None:
            await self._store.add_session(wanted, None)
        else:
            changes = {"state": wanted.state, "pane": wanted.pane, "airlock": wanted.airlock, "restart": wanted.restart}
            await self._store.change_session(wanted.id, changes)
        self._unfinished[wanted.id] = wanted

    async def finish_start(self, wanted: Session, pane: Pane) -> Session:
        """Record that the agent is there, in this pane."""
        changes: dict[str, Any] = {"pane": pane, "state": SessionState.RUNNING, "started_at": self._clock()}
        if wanted.gone_at is None:
            started = await self._store.start_heir(wanted.id, changes, self._created(wanted))
            self._keep(started)
            self._on_change(wanted.id)
            return started
        changes |= {"gone_at": None, "gone_because": "", "failures": wanted.failures} | _NO_RESTART | _NO_SIGNAL
        data = {"name": wanted.name, "agent": wanted.agent, "failures": wanted.failures}
        event = Event(at=self._clock(), kind=EventKind.SESSION_RESTARTED, session_id=wanted.id, data=data)
        return await self._change(wanted, changes, event)

    async def give_up_start(self, wanted: Session) -> None:
        """Record that no agent has started: a new session is removed, and a session that was gone is gone again."""
        if wanted.gone_at is None:
            await self._store.remove_session(wanted.id)
        else:
            self._keep(await self._store.change_session(wanted.id, {"state": SessionState.GONE}))
        self._unfinished.pop(wanted.id, None)

    async def adopt(
        self, target: str, *, name: str | None, agent: str | None, socket: str | None, has_signals: bool = False
    ) -> Session:
        """Make a session of an agent that runs in a human's pane. With `has_signals` it will be taught to signal, so it must be an agent
        that hark knows."""
        server = self._panes.server(socket or default_socket("default"))
        facts = await server.resolve(target)
        pane = Pane(socket=server.socket, pane_id=facts.pane_id, pid=facts.pid)
        if known := self.at(pane):
            raise HarkError(
                "pane-adopted",
                f"that pane is already the session {known.name}",
                f"rename it with `hark rename {known.name} NEW`",
            )
        command = foreground_command(facts.tty) or (facts.foreground,)
        kind = self._kinds.get(agent).name if agent else self._kinds.recognise(command)
        if has_signals:
            check_teachable(kind)
        async with self.naming:
            name = self.free_name(name, base_name(list(command)))
            made = self.make(new_id(), name, kind, pane, command, working_directory(facts.pid))
            session = msgspec.structs.replace(made, is_adopted=True)
            await self.add(session)
        await self._panes.watch(pane)
        return session

    async def rename(self, session: Session, name: str) -> Session:
        check_name(name)
        async with self.naming:
            event = Event(
                at=self._clock(),
                kind=EventKind.SESSION_RENAMED,
                session_id=session.id,
                data={"from": session.name, "to": name},
            )
            renamed = await self._change(session, {"name": name}, event)
        if session.state is SessionState.RUNNING and not session.is_adopted:
            try:
                await rename_window(self._panes.of(session.pane), session.pane, session.name, name)
            except HarkError as failure:
                logger.info("window not renamed", extra={"session": name, "code": failure.code})
        return renamed

    async def set_do_not_disturb(self, session: Session, *, is_on: bool) -> Session:
        """Keep all messages away from the session, or let them through again, for `hark hold` and `hark release`."""
        if (session.do_not_disturb_since is not None) is is_on:
            return session
        now = self._clock()
        kind = EventKind.SESSION_HELD if is_on else EventKind.SESSION_RELEASED
        event = Event(at=now, kind=kind, session_id=session.id, data={"name": session.name})
        return await self._change(session, {"do_not_disturb_since": now if is_on else None}, event)

    async def signal(
        self, session: Session, state: SignalState, text: str, source: SignalSource, memory: str
    ) -> Session:
        """Store a signal that the session's agent announces. Every signal has a number of its own, however many come at once. `memory`
        is what recognises the signal when it is heard again; it becomes durable together with the signal."""
        async with self._signalling:
            now, number = self._clock(), self.get(session.id).nudge_seq + 1
            data = {"state": str(state), "text": text, "nudge_seq": number, "source": str(source)}
            data["nudge_state"] = str(state)
            event = Event(at=now, kind=EventKind.SIGNAL, session_id=session.id, data=data)
            changes = {"nudge_seq": number, "last_signal_at": now}
            changes |= {"signal_state": state, "signal_text": text, "signal_source": source}
            changed = await self._store.save_signal(session.id, changes, event, memory)
            self._keep(changed)
            return changed

    async def clear_signal(self, session: Session, memory: str) -> Session:
        """Clear the signal that the session's agent has announced, because it is over. No people are told; those who show signals get
        an event."""
        async with self._signalling:
            before = self.get(session.id)
            data = {"state": str(before.signal_state), "nudge_seq": before.nudge_seq, "nudge_state": None}
            event = Event(at=self._clock(), kind=EventKind.SIGNAL_CLEARED, session_id=session.id, data=data)
            changed = await self._store.save_signal(session.id, _NO_SIGNAL, event, memory)
            self._keep(changed)
            return changed

    async def note(self, session_id: SessionId, **changes: str) -> None:
        """Store what was learned about the session's agent (`hearing`, `conversation`, `transcript`), if it is new. This makes no event."""
        session = self.get(session_id)
        if any(getattr(session, name) != value for name, value in changes.items()):
            self._keep(await self._store.change_session(session_id, changes))

    def _keep(self, session: Session) -> None:
        """Know the session as it is on record now. A session that is gone has given its name up in the store to one that took it."""
        for other in self._by_id.values():
            if other.name == session.name and other.id != session.id:
                self._by_id[other.id] = yielded(other)
                break
        self._by_id[session.id] = session
        self._unfinished.pop(session.id, None)
        self._used_names.add(session.name)
        if self._by_pane.get(session.pane, session).id == session.id:
            self._by_pane.pop(session.pane, None)
            if session.state is SessionState.RUNNING:
                self._by_pane[session.pane] = session

    async def kill(self, session: Session) -> Session:
        """End a session that hark started. The pane of an adopted session is the human's: it is only let go."""
        if session.id in self._unfinished:
            raise HarkError("not-available", f"{session.name} is just being started", "try again")
        if session.state is SessionState.RUNNING and not session.is_adopted:
            await self._kill_pane(session)
        if session.restart_at or session.has_given_up:
            return await self._stay_gone(session)
        return await self.mark_gone(session, "let go" if session.is_adopted else KILLED)

    async def _stay_gone(self, session: Session) -> Session:
        """Record that somebody has ended a session that hark was about to start again, or had given up."""
        async with self._ending:
            current = self.get(session.id)
            if current.state is SessionState.GONE:
                changes = {"gone_because": KILLED, "failures": 0} | _NO_RESTART
                current = await self._change(current, changes, self._ended(current, KILLED))
        return current if current.state is SessionState.GONE else await self.kill(current)

    async def plan_restart(self, session: Session, changes: dict[str, Any], why: str) -> Session:
        """Record when hark tries again to start the session's agent, after a start has failed."""
        data = {
            "name": session.name,
            "why": why,
            "failures": changes["failures"],
            "at": changes["restart_at"].isoformat(),
        }
        event = Event(at=self._clock(), kind=EventKind.SESSION_RESTART_PLANNED, session_id=session.id, data=data)
        return await self._change(session, changes, event)

    async def give_up_restart(self, session: Session, why: str) -> Session:
        """Record that hark does not start the session's agent again by itself."""
        data = {"name": session.name, "why": why, "failures": session.failures}
        event = Event(at=self._clock(), kind=EventKind.SESSION_GIVEN_UP, session_id=session.id, data=data)
        return await self._change(session, {"restart_at": None, "has_given_up": True} | _NO_SIGNAL, event)

    async def _kill_pane(self, session: Session) -> None:
        self._being_killed.add(session.id)
        try:
            await self._panes.of(session.pane).kill_pane(session.pane)
        except HarkError as failure:
            if failure.code not in ("tmux-gone", "tmux-failed"):
                self._being_killed.discard(session.id)
                raise

    async def mark_gone(self, session: Session, why: str, plan: dict[str, Any] | None = None) -> Session:
        """Record that the session's agent is gone from the pane that `session` names, once: a session that is gone already, or that has
        started again in another pane meanwhile, stays as it is. `plan` holds the fields that say whether hark will start the agent
        again; nobody starts an agent again that was killed by `hark kill`."""
        async with self._ending:
            current = self.get(session.id)
            if current.state is SessionState.GONE or current.pane != session.pane:
                return current
            is_killed = session.id in self._being_killed
            why = KILLED if is_killed else why
            changes: dict[str, Any] = {"state": SessionState.GONE, "gone_at": self._clock(), "gone_because": why}
            changes |= {"failures": 0} if is_killed or plan is None else plan
            changed = await self._change(current, changes, self._ended(current, why, changes.get("restart_at")))
            if changed.has_given_up:
                changed = await self.give_up_restart(changed, why)
            self._being_killed.discard(session.id)
        self._panes.forget(session.pane)
        return changed

    async def rescue_draft(self, session_id: SessionId) -> bool:
        """Make sure that a draft which was out of the box when the agent ended can be put into the box of another agent: an agent takes
        the stash along in which it kept the draft, so the draft is pasted. Return True if there is a draft."""
        draft = await self._store.draft(session_id)
        if draft and draft.carrier is Carrier.STASH:
            await self._store.save_draft(msgspec.structs.replace(draft, carrier=Carrier.NONE))
        return draft is not None

    async def forget(self, session_id: SessionId) -> Session:
        """Delete a gone session, with all that is stored about it. Return the session as it was."""
        session = self.get(session_id)
        if session.state is not SessionState.GONE or session_id in self._unfinished:
            raise HarkError("internal", f"session {session.name} is not gone")
        data = {"name": session.name}
        event = Event(at=self._clock(), kind=EventKind.SESSION_FORGOTTEN, session_id=session_id, data=data)
        await self._store.remove_session(session_id, event)
        self._by_id.pop(session_id, None)
        return session

    async def add(self, session: Session) -> None:
        """Record a new session whose pane is there."""
        await self._store.add_session(session, self._created(session))
        self._keep(session)

    def _ended(self, session: Session, why: str, restart_at: datetime | None = None) -> Event:
        data: dict[str, Any] = {"name": session.name, "why": why}
        data |= {"restart_at": restart_at.isoformat()} if restart_at else {}
        return Event(at=self._clock(), kind=EventKind.SESSION_GONE, session_id=session.id, data=data)

    def _created(self, session: Session) -> Event:
        data = {"name": session.name, "agent": session.agent, "is_adopted": session.is_adopted}
        return Event(at=self._clock(), kind=EventKind.SESSION_CREATED, session_id=session.id, data=data)

    async def _change(self, session: Session, changes: dict[str, Any], event: Event) -> Session:
        changed = await self._store.change_session(session.id, changes, event)
        self._keep(changed)
        self._on_change(session.id)
        return changed

    def free_name(self, wanted: str | None, base: str) -> str:
        """Return the wanted name if no running session has it; without a wanted name, a free name that begins with `base`."""
        if wanted is not None:
            self.check_free(check_name(wanted))
            return wanted
        taken = {session.name for session in self.running()} | set(RESERVED)
        names = (base, *(f"{base}-{number}" for number in range(2, len(taken) + 3)))
        return next(name for name in names if name not in taken)

    def check_free(self, name: str) -> None:
        """Raise a HarkError if a running session has this name."""
        if any(session.name == name for session in self.running()):
            raise HarkError(
                "name-taken",
                f"a session is called {name!r} already",
                "choose another one with -n NAME, or rename that session with `hark rename`",
            )

    def make(
        self, session_id: SessionId, name: str, kind: str, pane: Pane, command: Sequence[str], directory: str
    ) -> Session:
        """Return a new session, which is not on record yet."""
        now = self._clock()
        return Session(
            id=session_id,
            name=name,
            agent=kind,
            host=sockets.gethostname(),
            pane=pane,
            command=tuple(command),
            directory=directory,
            created_at=now,
            started_at=now,
        )


def _is_known(session: Session) -> bool:
    """Return False for a session whose first start was not finished: nobody is told of it yet."""
    return session.state is not SessionState.STARTING or session.gone_at is not None


def _as_known(session: Session) -> Session:
    """Return the session as people see it: a session that is about to start again is still gone."""
    is_starting = session.state is SessionState.STARTING
    return msgspec.structs.replace(session, state=SessionState.GONE) if is_starting else session


def new_id() -> SessionId:
    return SessionId(secrets.token_hex(SESSION_ID_LENGTH // 2))


def base_name(command: list[str]) -> str:
    """Return the name of a session that runs this command and was given no name."""
    base = "".join(c if c.isalnum() or c in "._-" else "-" for c in os.path.basename(command[0])).lstrip(".-")
    return (base or "session")[:40]
