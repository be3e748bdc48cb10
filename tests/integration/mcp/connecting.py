"""The official SDK's client at the pipe, as an agent has it: a real process, a real daemon behind it."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult, TextContent

from tests.integration.end_to_end.running import RunningHark

PIPE = str(Path(sys.executable).with_name("hark-mcp"))
DEADLINE_S = 90.0

ERAS = ("auto", "legacy")
"""Clients that say their version with every request, and those that shake hands first."""


class ToolFailed(Exception):
    def __init__(self, problem: dict[str, Any]) -> None:
        super().__init__(problem)
        self.code, self.detail, self.hint = problem["code"], problem["detail"], problem["hint"]


class Connected:
    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """What the tool answers; its refusal is raised."""
        result = await self.client.call_tool(tool, arguments)
        assert isinstance(result, CallToolResult)
        (text,) = result.content
        assert isinstance(text, TextContent)
        answer = dict(result.structured_content or {})
        if result.is_error:
            assert answer["hint"] in text.text
            raise ToolFailed(answer)
        return answer


def parameters(hark: RunningHark, session: str | None) -> StdioServerParameters:
    """With next to no environment, as careful agents start their servers."""
    environment = {"HARK_HOME": str(hark.home), "PATH": os.environ["PATH"]}
    return StdioServerParameters(
        command=PIPE, env=environment | ({"HARK_SESSION": session} if session else {}), cwd=hark.home
    )


@asynccontextmanager
async def connected(hark: RunningHark, session: str | None, era: str = "auto") -> AsyncIterator[Connected]:
    async with Client(parameters(hark, session), mode=era, read_timeout_seconds=DEADLINE_S) as client:
        yield Connected(client)
