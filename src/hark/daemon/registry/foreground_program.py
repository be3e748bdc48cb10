"""What runs in a terminal of a human's, and where: as far as /proc tells."""

import os
from pathlib import Path


def foreground_command(tty: str) -> tuple[str, ...] | None:
    """The command line of the process that has the terminal, where /proc tells."""
    try:
        device = os.stat(tty).st_rdev
        with os.scandir("/proc") as entries:
            for entry in entries:
                if entry.name.isdigit() and (words := _foreground_words(entry.path, device)):
                    return words
    except OSError:
        return None
    return None


def _foreground_words(process: str, device: int) -> tuple[str, ...] | None:
    """If this is the leader of the terminal's foreground group: its arguments."""
    try:
        fields = Path(process, "stat").read_text().rpartition(")")[2].split()
        pid, group, terminal, foreground = (
            int(os.path.basename(process)),
            int(fields[2]),
            int(fields[4]),
            int(fields[5]),
        )
        if terminal != device or group != foreground or pid != group:
            return None
        return tuple(word for word in Path(process, "cmdline").read_text(errors="replace").split("\0") if word)
    except (OSError, IndexError, ValueError):
        return None


def working_directory(pid: int) -> str:
    try:
        return os.readlink(f"/proc/{pid}/cwd")
    except OSError:
        return ""
