"""Checks what hark needs from the machine: programs, tmux, settings, directories."""

import os
import shlex
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from hark import paths
from hark.agents.kinds import load_kinds
from hark.app import load_config
from hark.diagnosis.finding import Finding, ok, problem, warning
from hark.inside import airlock
from hark.inside.editor import choose_editor
from hark.model.errors import HarkError
from hark.model.settings.config import Config
from hark.terminal.tmux.version import check_version

PROGRAMS = ("hark", "hark-hook", "hark-editor", "hark-airlock")
TMUX_S = 10.0
LOW_BYTES, NO_BYTES = 200_000_000, 20_000_000
_AGAIN = "install hark again, with its programs"


def look_at_machine(environment: Mapping[str, str]) -> Iterator[Finding]:
    yield ok("python", f"{'.'.join(str(part) for part in sys.version_info[:3])} at {sys.executable}")
    yield programs(Path(sys.executable).parent)
    yield path(environment)
    config, found = settings()
    yield found
    yield agent_files()
    yield tmux(config.tmux)
    yield editor(environment)
    yield airlock_file(Path(airlock.__file__))
    yield runtime_directory(paths.runtime_dir())
    yield from state_directory(paths.state_dir())


def programs(directory: Path) -> Finding:
    missing = [name for name in PROGRAMS if not os.access(directory / name, os.X_OK)]
    if missing:
        return problem("programs", f"not in {directory}: {', '.join(missing)}", _AGAIN)
    return ok("programs", f"{', '.join(PROGRAMS)} in {directory}")


def path(environment: Mapping[str, str]) -> Finding:
    """Check that the shell, and the agents that the shell starts, find this hark when they call it by its name."""
    found = shutil.which("hark", path=environment.get("PATH", os.defpath))
    ours = Path(sys.executable).parent / "hark"
    if found is None:
        linked = Path(environment.get("HOME") or "/") / ".local/bin/hark"
        directory = str(linked.parent if os.path.exists(linked) and os.path.samefile(linked, ours) else ours.parent)
        line = f'export PATH={shlex.quote(directory)}:"$PATH"'
        hint = f"add this line to the startup file of your shell: {line}"
        return warning("path", "`hark` is not on your PATH, so agents do not find it", hint)
    if not ours.exists() or os.path.samefile(found, ours):
        return ok("path", found)
    return warning("path", f"`hark` is {found}, and this one is {ours}", "remove one of them, or change your PATH")


def settings() -> tuple[Config, Finding]:
    try:
        config = load_config({})
    except HarkError as wrong:
        return Config(), problem("settings", wrong.detail, wrong.hint)
    where = paths.config_path()
    return config, ok("settings", str(where) if os.path.exists(where) else f"the defaults: there is no {where}")


def agent_files() -> Finding:
    directory = paths.config_dir() / "agents"
    try:
        load_kinds(directory)
    except HarkError as wrong:
        return problem("agent-files", wrong.detail, wrong.hint)
    own = len(list(directory.glob("*.toml"))) if directory.is_dir() else 0
    return ok("agent-files", f"those of hark, and {own} of yours in {directory}" if own else "those of hark")


def tmux(program: str) -> Finding:
    try:
        said = subprocess.run(
            [program, "-V"], capture_output=True, text=True, timeout=TMUX_S, check=False
        ).stdout.strip()
        check_version(said)
    except (OSError, subprocess.TimeoutExpired) as failure:
        hint = "install it (apt-get install tmux, or brew install tmux), or name it with the setting `tmux`"
        return problem("tmux", f"{program} does not run: {failure}", hint)
    except HarkError as old:
        return problem("tmux", old.detail, old.hint)
    return ok("tmux", f"{said} at {shutil.which(program) or program}")


def editor(environment: Mapping[str, str]) -> Finding:
    """Check that `hark-editor` and the user's own editor can be run: agents that hark starts get `hark-editor`, which opens the user's
    own editor for the user."""
    ours = Path(sys.executable).parent / "hark-editor"
    if not os.access(ours, os.X_OK):
        return problem("editor", f"{ours} is not a program: drafts cannot be carried by an editor", _AGAIN)
    own = choose_editor(environment)
    if shutil.which(own[0], path=environment.get("PATH", os.defpath)) is None:
        detail = f"your own editor is {own[0]}, which is not on your PATH: an agent's editor key opens nothing for you"
        return warning("editor", detail, "set VISUAL or EDITOR to an editor that is there")
    return ok("editor", f"{ours}; yours is {shlex.join(own)}")


def airlock_file(file: Path) -> Finding:
    if not os.access(file, os.R_OK):
        return problem("airlock", f"{file} cannot be read: no session can be started", _AGAIN)
    return ok("airlock", str(file))


def runtime_directory(directory: Path) -> Finding:
    if len(os.fsencode(paths.socket_path())) > 100:
        detail = f"{paths.socket_path()} is too long for a socket"
        return problem("runtime-directory", detail, "choose a shorter HARK_HOME or XDG_RUNTIME_DIR")
    try:
        facts = os.lstat(directory)
    except FileNotFoundError:
        return ok("runtime-directory", f"{directory} will be made by the daemon")
    except OSError as failure:
        hint = "set HARK_HOME or XDG_RUNTIME_DIR to a directory of yours"
        return problem("runtime-directory", f"{directory}: {failure.strerror}", hint)
    if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.getuid():
        hint = "remove it if somebody else made it, or set HARK_HOME"
        return problem("runtime-directory", f"{directory} is not a directory of yours", hint)
    if facts.st_mode & 0o077:
        return problem("runtime-directory", f"{directory} is open to others", f"chmod 700 {directory}")
    return ok("runtime-directory", str(directory))


def state_directory(directory: Path) -> Iterator[Finding]:
    there = next(one for one in (directory, *directory.parents) if os.path.exists(one))
    if not os.path.isdir(there) or not os.access(there, os.W_OK | os.X_OK):
        hint = "make it a directory that you may write to, or set HARK_HOME to one"
        yield problem("state-directory", f"cannot write to {there}", hint)
        return
    yield ok("state-directory", str(directory) if there == directory else f"{directory} will be made by the daemon")
    yield disk_space(there, shutil.disk_usage(there).free)


def disk_space(directory: Path, free: int) -> Finding:
    detail = f"{free / 1e6:.0f} MB free at {directory}"
    if free < NO_BYTES:
        return problem("disk-space", detail, "make room: messages are stored before they are delivered")
    return warning("disk-space", detail, "make room soon") if free < LOW_BYTES else ok("disk-space", detail)
