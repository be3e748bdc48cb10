"""The typed face of the daemon: all that the API, MCP and hooks may call, and the only place where its parts are made and connected."""

import asyncio
import os
import secrets
import socket
from datetime import datetime
from typing import Protocol

from hark import __version__, paths
from hark.agents.kinds import GENERIC, Kinds
from hark.daemon.askers import Askers
from hark.daemon.bus import Bus
from hark.daemon.core import Core
from hark.daemon.delivering.equipment import Equipment
from hark.daemon.delivering.handover import Handovers
from hark.daemon.delivering.key_holds import key_age_s
from hark.daemon.doors.editor_tickets import Editors
from hark.daemon.doors.hook_reports import Hooks
from hark.daemon.doors.hook_socket import HookDoor
from hark.daemon.doors.native_channels import Natives
from hark.daemon.hearing.announcer import Announcer
from hark.daemon.hearing.answers import Answers
from hark.daemon.hearing.inference import Inference
from hark.daemon.hearing.signal_intake import Signals
from hark.daemon.hearing.teacher import Teacher
from hark.daemon.hearing.tracker import Tracker
from hark.daemon.hearing.turn_book import TurnBook, TurnListeners
from hark.daemon.hearing.witnesses import Witnesses
from hark.daemon.inbox import Inbox
from hark.daemon.loops import Loops
from hark.daemon.mailbox import Mailbox
from hark.daemon.outbox import Outbox
from hark.daemon.panes import PaneListeners, Panes
from hark.daemon.process.clock import elapsed_s, wall_clock
from hark.daemon.process.event_log import log_event
from hark.daemon.process.log import logger
from hark.daemon.process.restart import own_command
from hark.daemon.process.tokens import agent_token, kept_secret
from hark.daemon.questions.answering import Answering
from hark.daemon.questions.book import Questions
from hark.daemon.questions.key_guard import KeyGuard
from hark.daemon.questions.policing import Policing, load_policy
from hark.daemon.registry.comebacks import Comebacks
from hark.daemon.registry.dead_ends import DeadEnds
from hark.daemon.registry.idempotency import Repeats
from hark.daemon.registry.kept_starts import KeptStarts
from hark.daemon.registry.launcher import Launcher
from hark.daemon.registry.restarts import Restarts
from hark.daemon.registry.sessions import Sessions
from hark.daemon.registry.starter import Defaults, Starter
from hark.daemon.registry.watcher import Watcher
from hark.daemon.session.courier import Courier
from hark.daemon.session.couriers import Couriers
from hark.daemon.session.estimates import Estimates
from hark.daemon.session.live import LiveSessions
from hark.daemon.session.pending_input import PendingInputs
from hark.daemon.timers.expiry import Expiry
from hark.daemon.timers.local_zone import LocalZone
from hark.daemon.timers.notices import Notices
from hark.daemon.timers.reminders import Scheduler
from hark.daemon.timers.retention import Retention
from hark.daemon.viewing.alerts import Alerts
from hark.daemon.viewing.browsers import Browsers
from hark.daemon.viewing.last_lines import LastLines
from hark.daemon.viewing.past import Past
from hark.daemon.viewing.terminal_views import TerminalViews
from hark.daemon.waits import Waits
from hark.model.errors import HarkError
from hark.model.heard import Heard
from hark.model.ids import SessionId
from hark.model.session import Pane, RestartPolicy, Session
from hark.model.settings.config import Config
from hark.model.signal import SignalSource, SignalState
from hark.queue.reports.statistics import Statistics
from hark.signals.marker import MarkerReader
from hark.store.contract import Record, Store
from hark.terminal.tmux.configuration import own_files
from hark.terminal.tmux.socket_paths import default_socket


class Worker(Protocol):
    async def run(self) -> None: ...


class Service:
    """The parts of the daemon, made and connected: all that the API, MCP and hooks may call.

    Each part gets what it works with when it is made, in the order of the constructor. Where a part tells something to one that is made
    later, it gets a function that looks the other part up when there is something to tell; nothing is told before all parts are made.
    """

    def __init__(self, config: Config, kinds: Kinds, store: Store, tmux_version: str | None) -> None:
        self.config = config
        self.store = store
        self.record: Record = store
        """What the API may read of the store. The API touches the store nowhere else."""
        self.tmux_version = tmux_version
        self.started_at: datetime = wall_clock()
        self.database = str(paths.database_path())
        self.stopping = asyncio.Event()
        self.failure: str | None = None
        """Why the daemon has to end although nobody has asked it to; None if nothing is wrong."""
        self.successor: list[str] | None = None
        """The command that takes the daemon's place when the daemon has ended; None if nothing does."""
        self.instance = secrets.token_hex(8)
        self.agent_secret = kept_secret(paths.agent_secret_path())
        """The secret from which the tokens of sessions are made."""
        self.statistics = Statistics()
        self.bus = Bus(store)
        outbox = Outbox(store, wall_clock)
        self.panes = Panes(
            paths.runtime_dir() / "pipes.sock",
            config.tmux,
            (config.tmux_config,) if config.tmux_config else (),
            {own_socket(config): own_files(config.tmux_config, os.environ)},
            PaneListeners(
                on_change=lambda socket: self.watcher.look_now(socket),
                on_output=lambda pane: self.couriers.on_output(pane),
                on_chunk=lambda pane, data: self.tracker.take(pane, data),
            ),
        )
        natives = paths.runtime_dir() / "native"
        self.sessions = Sessions(
            store, self.panes, kinds, wall_clock, lambda session_id: self.couriers.stir(session_id)
        )
        launcher = Launcher(
            paths.runtime_dir() / "airlocks",
            natives,
            paths.state_dir() / "hooks",
            has_native=config.native,
            has_hooks=config.hooks,
            has_waiter=config.rewake,
            access=self._access,
        )
        self.live = LiveSessions(self.sessions.is_running)
        kept = KeptStarts(paths.runtime_dir() / "starts")
        defaults = Defaults(socket=own_socket(config), restart=RestartPolicy(config.restart))
        self.starter = Starter(self.sessions, self.panes, kinds, launcher, kept, defaults, self.live)
        self.restarts = Restarts(self.sessions, self.starter, self.live)
        self.comebacks = Comebacks(
            self.sessions, self.restarts, kept, wall_clock, config.max_restarts, self._tell_error
        )
        core = Core(
            config=config,
            kinds=kinds,
            store=store,
            bus=self.bus,
            outbox=outbox,
            panes=self.panes,
            sessions=self.sessions,
            live=self.live,
            clock=wall_clock,
            texts=paths.state_dir() / "texts",
        )
        self.browsers = Browsers(store, wall_clock)
        self.alerts = Alerts(store, self.sessions, self.bus, wall_clock, elapsed_s)
        self.last_lines = LastLines(self.sessions, self.panes, kinds, wall_clock)
        self.past = Past(store, self.bus, wall_clock)
        self.terminal_views = TerminalViews(self.panes)
        self.editors = Editors(self.live, lambda words: kinds.recognise(words) != GENERIC)
        self.repeats = Repeats(store, self.sessions, wall_clock)
        self.couriers = Couriers(store, self.live, self._courier, self._session_at)
        self.askers = Askers(self.sessions)
        self.loops = Loops(config, elapsed_s, self._tell_error)
        self.mailbox = Mailbox(core, self.couriers, self.loops)
        self.teacher = Teacher(self.mailbox)
        namespaces = tuple(name.strip() for name in config.signal_namespaces.split(",") if name.strip())
        self.signals = Signals(core, MarkerReader(namespaces))
        self.questions = Questions(core)
        listeners = TurnListeners(
            on_heard=self._hear,
            on_seen=self.questions.see,
            find_answer=lambda message, fact: self.answers.find(message, fact),
        )
        self.turns = TurnBook(core, listeners)
        self.questions.phase_of = lambda session_id: self.turns.of(session_id).phase
        self.natives = Natives(core, self.turns, natives, self.questions.list_native)
        self.key_guard = KeyGuard(self.panes)
        self.answering = Answering(
            self.questions, self.sessions, self.natives, self.key_guard.hold, is_on=config.answers
        )
        self.policing = Policing(load_policy(config), self.questions, self.answering)
        self.questions.on_asked = self.policing.on_asked
        self.waits = Waits(core, self.turns)
        self.announcer = make_announcer(core)
        self.inference = Inference(core, self.signals)
        self.tracker = Tracker(core, self.signals, self.turns, self.natives, namespaces)
        self.lease_group = f"{socket.gethostname()}:{self.database}"
        """The group of all daemons of this database; the lock beside the database lets only one of them live at a time."""
        self._owner = f"{self.lease_group}:{self.instance}"
        self.witnesses = Witnesses(core, self.turns, self.tracker.note_record)
        self.answers = Answers(core, self.natives, self.witnesses)
        self.handovers = Handovers(
            core,
            self.turns,
            self._owner,
            lambda session_id: self.couriers.of(session_id).lock,
            self._key_age_s,
            self.witnesses.transcript_of,
        )
        self._equipment = Equipment(
            store=store,
            outbox=outbox,
            sessions=self.sessions,
            live=self.live,
            panes=self.panes,
            kinds=kinds,
            config=config,
            clock=wall_clock,
            owner=self._owner,
            texts=core.texts,
            editors=self.editors,
            turns=self.turns,
            natives=self.natives,
            handovers=self.handovers,
        )
        self.hooks = Hooks(core, self.turns, self.handovers, self.witnesses, self.answers, self.questions)
        self.hook_door = HookDoor(
            paths.hooks_path(), self.live, self.hooks, self.handovers, self.policing, takes_answers=config.answers
        )
        self.inbox = Inbox(store, outbox, self.bus)
        self.scheduler = Scheduler(core, self.mailbox, elapsed_s, LocalZone())
        self.notices = Notices(core, self.mailbox, self.scheduler.add)
        self.watcher = Watcher(core, self.couriers.wake, self.starter.settle_unfinished, self.comebacks.plan)
        self.pending_inputs = PendingInputs(core, self.couriers)
        self.estimates = Estimates(core, self.turns, self.handovers, self.natives, self.watcher)
        self.dead_ends = DeadEnds(core, self.turns)
        self.expiry = Expiry(core, self.couriers)
        self.retention = Retention(core, self.couriers, elapsed_s)
        self.kinds = kinds
        self.bus.listen(log_event)
        self.bus.listen(self.statistics.count)
        self.bus.listen(self.couriers.on_event)
        self.bus.listen(self.turns.on_event)
        self.bus.listen(self.expiry.on_event)
        self.bus.listen(self.announcer.on_event)
        self.bus.listen(self.questions.on_event)
        self.bus.listen(self.live.on_event)
        self.bus.listen(self.terminal_views.on_event)
        self.bus.listen(self.comebacks.on_event)

    def workers(self) -> "list[Worker]":
        """Return the workers. When a worker fails, that is logged and the worker is started again."""
        of_the_queue = (self.dead_ends, self.expiry, self.scheduler, self.notices, self.retention)
        of_sessions = (self.live, self.watcher, self.comebacks)
        of_signals = (self.tracker, self.announcer, self.inference)
        of_questions = (self.questions, self.key_guard, self.policing)
        of_the_dashboard = (self.alerts, self.last_lines)
        heard = (self.turns, self.hook_door, self.witnesses)
        return [*of_sessions, *heard, *of_the_queue, *of_signals, *of_questions, *of_the_dashboard]

    def stop(self) -> None:
        self.stopping.set()

    def restart(self, command: list[str] | None) -> None:
        """End the daemon, and start `command` in its place; by default that is the same program."""
        self.successor = command or own_command()
        logger.info("restarting", extra={"version": __version__, "command": self.successor})
        self.stop()

    def fail(self, reason: str) -> None:
        """End the daemon, because it cannot do its work any more. The next `hark` command starts another daemon."""
        if self.failure is None:
            self.failure = reason
            logger.critical("cannot go on", extra={"detail": reason})
        self.stop()

    def _access(self, session_id: SessionId) -> dict[str, str]:
        """Return the environment variables by which a program in a session reaches the daemon with that session's rights."""
        token = agent_token(self.agent_secret, session_id)
        return {"HARK_TOKEN": token, "HARK_AGENT_SOCKET": str(paths.agent_socket_path())}

    async def _hear(self, session_id: SessionId, heard: Heard) -> None:
        """Tell everybody who listens what an agent has said about itself."""
        await self.questions.hear(session_id, heard)
        await self.signals.hear(session_id, heard)

    def _courier(self, session_id: SessionId) -> Courier:
        return Courier(session_id, self._equipment)

    async def _tell_error(self, session: Session, text: str) -> None:
        """Tell a human what is wrong with a session, as of an error that its agent announces."""
        await self.signals.command(session, SignalState.ERROR, text, SignalSource.HOOK)

    async def _key_age_s(self, session: Session) -> float | None:
        return await key_age_s(self.panes, session, wall_clock)

    def _session_at(self, pane: Pane) -> SessionId | None:
        session = self.sessions.at(pane)
        return session.id if session else None


def make_announcer(core: Core) -> Announcer:
    try:
        return Announcer(core, datetime.now)
    except ValueError as wrong:
        raise HarkError("config-invalid", f"notify: {wrong}", "see docs/configuration.md") from wrong


def own_socket(config: Config) -> str:
    """Return the socket of the tmux server of `hark new`: the setting `tmux_socket`, else a socket beside everything else under
    HARK_HOME if that is set, else the one that `tmux -L hark` reaches."""
    if config.tmux_socket:
        return os.path.abspath(config.tmux_socket)
    return str(paths.runtime_dir() / "tmux") if os.environ.get("HARK_HOME") else default_socket("hark")
