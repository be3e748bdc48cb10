"""`hark-hook` for agents that hark starts: a copy of `inside/hook.py` that Python runs with nothing else loaded.

An agent waits for its hooks at every step. The program that an installer makes loads the site's packages first, which takes
longer than all the rest; a copy with a first line of its own does not load them (`make bench` prints both times).
"""

import os
import sys
from pathlib import Path

from hark.inside import hook
from hark.installing import files

PROGRAM = "hark-hook"
LONGEST_INTERPRETER = 120
"""The longest path of an interpreter that fits into the first line of a script: the kernel cuts that line when it is longer."""


def quick_program(directory: Path, usual: str) -> str:
    """Make or renew the copy and return its path; return `usual` if there can be no copy."""
    path = directory / PROGRAM
    if not _can_be_named(sys.executable):
        return usual
    text = f"#!{sys.executable} -ISE\n" + Path(hook.__file__).read_text(encoding="utf-8")
    if files.read(path) != text:
        files.write(path, text)
    path.chmod(0o700)
    return str(path) if os.access(path, os.X_OK) else usual


def _can_be_named(interpreter: str) -> bool:
    """Return True if the interpreter can be named in the first line of a script."""
    return (
        len(interpreter) <= LONGEST_INTERPRETER and interpreter.startswith("/") and not set(interpreter) & set(" \t\n")
    )
