"""Restarts the daemon: a new program takes its place in the same process, with the same environment and settings.

The locks stay held meanwhile, so no other daemon can start in between, and whoever wants to speak to the daemon waits for it.
A service manager sees no end and no start.
"""

import os
import shutil
import sys
from collections.abc import Mapping, Sequence

from hark.daemon.process.instance_lock import InstanceLock
from hark.model.errors import Exit, HarkError

OPTION = "--lock-fds"


def own_command() -> list[str]:
    return [sys.executable, "-m", "hark.cli.main", "serve"]


def check_command(command: Sequence[str]) -> None:
    """Raise a HarkError if the command cannot be run, because it must not take the place of a daemon that runs."""
    if any("\0" in word for word in command) or shutil.which(command[0]) is None:
        raise HarkError(
            "request-invalid", f"{command[0]!r} is not a program", "give the command that runs `hark serve`"
        )


def replace_process(command: Sequence[str], options: Mapping[str, str], lock: InstanceLock) -> int:
    """Replace this process with the command. This returns only if the command cannot be run."""
    words = [*command, *(word for name, value in options.items() for word in ("-o", f"{name}={value}"))]
    held = (lock.database.descriptor, lock.runtime.descriptor)
    if None not in held:
        for descriptor in held:
            os.set_inheritable(int(descriptor or 0), True)
        words += [OPTION, ",".join(str(descriptor) for descriptor in held)]
    try:
        os.execvp(words[0], words)
    except OSError:
        lock.release()
    return Exit.FAILURE


def parse_descriptors(text: str) -> tuple[int, int]:
    """Read the descriptors that `replace_process` has handed over."""
    first, comma, second = text.partition(",")
    if not (first.isdigit() and comma and second.isdigit()):
        raise HarkError("request-invalid", f"{OPTION} {text!r} does not name two descriptors", "leave it out")
    return int(first), int(second)
