"""Google's generateContent, as Gemini CLI speaks it."""

from __future__ import annotations

import re

from tests.support.stand_in.answer import server_sent
from tests.support.stand_in.reply import Call, Reply
from tests.support.stand_in.turn import Json, Said, Turn, read_turn

USAGE = {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20}


def read_request(body: Json) -> Turn:
    tools = [function["name"] for tool in body.get("tools", []) for function in tool.get("functionDeclarations", [])]
    conversation = [
        Said(content.get("role", "user"), [text for part in content["parts"] for text in texts_of(part)])
        for content in body["contents"]
    ]
    return read_turn(conversation, tools, is_side=not tools)


def texts_of(part: Json) -> list[str]:
    """What a hook has said stands at the end of a tool's result."""
    if "text" in part:
        return [part["text"]]
    output = part.get("functionResponse", {}).get("response", {}).get("output", "")
    return re.findall(r"<hook_context>.*?</hook_context>", output, re.DOTALL) if isinstance(output, str) else []


class GeminiAnswer:
    def __init__(self, body: Json, turn: Turn, reply: Reply, number: int) -> None:
        self.reply = reply

    def opening(self) -> bytes:
        return b""

    def piece(self, text: str) -> bytes:
        return server_sent(self._response([{"text": text}]))

    def closing(self) -> bytes:
        return server_sent(self._response(self._call() or [{"text": ""}], "STOP"))

    def whole(self) -> Json:
        return self._response([{"text": self.reply.text}, *self._call()], "STOP")

    def _call(self) -> list[Json]:
        if self.reply.command is None and self.reply.call is None:
            return []
        call = self.reply.call or Call("run_shell_command", {"command": self.reply.command, "description": "Run it"})
        return [{"functionCall": {"name": call.tool, "args": call.arguments}}]

    @staticmethod
    def _response(parts: list[Json], finish_reason: str | None = None) -> Json:
        candidate: Json = {"index": 0, "content": {"role": "model", "parts": parts}}
        if finish_reason:
            candidate["finishReason"] = finish_reason
        return {"candidates": [candidate], "usageMetadata": USAGE}
