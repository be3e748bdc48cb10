"""Wires all parts of the daemon together, which no other file does. `serve` runs the daemon until it is told to stop."""

import asyncio
import contextlib
import os
import secrets
import signal
import socket
import subprocess
import sys
import tomllib
from datetime import datetime
from typing import Any, Protocol

from hark import __version__, paths
from hark.agents.kinds import GENERIC, Kinds, load_kinds
from hark.api.agent_guard import AgentGuard, agent_token
from hark.api.guard import Guard
from hark.api.listening import Doors, kept_secret, tcp_socket
from hark.api.server import make_api
from hark.daemon.bus import Bus
from hark.daemon.doors.editor_tickets import Editors
from hark.daemon.doors.hook_reports import Hooks
from hark.daemon.doors.hook_socket import HookDoor
from hark.daemon.doors.native_channels import Natives
from hark.daemon.hearing.announcer import Telling
from hark.daemon.hearing.inference import Inference
from hark.daemon.hearing.signal_intake import Signals
from hark.daemon.hearing.teacher import Teacher
from hark.daemon.hearing.tracker import Tracker
from hark.daemon.hearing.turn_book import TurnBook
from hark.daemon.hearing.witnesses import Witnesses
from hark.daemon.inbox import Inbox
from hark.daemon.mailbox import Mailbox
from hark.daemon.panes import Panes
from hark.daemon.process.clock import elapsed_s, wall_clock
from hark.daemon.process.directories import make_directories
from hark.daemon.process.event_log import log_event
from hark.daemon.process.instance_lock import InstanceLock
from hark.daemon.process.log import close_log, logger, open_log
from hark.daemon.process.presence import Presence
from hark.daemon.process.restart import own_command, parse_descriptors, replace_process
from hark.daemon.registry.idempotency import Repeats
from hark.daemon.registry.launcher import Launcher
from hark.daemon.registry.sessions import Sessions
from hark.daemon.registry.watcher import Watcher
from hark.daemon.session.courier import Courier
from hark.daemon.session.couriers import Couriers
from hark.daemon.session.estimates import Estimates
from hark.daemon.session.handover import Handovers
from hark.daemon.session.key_holds import key_age_s
from hark.daemon.session.pending_input import PendingInputs
from hark.daemon.timers.expiry import Expiry
from hark.daemon.timers.local_zone import LocalZone
from hark.daemon.timers.notices import Notices
from hark.daemon.timers.reminders import Scheduler
from hark.daemon.timers.retention import Retention
from hark.daemon.waits import Waits
from hark.model.config import Config, check_no_yaml, merge_config, parse_listen, parse_rights
from hark.model.errors import Exit, HarkError
from hark.model.ids import SessionId
from hark.model.session import Pane, Session
from hark.queue.statistics import Statistics
from hark.signals.marker import MarkerReader
from hark.store.contract import Store
from hark.store.sqlite.store import SqliteStore
from hark.terminal.tmux.configuration import own_files
from hark.terminal.tmux.socket_paths import default_socket
from hark.terminal.tmux.version import check_version

RESTART_S = 1.0


class Worker(Protocol):
    async def run(self) -> None: ...


class Hark:
    """Everything that the API can reach."""

    def __init__(self, config: Config, kinds: Kinds, store: Store, tmux_version: str | None) -> None:
        self.config = config
        self.store = store
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
        self.editors = Editors(lambda words: kinds.recognise(words) != GENERIC)
        self.panes = Panes(
            paths.runtime_dir() / "pipes.sock",
            config.tmux,
            (config.tmux_config,) if config.tmux_config else (),
            {own_socket(config): own_files(config.tmux_config, os.environ)},
        )
        natives = paths.runtime_dir() / "native"
        self.sessions = Sessions(
            store,
            self.panes,
            kinds,
            wall_clock,
            own_socket(config),
            Launcher(
                paths.runtime_dir() / "airlocks",
                natives,
                paths.state_dir() / "hooks",
                has_native=config.native,
                has_hooks=config.hooks,
                has_waiter=config.rewake,
                access=self._access,
            ),
        )
        self.repeats = Repeats(store, self.sessions, wall_clock)
        self.couriers = Couriers(store, self._courier, self._session_at)
        self.mailbox = Mailbox(store, self.sessions, self.couriers, self.bus, config, wall_clock)
        self.teacher = Teacher(self.mailbox)
        self.turns = TurnBook(store, self.sessions, self.panes, kinds, wall_clock)
        self.natives = Natives(self.panes, self.sessions, self.turns, natives)
        self.waits = Waits(store, self.sessions, self.turns, self.bus)
        namespaces = tuple(name.strip() for name in config.signal_namespaces.split(",") if name.strip())
        self.signals = Signals(store, self.sessions, MarkerReader(namespaces), wall_clock)
        self.telling = make_telling(self.sessions, self.panes, config)
        self.inference = Inference(self.sessions, self.panes, self.signals, config, wall_clock)
        self.tracker = Tracker(self.panes, self.sessions, self.signals, self.turns, self.natives, kinds, namespaces)
        self.lease_group = f"{socket.gethostname()}:{self.database}"
        """The group of all daemons of this database; the lock beside the database lets only one of them live at a time."""
        self._owner = f"{self.lease_group}:{self.instance}"
        self._texts = paths.state_dir() / "texts"
        self.witnesses = Witnesses(self.sessions, self.panes, kinds, self.turns, wall_clock)
        self.handovers = Handovers(
            store,
            self.turns,
            wall_clock,
            self._owner,
            self._texts,
            lambda session_id: self.couriers.of(session_id).lock,
            self._key_age_s,
            self.witnesses.transcript_of,
            is_on=config.hook_messages,
            is_waking=config.rewake,
        )
        self.hooks = Hooks(store, self.sessions, self.turns, self.handovers, self.witnesses, kinds, wall_clock)
        self.hook_door = HookDoor(paths.hooks_path(), self.hooks, self.handovers)
        self.inbox = Inbox(store, self.bus, wall_clock)
        self.scheduler = Scheduler(
            store, self.sessions, self.mailbox, wall_clock, elapsed_s, config.max_text_bytes, LocalZone()
        )
        self.notices = Notices(store, self.sessions, self.mailbox, self.bus, wall_clock, self.scheduler.add)
        self.watcher = Watcher(self.sessions, self.panes, self.couriers.wake, wall_clock)
        self.pending_inputs = PendingInputs(self.panes, self.couriers, kinds, wall_clock)
        self.estimates = Estimates(store, self.sessions, self.turns, self.handovers, self.natives, self.watcher, kinds)
        self.expiry = Expiry(store, self.couriers, wall_clock)
        texts = paths.state_dir() / "texts"
        self.retention = Retention(store, self.sessions, self.couriers, config, wall_clock, elapsed_s, texts)
        self.kinds = kinds
        self.bus.listen(log_event)
        self.bus.listen(self.statistics.heed)
        self.bus.listen(self.couriers.on_event)
        self.bus.listen(self.turns.on_event)
        self.bus.listen(self.handovers.on_event)
        self.bus.listen(self.witnesses.on_event)
        self.bus.listen(self.hooks.on_event)
        self.bus.listen(self.expiry.on_event)
        self.bus.listen(self.signals.on_event)
        self.bus.listen(self.telling.on_event)
        self.sessions.on_change = self.couriers.stir
        self.turns.on_heard = self.signals.hear
        self.hooks.on_record = self.tracker.note_record
        self.witnesses.on_record = self.tracker.note_record
        self.panes.on_chunk = self.tracker.take
        self.panes.on_change = self.watcher.look_now
        self.panes.on_output = self.couriers.on_output

    def workers(self) -> "list[Worker]":
        """Return the workers. When a worker fails, that is logged and the worker is started again."""
        of_the_queue = (self.expiry, self.scheduler, self.notices, self.retention)
        of_signals = (self.tracker, self.telling, self.inference)
        return [self.watcher, self.turns, self.hook_door, self.witnesses, *of_the_queue, *of_signals]

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

    def _courier(self, session_id: SessionId) -> Courier:
        return Courier(
            session_id,
            self.store,
            self.sessions,
            self.panes,
            self.kinds,
            self.config,
            wall_clock,
            self._owner,
            self._texts,
            self.editors,
            self.turns,
            self.natives,
            self.handovers,
        )

    async def _key_age_s(self, session: Session) -> float | None:
        return await key_age_s(self.panes, session, wall_clock)

    def _session_at(self, pane: Pane) -> SessionId | None:
        session = self.sessions.at(pane)
        return session.id if session else None


def serve(options: dict[str, str], ready_fd: int | None = None, lock_fds: str | None = None) -> int:
    """Run the daemon in the foreground. Report on `ready_fd` when it accepts connections, or why it cannot start. `lock_fds` names the
    descriptors that hold its locks, from the daemon whose place it takes."""
    lock = InstanceLock()
    try:
        hark = asyncio.run(_serve(options, ready_fd, lock, parse_descriptors(lock_fds) if lock_fds else None))
        if hark.successor:
            return replace_process(hark.successor, options, lock)
        return Exit.FAILURE if hark.failure else Exit.OK
    except HarkError as error:
        _report(ready_fd, f"error {error.code}\t{error.detail}\t{error.hint}\n")
        raise
    finally:
        lock.release()


async def _serve(
    options: dict[str, str], ready_fd: int | None, lock: InstanceLock, inherited: tuple[int, int] | None
) -> Hark:
    """Run the daemon until it has ended. Return it, with its failure or the command that takes its place. Its locks are still held then."""
    config = load_config(options)
    kinds = load_kinds(paths.config_dir() / "agents")
    make_directories()
    lock.take(inherited)
    log = open_log(paths.log_path(), config.log_level, config.log_max_bytes)
    store = SqliteStore(paths.database_path())
    try:
        await store.open()
        hark = Hark(config, kinds, store, _tmux_version(config.tmux))
        store.on_broken = lambda reason: hark.fail(f"the database cannot be used any more: {reason}")
        await _run(hark, lock, ready_fd)
    except HarkError as error:
        logger.error("cannot start", extra={"code": error.code, "detail": error.detail})
        raise
    except BaseException:
        logger.critical("the daemon failed", exc_info=True)
        raise
    finally:
        await store.close()
        close_log(log)
    return hark


async def _run(hark: Hark, lock: InstanceLock, ready_fd: int | None) -> None:
    # The lock proves that the daemons which left leases behind are dead.
    await hark.store.release_leases(hark.lease_group)
    await hark.sessions.load()
    await hark.turns.load()
    hark.statistics.begin(await hark.store.pending())
    api = make_api(hark, hark.config.max_text_bytes)
    doors = Doors(api, paths.socket_path())
    if hark.config.listen:
        host, port = parse_listen(hark.config.listen)
        listener = tcp_socket(host, port)
        doors.bind_tcp(Guard(api, kept_secret(paths.token_path()), listener.getsockname()[1]), listener)
    doors.bind()
    rights = parse_rights(hark.config.agent_rights)
    agents = Doors(AgentGuard(api, hark.agent_secret, rights, hark.sessions.known), paths.agent_socket_path())
    agents.bind()
    presence = Presence(lock, (doors, agents, hark.hook_door, hark.panes), hark.fail)
    hark.panes.open()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, hark.stop)
    try:
        async with asyncio.TaskGroup() as tasks:
            # Mark sessions that ended while the daemon was down as gone before the API starts answering.
            await hark.sessions.settle_unfinished()
            await hark.watcher.look()
            workers = [tasks.create_task(hark.natives.run(), name="Natives")]
            workers += [tasks.create_task(hark.couriers.run(), name="Couriers")]
            workers += [tasks.create_task(_supervise(worker)) for worker in (*hark.workers(), api.state.mcp, presence)]
            await asyncio.sleep(0)
            doors.serve(tasks)
            agents.serve(tasks)
            logger.info("ready", extra={"pid": os.getpid(), "socket": str(paths.socket_path())})
            _report(ready_fd, "ready\n")
            await hark.stopping.wait()
            logger.info("stopping")
            hark.panes.hang_up()
            hark.bus.hang_up()
            await asyncio.gather(doors.close(), agents.close())
            await _let_deliveries_end(hark)
            for worker in workers:
                worker.cancel()
    finally:
        await hark.panes.close()
        doors.remove()
        agents.remove()
        logger.info("stopped")


async def _supervise(worker: Worker) -> None:
    """Run a worker for ever. If it fails, such as on a full disk, log that and start it again, so that the daemon does not end with it."""
    name = type(worker).__name__
    while True:
        try:
            await worker.run()
        except HarkError as failure:
            logger.error("worker failed", extra={"worker": name, "code": failure.code, "detail": failure.detail})
        except Exception:  # noqa: BLE001 a supervisor logs and restarts
            logger.exception("worker failed", extra={"worker": name})
        await asyncio.sleep(RESTART_S)


async def _let_deliveries_end(hark: Hark) -> None:
    """Wait until the deliveries that have begun are finished, instead of cutting them off; each delivery has deadlines of its own."""
    for courier in hark.couriers.all():
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(10):
                await courier.lock.acquire()


def load_config(options: dict[str, str]) -> Config:
    try:
        data = paths.config_path().read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        data = b""
    except OSError as failure:
        raise HarkError("config-invalid", f"{paths.config_path()}: {failure.strerror}", "make it readable") from failure
    try:
        file: dict[str, Any] = tomllib.loads(data.decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as wrong:
        raise HarkError("config-invalid", f"{paths.config_path()}: {wrong}", "see docs/configuration.md") from wrong
    for name in ("config.yaml", "config.yml"):
        path = paths.config_path().with_name(name)
        with contextlib.suppress(OSError):
            check_no_yaml(str(path), path.read_text(encoding="utf-8", errors="replace"))
    return merge_config(file, os.environ, options)


def make_telling(sessions: Sessions, panes: Panes, config: Config) -> Telling:
    try:
        return Telling(sessions, panes, config, datetime.now)
    except ValueError as wrong:
        raise HarkError("config-invalid", f"notify: {wrong}", "see docs/configuration.md") from wrong


def own_socket(config: Config) -> str:
    """Return the socket of the tmux server of `hark new`: the setting `tmux_socket`, else a socket beside everything else under
    HARK_HOME if that is set, else the one that `tmux -L hark` reaches."""
    if config.tmux_socket:
        return os.path.abspath(config.tmux_socket)
    return str(paths.runtime_dir() / "tmux") if os.environ.get("HARK_HOME") else default_socket("hark")


def _tmux_version(program: str) -> str | None:
    """Return tmux's version; None if there is no tmux: then there is nothing to deliver to, but what was sent can still be read."""
    try:
        text = subprocess.run([program, "-V"], capture_output=True, text=True, timeout=10, check=False).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return None
    check_version(text)
    return text


def _report(ready_fd: int | None, words: str) -> None:
    if ready_fd is not None:
        with contextlib.suppress(OSError):
            os.write(ready_fd, words.encode())
            os.close(ready_fd)
    elif words == "ready\n":
        print(f"hark is ready on {paths.socket_path()}", file=sys.stderr)
