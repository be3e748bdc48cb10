"""hark wake: another name of `hark remind`."""

from hark.cli.for_agents.remind import command

__all__ = ["command"]
