"""The shape of the table of calls: one entry for each call, from which both the server and /openapi.json are made."""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from msgspec import Struct
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from hark.api.access.rights import permit
from hark.api.problems import problem_response
from hark.daemon.process.log import logger
from hark.model.errors import HarkError

LARGEST_BODY = 64 * 1024 * 1024
LONGEST_KEY = 200


class Query(Struct, frozen=True):
    name: str
    description: str
    schema: dict[str, Any]


class Call(Struct, frozen=True, kw_only=True):
    method: str
    path: str
    summary: str
    handler: Callable[[Request, Any], Awaitable[Any]]
    """The function that receives the request and its decoded body, and returns a response struct, or a Response for a stream."""
    body: type[Struct] | None = None
    response: type[Struct] | None = None
    status: int = 200
    also: tuple[int, ...] = ()
    """Other HTTP statuses that are not errors and have the same body."""
    queries: tuple[Query, ...] = ()
    errors: tuple[str, ...] = ()


def endpoint(call: Call) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        try:
            body = await permit(request, call.method, call.path, await _body(request, call.body))
            result = await call.handler(request, body)
        except HarkError as error:
            return problem_response(error)
        except Exception:  # noqa: BLE001 the border of the API: log any other error and answer `internal`
            logger.exception("request failed", extra={"method": request.method, "path": request.url.path})
            return problem_response(HarkError("internal", "the daemon failed on this request", "`hark logs` says more"))
        if isinstance(result, Response):
            return result
        return Response(msgspec.json.encode(result), call.status, media_type="application/json")

    return answer


async def _body(request: Request, shape: type[Struct] | None) -> Struct | None:
    if shape is None:
        return None
    limit = request.app.state.largest_body
    data = bytearray()
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size <= limit:
            data += chunk
        elif size > LARGEST_BODY:
            break
    if size > limit:
        raise HarkError(
            "text-too-long",
            f"the request has {size} bytes, the limit is {limit}",
            "put the text into a file and send the file's path",
        )
    try:
        return msgspec.json.decode(bytes(data) or b"{}", type=shape)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as wrong:
        raise HarkError(
            "request-invalid", f"the request is not valid: {wrong}", "/openapi.json describes the request"
        ) from wrong


def idempotency_key(request: Request) -> str | None:
    key = request.headers.get("idempotency-key")
    if key is not None and not 0 < len(key) <= LONGEST_KEY:
        raise HarkError("request-invalid", f"the Idempotency-Key must have 1 to {LONGEST_KEY} characters", "use a UUID")
    return key


def query_number(request: HTTPConnection, name: str, default: float, least: float, most: float) -> float:
    text = request.query_params.get(name)
    if text is None:
        return default
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not least <= number <= most:
        raise HarkError(
            "request-invalid",
            f"{name} must be a number from {least:g} to {most:g}",
            "/openapi.json describes the request",
        )
    return number
