"""Tells whether the daemon runs older code than this command."""

from hark import instance
from hark.instance import Build
from hark.model.text.versions import is_older


def is_daemon_outdated() -> bool:
    daemon = instance.find()
    return daemon is not None and is_outdated(daemon.build, instance.own_build())


def is_outdated(daemon: Build, own: Build) -> bool:
    """Return True if the daemon has an older version, or if the files of its package were replaced since the daemon started.

    Another installation with the same version does not count: two installations would restart the daemon in turns."""
    if daemon.version == own.version:
        return daemon.place == own.place and daemon.stamp != own.stamp
    return is_older(daemon.version, own.version)
