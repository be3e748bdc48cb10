"""The configuration files with which a tmux server is started."""

import os
from collections.abc import Mapping
from importlib import resources


def own_files(user_file: str | None, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the files for hark's own server: our file, then the user's files, which win. `user_file` takes the place of the files that
    tmux itself would read."""
    ours = str(resources.files(__package__) / "own.conf")
    return (ours, user_file) if user_file else (ours, *_usual_files(environment))


def _usual_files(environment: Mapping[str, str]) -> list[str]:
    """Return the existing configuration files that tmux reads when nobody names one."""
    home = environment.get("HOME", "")
    places = ["/etc/tmux.conf"]
    places += [f"{home}/.tmux.conf"] if home else []
    places += [f"{config}/tmux/tmux.conf"] if (config := environment.get("XDG_CONFIG_HOME")) else []
    places += [f"{home}/.config/tmux/tmux.conf"] if home else []
    there = {os.path.realpath(path): path for path in places if os.access(path, os.R_OK)}
    return list(there.values())
