"""hark wake: another name of `hark remind`."""

from hark.cli.remind import command

__all__ = ["command"]
