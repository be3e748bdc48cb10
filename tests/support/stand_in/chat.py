"""OpenAI's Chat Completions, as OpenCode, aider, Copilot CLI and Qwen Code speak it."""

from __future__ import annotations

from msgspec import structs

from tests.support.stand_in.answer import dumps, server_sent
from tests.support.stand_in.reply import Reply
from tests.support.stand_in.turn import Json, Said, Turn, read_turn

SHELL_TOOLS = ("bash", "run_shell_command")
ROLES = {"assistant": "model"}
USAGE = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}


def read_request(body: Json) -> Turn:
    """A toolless request is OpenCode's title request, but aider, which never sends tools, asks in earnest."""
    tools = [tool["function"]["name"] for tool in body.get("tools", [])]
    said = [
        Said(ROLES.get(message["role"], message["role"]), texts_of(message["content"]))
        for message in body["messages"]
        if message["role"] != "system"
    ]
    asks_for_title = any("title generator" in text for text in system_texts(body))
    turn = read_turn(said, tools, is_side=asks_for_title)
    return structs.replace(turn, instructions=tuple(system_texts(body)))


def texts_of(content: str | list[Json] | None) -> list[str]:
    if content is None or isinstance(content, str):
        return [content] if content else []
    return [part["text"] for part in content if part["type"] == "text"]


def system_texts(body: Json) -> list[str]:
    return [
        text for message in body["messages"] if message["role"] == "system" for text in texts_of(message["content"])
    ]


class ChatAnswer:
    def __init__(self, body: Json, turn: Turn, reply: Reply, number: int) -> None:
        self.model = body.get("model", "stand-in")
        self.shell_tool = next((name for name in SHELL_TOOLS if name in turn.tools), None)
        self.reply = reply
        self.number = number

    def opening(self) -> bytes:
        return self._chunk({"role": "assistant", "content": ""})

    def piece(self, text: str) -> bytes:
        return self._chunk({"content": text})

    def closing(self) -> bytes:
        command = b""
        if self._calls():
            command = self._chunk({"tool_calls": [{"index": 0, **self._call()}]})
        elif self.reply.command is not None:
            command = self._chunk({"content": self._proposal()})
        return command + self._chunk({}, self._finish_reason()) + b"data: [DONE]\n\n"

    def whole(self) -> Json:
        message: Json = {"role": "assistant", "content": self.reply.text}
        if self._calls():
            message["tool_calls"] = [self._call()]
        elif self.reply.command is not None:
            message["content"] += self._proposal()
        choice = {"index": 0, "message": message, "finish_reason": self._finish_reason()}
        return {**self._head("chat.completion"), "choices": [choice], "usage": USAGE}

    def _proposal(self) -> str:
        """How a model without tools has a command run: aider offers what stands in such a block."""
        return f"\n\n```bash\n{self.reply.command}\n```\n"

    def _calls(self) -> bool:
        return self.reply.call is not None or (self.reply.command is not None and self.shell_tool is not None)

    def _call(self) -> Json:
        call = self.reply.call
        name = call.tool if call else self.shell_tool
        arguments = call.arguments if call else {"command": self.reply.command, "description": "Run it"}
        return {
            "id": f"call_{self.number}",
            "type": "function",
            "function": {"name": name, "arguments": dumps(arguments)},
        }

    def _finish_reason(self) -> str:
        return "tool_calls" if self._calls() else "stop"

    def _head(self, kind: str) -> Json:
        return {"id": f"chat_{self.number}", "object": kind, "created": 0, "model": self.model}

    def _chunk(self, delta: Json, finish_reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
        usage = {"usage": USAGE} if finish_reason else {}
        return server_sent({**self._head("chat.completion.chunk"), "choices": [choice], **usage})
