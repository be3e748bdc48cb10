"""hark mcp: becomes `hark-mcp`, which is small enough to be started by every agent."""

import os
import sys

import click


@click.command()
def command() -> None:
    """Connect an agent to hark by MCP, over stdin and stdout. An agent starts it; `hark-mcp` is the same.

    \b
    Example:
      claude mcp add -s user hark -- hark-mcp
    """
    # -P: an agent's directory may hold anything, also modules called like the library's.
    os.execv(sys.executable, [sys.executable, "-P", "-m", "hark.inside.mcp_pipe"])
