"""A daemon whose every answer is made of hostile text: any call of the API's tables is answered with its own response struct, in
which each string would drive a terminal if it were printed as it is. Started as a program: hostile_daemon.py SOCKET"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import uvicorn
from msgspec import inspect
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from hark.api.route import Call
from hark.api.server import CALLS
from hark.api.shapes.system import EventInfo

HOSTILE = (
    "x\x1b]52;c;QUFB\x07\x1b[31m\x1bP1$r\x1b\\\x9b2J\x9d0;t\x9c\x7f\x08\x0e\r\u202eabc\u2066\u200f\x85end\u2028\x00漢"
)
"""A clipboard, a colour, a device string, a cleared screen, a title, a line written over, and text that runs backwards."""
AT = "2026-01-02T03:04:05+00:00"
LAST = 1_000_000
SPECIAL: dict[str, Any] = {
    "socket": HOSTILE.replace("\x00", ""),  # a path, and tmux's own name of a pane: no NUL can be in them
    "pane_id": HOSTILE.replace("\x00", ""),
    "pid": 99_999_999,
    "kind": "signal",
    "seq": LAST,
    "repeat": f"cron {HOSTILE}",
    "last_event_seq": LAST,
    "is_idle": None,
}
"""Fields that steer a command, so that it comes as far as printing."""
SIGNAL = {"state": HOSTILE, "text": HOSTILE, "nudge_seq": 3, "source": HOSTILE, "name": HOSTILE, HOSTILE: [HOSTILE]}


def filled(kind: inspect.Type, name: str = "") -> Any:
    """A value of that type, of the hostile kind where it is text."""
    if name in SPECIAL:
        return SPECIAL[name]
    match kind:
        case inspect.StructType(fields=fields):
            return {field.encode_name: filled(field.type, field.encode_name) for field in fields}
        case inspect.UnionType(types=types):
            return filled(next(one for one in types if not isinstance(one, inspect.NoneType)), name)
        case inspect.ListType(item_type=item) | inspect.VarTupleType(item_type=item):
            return [filled(item), filled(item)]
        case inspect.DictType(value_type=inspect.AnyType()):
            return SIGNAL
        case inspect.DictType(value_type=value):
            return {HOSTILE: filled(value)}
        case inspect.EnumType(cls=enum):
            return next(iter(enum)).value
        case inspect.LiteralType(values=values):
            return values[0]
        case inspect.DateTimeType():
            return AT
        case inspect.BoolType():
            return False
        case inspect.IntType() | inspect.FloatType():
            return 7
        case _:
            return HOSTILE


def answering(call: Call) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        if call.response is None:
            return StreamingResponse(iter([HOSTILE.encode(), b"\x1b]0;", b"title\x07\xff\x9b2J\n"]))
        value = filled(inspect.type_info(call.response))
        if "events" in value and int(request.query_params.get("after", 0)) >= LAST:
            value["events"] = []
        return Response(msgspec.json.encode(value), call.status, media_type="application/json")

    return answer


async def refuse(request: Request) -> Response:
    problem = {"type": "x", "title": HOSTILE, "status": 500, "detail": HOSTILE, "code": "internal", "hint": HOSTILE}
    return Response(msgspec.json.encode(problem), 500, media_type="application/json")


async def follow(channel: WebSocket) -> None:
    await channel.accept()
    await channel.send_text(msgspec.json.encode(filled(inspect.type_info(EventInfo))).decode())
    await channel.close()


def main(path: str, is_refusing: bool) -> None:
    routes: list[Route | WebSocketRoute] = [WebSocketRoute("/events", follow)]
    routes += [
        Route(call.path, refuse if is_refusing else answering(call), methods=[call.method])
        for call in CALLS
    ]  # fmt: skip
    config = uvicorn.Config(Starlette(routes=routes), log_level="critical", ws="websockets-sansio")
    server = uvicorn.Server(config)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    os.chmod(path, 0o600)
    listener.listen()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    asyncio.run(server.serve([listener]))


if __name__ == "__main__":
    main(sys.argv[1], is_refusing=len(sys.argv) > 2)
