"""The stand-in model service: every protocol under one address."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.support.stand_in import anthropic, chat, gemini, record, responses
from tests.support.stand_in.answer import Answer
from tests.support.stand_in.reply import Reply, choose_reply
from tests.support.stand_in.turn import Json, Turn

Handler = Callable[[Request], Awaitable[Response]]
MODELS = ("stand-in", "gpt-5", "claude-sonnet-4-5")


class Service:
    def __init__(self, log: Path, thinks_s: tuple[float, float] = (0.0, 0.0)) -> None:
        """`thinks_s`: how long an answer takes, from and to."""
        self.log = log
        self.thinks_s = thinks_s
        self.dice = Random(1)
        self.numbers = itertools.count(1)

    def routes(self) -> list[Route]:
        return [
            Route(
                "/v1/messages",
                self.answering("anthropic", anthropic.read_request, anthropic.MessagesAnswer),
                methods=["POST"],
            ),
            Route(
                "/v1/responses",
                self.answering("responses", responses.read_request, responses.ResponsesAnswer),
                methods=["POST"],
            ),
            Route("/v1/chat/completions", self.answering("chat", chat.read_request, chat.ChatAnswer), methods=["POST"]),
            Route("/v1beta/models/{call}", self.answer_gemini, methods=["POST"]),
            Route("/v1/messages/count_tokens", count_anthropic_tokens, methods=["POST"]),
            Route("/v1/models", list_models),
            Route("/", nothing),
            Route("/{path:path}", nothing, methods=["GET", "POST"]),
        ]

    def answering(
        self, protocol: str, read: Callable[[Json], Turn], answer: Callable[[Json, Turn, Reply, int], Answer]
    ) -> Handler:
        async def respond(request: Request) -> Response:
            body: Json = msgspec.json.decode(await request.body())
            turn = read(body)
            self.record(protocol, request, turn)
            reply = self.reply(turn)
            given = answer(body, turn, reply, next(self.numbers))
            return await send(given, reply, streaming=bool(body.get("stream")))

        return respond

    async def answer_gemini(self, request: Request) -> Response:
        method = request.path_params["call"].partition(":")[2]
        if method == "countTokens":
            return JSONResponse({"totalTokens": 10})
        body: Json = msgspec.json.decode(await request.body())
        turn = gemini.read_request(body)
        self.record("gemini", request, turn)
        reply = self.reply(turn)
        given = gemini.GeminiAnswer(body, turn, reply, next(self.numbers))
        return await send(given, reply, streaming=method == "streamGenerateContent")

    def reply(self, turn: Turn) -> Reply:
        """Side requests are answered at once."""
        reply, thinks_s = choose_reply(turn), 0.0 if turn.is_side else self.dice.uniform(*self.thinks_s)
        return msgspec.structs.replace(reply, silent_s=reply.silent_s + thinks_s)

    def record(self, protocol: str, request: Request, turn: Turn) -> None:
        received = record.Received(
            at=datetime.now(UTC),
            protocol=protocol,
            session=key_of(request),
            texts=turn.texts,
            context=turn.context,
            position=turn.position,
            is_side=turn.is_side,
            tools=turn.tools,
            instructions=turn.instructions,
        )
        record.append(self.log, received)


def key_of(request: Request) -> str:
    headers = request.headers
    bearer = headers.get("authorization", "").removeprefix("Bearer ")
    return headers.get("x-api-key") or headers.get("x-goog-api-key") or bearer or request.query_params.get("key", "")


async def send(answer: Answer, reply: Reply, streaming: bool) -> Response:
    if streaming:
        return StreamingResponse(stream(answer, reply), media_type="text/event-stream")
    await asyncio.sleep(reply.pause_s * len(reply.pieces))
    return JSONResponse(answer.whole())


async def stream(answer: Answer, reply: Reply) -> AsyncIterator[bytes]:
    await asyncio.sleep(reply.silent_s)
    yield answer.opening()
    for piece in reply.pieces:
        await asyncio.sleep(reply.pause_s)
        yield answer.piece(piece)
    yield answer.closing()


async def count_anthropic_tokens(request: Request) -> Response:
    return JSONResponse({"input_tokens": 10})


async def list_models(request: Request) -> Response:
    models = [{"id": name, "object": "model", "created": 0, "owned_by": "stand-in"} for name in MODELS]
    return JSONResponse({"object": "list", "data": models})


async def nothing(request: Request) -> Response:
    """For what agents ask beside their model, such as feature flags: there is none of it, and that is no error."""
    return JSONResponse({})


def application(log: Path, thinks_s: tuple[float, float] = (0.0, 0.0)) -> Starlette:
    return Starlette(routes=Service(log, thinks_s).routes())
