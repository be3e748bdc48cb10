"""The entrance at /mcp. It loads the official SDK only when the first request comes: the SDK costs the daemon about as much
memory as all the rest of the daemon, and most daemons never get such a request.
"""

import asyncio
import importlib
from typing import Any

from starlette.types import Receive, Scope, Send

from hark.api.problems import problem_response
from hark.daemon.process.log import logger
from hark.daemon.service import Service
from hark.model.errors import HarkError


class Door:
    def __init__(self, hark: Service, largest_body: int, server: str = "hark.api.mcp.server") -> None:
        """`server` is the name of the module that needs the SDK."""
        self._hark = hark
        self._largest_body = largest_body
        self._server = server
        self._asked = asyncio.Event()
        self._answered = asyncio.Event()
        self._manager: Any = None
        self._refusal: HarkError | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._asked.set()
        await self._answered.wait()
        if self._refusal is not None:
            await problem_response(self._refusal)(scope, receive, send)
        else:
            await self._manager.handle_request(scope, receive, send)

    async def run(self) -> None:
        """Load the SDK at the first request, and own the tasks that the SDK starts, until this task is cancelled."""
        await self._asked.wait()
        try:
            # The import runs in a thread, so that no delivery stands still meanwhile.
            server = await asyncio.to_thread(importlib.import_module, self._server)
        except ImportError as missing:
            logger.warning("MCP is not available", extra={"detail": str(missing)})
            self._refusal = HarkError(
                "not-available", f"MCP needs a package that is not installed: {missing}", "pip install 'hark[mcp]'"
            )
            self._answered.set()
            await asyncio.get_running_loop().create_future()
        self._manager = server.make_manager(self._hark, self._largest_body)
        async with self._manager.run():
            self._answered.set()
            await asyncio.get_running_loop().create_future()
