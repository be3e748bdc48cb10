"""hark mcp: become `hark-mcp`, which is small enough for every agent to start one."""

import os
import sys

import click


@click.command()
def command() -> None:
    """Connect an agent to hark by MCP, over stdin and stdout. The agent starts this command; `hark-mcp` does the same.

    \b
    Example:
      claude mcp add -s user hark -- hark-mcp
    """
    # -P keeps the agent's directory off the module path: it may hold modules with the names of standard ones.
    os.execv(sys.executable, [sys.executable, "-P", "-m", "hark.inside.mcp_pipe"])
