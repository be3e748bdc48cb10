"""Finds out from /proc which program runs in a human's terminal, and in which directory."""

import os
from pathlib import Path


def foreground_command(tty: str) -> tuple[str, ...] | None:
    """Return the command line of the terminal's foreground process; None if /proc does not tell."""
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
    """Return the arguments of the process if it leads the terminal's foreground group; else None."""
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
