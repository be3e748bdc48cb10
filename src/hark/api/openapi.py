"""Makes /openapi.json from the table of calls and the structs, so that it always describes what the server does."""

import re
from typing import Any

import msgspec

from hark import __version__
from hark.api.problems import CONTENT_TYPE
from hark.api.route import Call
from hark.api.shapes.foundation import Problem
from hark.model.errors import CODES

_REFERENCE = "#/components/schemas/{name}"


def describe(calls: tuple[Call, ...]) -> dict[str, Any]:
    shapes = [shape for call in calls for shape in (call.body, call.response) if shape is not None]
    unique = list(dict.fromkeys([*shapes, Problem]))
    schemas, components = msgspec.json.schema_components(unique, ref_template=_REFERENCE)
    schema_of = dict(zip(unique, schemas, strict=True))
    paths: dict[str, Any] = {}
    for call in calls:
        paths.setdefault(_plain(call.path), {})[call.method.lower()] = _operation(call, schema_of)
    return {
        "openapi": "3.1.0",
        "info": {"title": "hark", "version": __version__, "description": "Messages to AI coding agents in terminals."},
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "description": "over TCP only"}},
        },
        "security": [{}, {"token": []}],
    }


def _operation(call: Call, schema_of: dict[Any, Any]) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "summary": call.summary,
        "operationId": call.handler.__name__,
        "responses": _responses(call, schema_of),
    }
    if parameters := _parameters(call):
        operation["parameters"] = parameters
    if call.body is not None:
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema_of[call.body]}}}
    return operation


def _parameters(call: Call) -> list[dict[str, Any]]:
    parameters: list[dict[str, Any]] = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "string"},
            "description": f"id, name or prefix of a {name}",
        }
        for name in re.findall(r"{(\w+)}", _plain(call.path))
    ]
    parameters += [
        {"name": q.name, "in": "query", "required": False, "description": q.description, "schema": q.schema}
        for q in call.queries
    ]
    if call.path.endswith(("/send", "/spawn")):
        key = {"type": "string", "minLength": 1, "maxLength": 200}
        parameters.append({"name": "Idempotency-Key", "in": "header", "required": False, "schema": key})
    return parameters


def _responses(call: Call, schema_of: dict[Any, Any]) -> dict[str, Any]:
    good: dict[str, Any] = {"description": call.summary}
    if call.response is not None:
        good["content"] = {"application/json": {"schema": schema_of[call.response]}}
    problem = {"content": {CONTENT_TYPE: {"schema": schema_of[Problem]}}}
    codes: dict[int, list[str]] = {}
    for code in (*call.errors, "request-invalid") if call.body or call.queries else call.errors:
        codes.setdefault(CODES[code][0], []).append(code)
    responses = {
        str(status): {"description": ", ".join(dict.fromkeys(names)), **problem}
        for status, names in sorted(codes.items())
    }
    goods = {str(status): good for status in (call.status, *call.also)}
    return {**goods, **responses, "default": {"description": "any other problem", **problem}}


def _plain(path: str) -> str:
    return path.replace(":path}", "}")
