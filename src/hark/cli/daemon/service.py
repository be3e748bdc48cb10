"""The file that tells systemd or launchd to run the daemon at login.

Stopping the daemon must never stop the agents, which live in tmux servers that the daemon may have started. So systemd may
kill the daemon's own process only (KillMode=process), and launchd must leave its process group alone.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

LABEL = "dev.hark.daemon"
# A service manager gives the daemon almost no environment; the daemon needs these to find tmux and its own directories.
_KEPT = ("PATH", "HARK_HOME", "TMUX_TMPDIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME")

_UNIT = """\
[Unit]
Description=hark delivers messages to AI coding agents in terminals

[Service]
ExecStart={command}
{environment}
Restart=on-failure
KillMode=process

[Install]
WantedBy=default.target
"""


class Service:
    """A file for the service manager: its path, its content, and the command with which the user turns the service on."""

    def __init__(self, path: Path, content: str, enable_command: str) -> None:
        self.path = path
        self.content = content
        self.enable_command = enable_command


def service(platform: str, environment: Mapping[str, str], python: str = sys.executable) -> Service:
    kept = {name: environment[name] for name in _KEPT if environment.get(name)}
    words = [python, "-m", "hark.cli.main", "serve"]
    return _launchd(words, kept) if platform == "darwin" else _systemd(words, kept, environment)


def _systemd(words: list[str], kept: Mapping[str, str], environment: Mapping[str, str]) -> Service:
    config = Path(environment.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config"))
    content = _UNIT.format(
        command=" ".join(_quote(word).replace("$", "$$") for word in words),
        environment="\n".join(f"Environment={_quote(f'{name}={value}')}" for name, value in kept.items()),
    )
    enable = "systemctl --user daemon-reload && systemctl --user enable --now hark.service"
    return Service(config / "systemd/user/hark.service", content, enable)


def _quote(word: str) -> str:
    """Quote a word for a systemd unit, where % starts a specifier."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'


def _launchd(words: list[str], kept: Mapping[str, str]) -> Service:
    import plistlib

    path = Path(os.path.expanduser(f"~/Library/LaunchAgents/{LABEL}.plist"))
    content = plistlib.dumps(
        {
            "Label": LABEL,
            "ProgramArguments": words,
            "EnvironmentVariables": dict(kept),
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
            "AbandonProcessGroup": True,
        }
    ).decode()
    return Service(path, content, f"launchctl bootstrap gui/{os.getuid()} {path}")
