"""The places where hark keeps its files. Stdlib only: the programs that run inside agents use this module too.

HARK_HOME, if it is set, holds everything; otherwise the XDG directories do. The runtime directory must belong to this user and
be closed to others, because whoever can write into it can talk to the user's agents.
"""

import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path


class UnsafeDirectory(Exception):
    pass


def _home() -> Path | None:
    home = os.environ.get("HARK_HOME")
    return Path(home).absolute() if home else None


def _xdg(variable: str, fallback: str) -> Path:
    value = os.environ.get(variable, "")
    base = Path(value) if value.startswith("/") else Path.home() / fallback
    return base / "hark"


def runtime_dir() -> Path:
    if home := _home():
        return home / "run"
    value = os.environ.get("XDG_RUNTIME_DIR", "")
    if value.startswith("/") and os.path.isdir(value):
        return Path(value) / "hark"
    return Path("/tmp") / f"hark-{os.getuid()}"


def state_dir() -> Path:
    return (home / "state") if (home := _home()) else _xdg("XDG_STATE_HOME", ".local/state")


def config_dir() -> Path:
    return (home / "config") if (home := _home()) else _xdg("XDG_CONFIG_HOME", ".config")


SOCKET = "hark.sock"


def socket_path() -> Path:
    """Return the socket at which a daemon that this process starts listens. `instance.socket_path` returns the socket of the daemon
    that runs."""
    return runtime_dir() / SOCKET


def hooks_path() -> Path:
    """Return the socket at which agents' hooks reach the daemon. `inside/hook.py` works the path out by itself."""
    return runtime_dir() / "hooks.sock"


def agent_socket_path() -> Path:
    """Return the socket at which agents reach the daemon with the rights of their own session."""
    return runtime_dir() / "agent.sock"


def agent_secret_path() -> Path:
    return state_dir() / "agent-secret"


def lock_path() -> Path:
    """Return the lock file that the daemon of the database beside it holds; `instance.py` reads the file."""
    return state_dir() / "hark.lock"


def runtime_lock_path() -> Path:
    """Return the lock file that the daemon with the sockets beside it holds: daemons of two databases may share a runtime directory
    by mistake."""
    return runtime_dir() / "hark.lock"


def database_path() -> Path:
    return state_dir() / "hark.db"


def log_path() -> Path:
    return state_dir() / "hark.log"


def token_path() -> Path:
    return state_dir() / "token"


def config_path() -> Path:
    return config_dir() / "config.toml"


def make_private(directory: Path) -> Path:
    """Create the directory with mode 0700. If the path exists, raise UnsafeDirectory unless it is a real directory of this user's, and
    close it to others."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    facts = os.lstat(directory)
    if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.getuid():
        raise UnsafeDirectory(f"{directory} is not a directory of yours")
    if facts.st_mode & 0o077:
        os.chmod(directory, 0o700)
    return directory


def socket_is_ours(path: Path) -> bool:
    """Return True if the path is a socket of this user's. Hark must not speak to a socket that somebody else put there."""
    try:
        facts = os.lstat(path)
    except OSError:
        return False
    return _is_own_socket(facts)


def is_foreign_socket(path: Path) -> bool:
    """Return True if something other than a socket of this user's is at the path. Nothing at all is not foreign: the socket may have
    vanished a moment ago, because its daemon has ended."""
    try:
        facts = os.lstat(path)
    except OSError:
        return False
    return not _is_own_socket(facts)


def _is_own_socket(facts: os.stat_result) -> bool:
    return stat.S_ISSOCK(facts.st_mode) and facts.st_uid == os.getuid()


UNSAFE_HINT = "make the directory yours with mode 0700, set TMUX_TMPDIR, or choose another server with -L or -S"


def check_tmux_socket(path: str) -> None:
    """Raise UnsafeDirectory unless the tmux server at that socket can only be this user's, whether it runs or is yet to be
    started. A client gives its whole environment to the server, so hark must not speak to somebody else's server.

    tmux itself refuses a directory of its own (`tmux-UID`) that is not this user's or has any permission for others. Any
    other directory must be this user's or root's, and other users must not be able to put a socket of theirs there."""
    directory, uid = os.path.dirname(path), os.getuid()
    is_of_tmux = os.path.basename(directory) == f"tmux-{uid}"
    if is_of_tmux and os.path.islink(directory):
        raise UnsafeDirectory(f"{directory} is a link")
    path = os.path.realpath(path)
    directory = os.path.dirname(path)
    try:
        facts = os.stat(directory)
    except OSError:
        return
    owner = _owner_of_socket(path)
    if facts.st_uid != uid and (is_of_tmux or facts.st_uid != 0):
        raise UnsafeDirectory(f"{directory} belongs to somebody else")
    if owner not in (None, uid):
        raise UnsafeDirectory(f"the socket {path} belongs to somebody else")
    # In a directory with the sticky bit, such as /tmp, nobody else can replace a socket of this user's.
    is_kept = owner == uid and bool(facts.st_mode & stat.S_ISVTX) and not is_of_tmux
    if facts.st_mode & (stat.S_IRWXO if is_of_tmux else stat.S_IWOTH) and not is_kept:
        raise UnsafeDirectory(f"{directory} is open to others")


def _owner_of_socket(path: str) -> int | None:
    try:
        return os.lstat(path).st_uid
    except OSError:
        return None


OF_A_SESSION = (
    "TMUX",
    "TMUX_PANE",
    "HARK_SESSION",
    "HARK_TOKEN",
    "HARK_AGENT_SOCKET",
    "HARK_HOOKS",
    "HARK_VISUAL",
    "HARK_EDITOR",
)
"""The variables that say in which pane or session a process runs. The daemon runs in none, whoever starts it."""


def hark_environment(session_id: str) -> dict[str, str]:
    """Return the variables by which a program in a session knows which session it is in."""
    home = os.environ.get("HARK_HOME")
    return {"HARK_SESSION": session_id} | ({"HARK_HOME": os.path.abspath(home)} if home else {})


def editor_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that put hark's editor in the place of the human's own editor. HARK_VISUAL and HARK_EDITOR keep the
    human's own."""
    ours = str(Path(sys.executable).parent / "hark-editor")
    if not os.path.exists(ours):
        return {}
    before = {f"HARK_{name}": environment[name] for name in ("VISUAL", "EDITOR") if environment.get(name, ours) != ours}
    return before | {"VISUAL": ours, "EDITOR": ours}
