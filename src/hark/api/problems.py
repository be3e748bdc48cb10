"""Errors on the wire: RFC 9457 problem details."""

import msgspec
from starlette.responses import Response

from hark.api.shapes.foundation import Problem
from hark.model.errors import HarkError

CONTENT_TYPE = "application/problem+json"


def problem_of(error: HarkError) -> Problem:
    title = error.code.replace("-", " ")
    return Problem(title=title, status=error.http_status, detail=error.detail, code=error.code, hint=error.hint)


def problem_response(error: HarkError) -> Response:
    headers = {"WWW-Authenticate": "Bearer"} if error.http_status == 401 else None
    return Response(msgspec.json.encode(problem_of(error)), error.http_status, headers, CONTENT_TYPE)
