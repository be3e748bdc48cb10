"""hark serve: run the daemon in the foreground. This is the only command that imports the daemon."""

import os
import signal

import click

from hark.cli.parameters import setting_option
from hark.model.errors import HarkError


@click.command()
@setting_option
@click.option("--ready-fd", type=int, hidden=True, help="The descriptor to write to once the socket accepts.")
@click.option(
    "--lock-fds", hidden=True, help="The descriptors that hold the locks of the daemon that this one replaces."
)
def command(settings: tuple[str, ...], ready_fd: int | None, lock_fds: str | None) -> int:
    """Run the daemon in the foreground until it is interrupted. Other commands start it by themselves when they need it.

    \b
    Example:
      hark serve
      hark serve -o input_poll_interval=2
    """
    options = parse_settings(settings)
    if ready_fd is not None:
        os.set_inheritable(ready_fd, False)
    # The background jobs of a shell script ignore SIGQUIT, and agents that the daemon starts would inherit that.
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    from hark.app import serve

    return serve(options, ready_fd, lock_fds)


def parse_settings(settings: tuple[str, ...]) -> dict[str, str]:
    parsed = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not key or not equals:
            raise HarkError("config-invalid", f"{setting!r} is not a setting", "write it as KEY=VALUE")
        parsed[key] = value
    return parsed
