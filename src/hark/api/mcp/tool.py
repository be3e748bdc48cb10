"""What an MCP tool is, who calls it, and the kinds of arguments that several tools take."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from hark.api.access.rights import AgentCaller
from hark.daemon.inbox import IsThere
from hark.daemon.service import Service
from hark.model.errors import HarkError
from hark.model.session import Session

LONGEST_WAIT_S = 600.0


class Caller(Struct, frozen=True):
    hark: Service
    session: Session | None
    is_there: IsThere
    environment: dict[str, str] = {}
    """The variables of the caller's environment that the call brought along."""
    agent: AgentCaller | None = None
    """The agent whose session's token the caller has shown, with that session's rights; None if the caller is the user."""

    def own_session(self) -> Session:
        if self.session is None:
            raise HarkError(
                "request-invalid",
                "hark does not know which session calls",
                "start the agent with `hark new` or `hark run`, or set HARK_SESSION where the agent starts hark-mcp",
            )
        return self.session


class Tool(Struct, frozen=True):
    name: str
    description: str
    arguments: type[Struct]
    handler: Callable[[Caller, Any], Awaitable[Struct]]

    @property
    def schema(self) -> dict[str, Any]:
        (_,), components = msgspec.json.schema_components([self.arguments])
        schema: dict[str, Any] = components[self.arguments.__name__]
        return {key: value for key, value in schema.items() if key not in ("title", "description")}

    async def call(self, caller: Caller, arguments: dict[str, Any]) -> Struct:
        try:
            decoded = msgspec.convert(arguments, self.arguments)
        except msgspec.ValidationError as wrong:
            raise HarkError("request-invalid", f"{self.name}: {wrong}", "check the tool's schema") from wrong
        return await self.handler(caller, decoded)


Words = Annotated[str, Meta(min_length=1)]
SessionName = Annotated[
    str, Meta(description="name or id of a session; or several with commas between them, or a pattern such as crew/*")
]
Duration = Annotated[str, Meta(description="such as 30s, 5m or 1h30m")]
STRING = Meta(extra_json_schema={"type": "string"})
"""Adds a type beside the choices in the schema, because some agents' model services require a type."""
