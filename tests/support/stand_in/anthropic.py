"""Anthropic's Messages, as Claude Code speaks it."""

from __future__ import annotations

from tests.support.stand_in.answer import dumps, server_sent
from tests.support.stand_in.reply import Call, Reply
from tests.support.stand_in.turn import Json, Said, Turn, read_turn

HARKS_QUESTION = "You see the last lines of a terminal"
ROLES = {"assistant": "model"}
USAGE = {"input_tokens": 10, "output_tokens": 10}


def read_request(body: Json) -> Turn:
    tools = [tool["name"] for tool in body.get("tools", [])]
    conversation = [
        Said(ROLES.get(message["role"], message["role"]), texts_of(message["content"])) for message in body["messages"]
    ]
    asks_about_a_screen = any(text.startswith(HARKS_QUESTION) for said in conversation for text in said.texts)
    return read_turn(conversation, tools, is_side=not tools and not asks_about_a_screen)


def texts_of(content: str | list[Json]) -> list[str]:
    if isinstance(content, str):
        return [content]
    return [block["text"] for block in content if block["type"] == "text"]


class MessagesAnswer:
    def __init__(self, body: Json, turn: Turn, reply: Reply, number: int) -> None:
        self.body = body
        self.reply = reply
        self.number = number

    def opening(self) -> bytes:
        message = {**self._message(), "content": [], "stop_reason": None}
        block = {"type": "text", "text": ""}
        return self._event("message_start", message=message) + self._event(
            "content_block_start", index=0, content_block=block
        )

    def piece(self, text: str) -> bytes:
        return self._event("content_block_delta", index=0, delta={"type": "text_delta", "text": text})

    def closing(self) -> bytes:
        delta = {"stop_reason": self._stop_reason(), "stop_sequence": None}
        return (
            self._event("content_block_stop", index=0)
            + (self._tool_use_events() if self._calls() else b"")
            + self._event("message_delta", delta=delta, usage=USAGE)
            + self._event("message_stop")
        )

    def whole(self) -> Json:
        content: list[Json] = [{"type": "text", "text": self.reply.text}]
        if self._calls():
            content.append(self._tool_use())
        return {**self._message(), "content": content, "stop_reason": self._stop_reason()}

    def _message(self) -> Json:
        return {
            "id": f"msg_{self.number}",
            "type": "message",
            "role": "assistant",
            "model": self.body.get("model", "stand-in"),
            "stop_sequence": None,
            "usage": USAGE,
        }

    def _stop_reason(self) -> str:
        return "tool_use" if self._calls() else "end_turn"

    def _calls(self) -> bool:
        return self.reply.command is not None or self.reply.call is not None

    def _tool_use(self) -> Json:
        call = self.reply.call or Call("Bash", {"command": self.reply.command, "description": "Run it"})
        return {"type": "tool_use", "id": f"toolu_{self.number}", "name": call.tool, "input": call.arguments}

    def _tool_use_events(self) -> bytes:
        call = self._tool_use()
        return (
            self._event("content_block_start", index=1, content_block={**call, "input": {}})
            + self._event(
                "content_block_delta", index=1, delta={"type": "input_json_delta", "partial_json": dumps(call["input"])}
            )
            + self._event("content_block_stop", index=1)
        )

    @staticmethod
    def _event(kind: str, **fields: object) -> bytes:
        return server_sent({"type": kind, **fields}, kind)
