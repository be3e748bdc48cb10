"""Runs the daemon until it is told to stop: takes its locks, opens the store, starts the service and its workers, and ends them."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import tomllib
from typing import Any

from hark import paths
from hark.agents.kinds import load_kinds
from hark.api.access.agent_guard import AgentGuard
from hark.api.dashboard.entrance import Entrance
from hark.api.listening import Doors
from hark.api.server import make_api
from hark.daemon.process.directories import make_directories
from hark.daemon.process.instance_lock import InstanceLock
from hark.daemon.process.log import close_log, logger, open_log
from hark.daemon.process.presence import Presence
from hark.daemon.process.restart import parse_descriptors, replace_process
from hark.daemon.service import Service, Worker
from hark.model.errors import Exit, HarkError
from hark.model.settings.config import Config, check_no_yaml, merge_config, parse_rights
from hark.store.sqlite.store import SqliteStore
from hark.terminal.tmux.version import check_version

RESTART_S = 1.0


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
) -> Service:
    """Run the daemon until it has ended. Return it, with its failure or the command that takes its place. Its locks are still held then."""
    config = load_config(options)
    kinds = load_kinds(paths.config_dir() / "agents")
    make_directories()
    lock.take(inherited)
    log = open_log(paths.log_path(), config.log_level, config.log_max_bytes)
    store = SqliteStore(paths.database_path())
    try:
        await store.open()
        hark = Service(config, kinds, store, _tmux_version(config.tmux))
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


async def _run(hark: Service, lock: InstanceLock, ready_fd: int | None) -> None:
    # The lock proves that the daemons which left leases behind are dead.
    await hark.store.release_leases(hark.lease_group)
    await hark.sessions.load()
    await hark.turns.load()
    await hark.questions.load()
    hark.statistics.begin(await hark.store.pending())
    api = make_api(hark, hark.config.max_text_bytes)
    doors = Doors(api, paths.socket_path())
    await hark.browsers.load()
    api.state.entrance = Entrance(api, doors, hark.config, hark.browsers, paths.state_dir())
    api.state.entrance.open_at_start()
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
            await hark.starter.settle_unfinished()
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
            await hark.terminal_views.close()
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


async def _let_deliveries_end(hark: Service) -> None:
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
