"""Offers the tools through the official SDK. Only this file imports the SDK, and `door` imports this file only when it is needed."""

import json
from collections.abc import Callable
from typing import Any

import mcp_types as types
import msgspec
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from starlette.requests import Request

from hark import __version__
from hark.api.calls.inbox import is_there
from hark.api.mcp.tool import Caller, Tool
from hark.api.mcp.tools import TOOLS
from hark.api.problems import problem_of
from hark.daemon.process.log import logger
from hark.daemon.service import Service
from hark.environment import session_environment
from hark.inside.mcp_pipe import ENVIRONMENT_KEY
from hark.model.errors import HarkError

SESSION_HEADER = "hark-session"
INSTRUCTIONS = """\
hark carries messages between the agents and people who work here. Other agents and people may leave messages for you: call \
check_inbox when you begin and when you have finished a piece of work, and ack what you find there."""

Context = ServerRequestContext[Any, Request]


def make_manager(hark: Service, largest_body: int) -> StreamableHTTPSessionManager:
    """Make the manager of MCP requests, stateless and with JSON instead of streams: a restarted daemon goes on where the old one was."""
    tools = {tool.name: tool for tool in TOOLS}
    listed = types.ListToolsResult(tools=[_describe(tool) for tool in TOOLS])

    async def list_tools(context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return listed

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name not in tools:
            raise MCPError(types.INVALID_PARAMS, f"there is no tool {params.name!r}", {"tools": list(tools)})
        environment = _environment(dict(params.meta or {}).get(ENVIRONMENT_KEY))
        return await _call(
            lambda: _caller(hark, context.request, environment), tools[params.name], params.arguments or {}
        )

    server: Server[Any] = Server(
        "hark", version=__version__, instructions=INSTRUCTIONS, on_list_tools=list_tools, on_call_tool=call_tool
    )
    return StreamableHTTPSessionManager(server, json_response=True, stateless=True, max_request_body_size=largest_body)


def _describe(tool: Tool) -> types.Tool:
    return types.Tool(name=tool.name, description=tool.description, input_schema=tool.schema)


async def _call(find_caller: Callable[[], Caller], tool: Tool, arguments: dict[str, Any]) -> types.CallToolResult:
    """Call the tool. A failure becomes a result for the model, which can do better next time, and not an error of the protocol."""
    try:
        answer = await tool.call(find_caller(), arguments)
    except HarkError as refused:
        return _result(problem_of(refused), is_error=True)
    except Exception:  # noqa: BLE001 the border of the API: log any other error and answer `internal`
        logger.exception("tool failed", extra={"tool": tool.name})
        failure = HarkError("internal", "the daemon failed on this call", "`hark logs` says more")
        return _result(problem_of(failure), is_error=True)
    return _result(answer, is_error=False)


def _caller(hark: Service, request: Request | None, environment: dict[str, str]) -> Caller:
    assert request is not None
    named = request.headers.get(SESSION_HEADER)
    session = hark.sessions.find(named) if named else None
    return Caller(hark, session, is_there(request), environment, request.scope.get("hark_caller"))


def _environment(said: object) -> dict[str, str]:
    """Return the variables that a session can use from what the caller says is its environment; leave everything else out."""
    try:
        variables = msgspec.convert(said or {}, dict[str, str])
    except msgspec.ValidationError:
        return {}
    return {name: value for name, value in session_environment(variables).items() if _is_variable(name, value)}


def _is_variable(name: str, value: str) -> bool:
    return bool(name) and "=" not in name and "\0" not in name + value


def _result(answer: msgspec.Struct, *, is_error: bool) -> types.CallToolResult:
    plain = msgspec.to_builtins(answer)
    text = types.TextContent(type="text", text=json.dumps(plain, ensure_ascii=False))
    return types.CallToolResult(content=[text], structured_content=plain, is_error=is_error)
