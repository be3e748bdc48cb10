"""Another tmux for the tests: everything that runs `tmux` finds it by PATH, so the chosen one is put first there."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

VARIABLE = "HARK_TEST_TMUX"
_PUT_FIRST = "_HARK_TEST_TMUX_IS_FIRST"
"""Set for processes that tests start: they inherit the PATH of their parent."""


def put_first() -> None:
    """Make the program that `HARK_TEST_TMUX` names the `tmux` of this process and of all that it starts."""
    chosen = os.environ.get(VARIABLE)
    if not chosen or os.environ.get(_PUT_FIRST) == chosen:
        return
    program = Path(chosen).resolve()
    if not os.access(program, os.X_OK):
        raise SystemExit(f"{VARIABLE}={chosen}: there is no such program")
    directory = tempfile.mkdtemp(prefix="hark-tmux-")
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    Path(directory, "tmux").symlink_to(program)
    os.environ["PATH"] = f"{directory}{os.pathsep}{os.environ['PATH']}"
    os.environ[_PUT_FIRST] = chosen
