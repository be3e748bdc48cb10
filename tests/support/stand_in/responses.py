"""OpenAI's Responses, as Codex speaks it."""

from __future__ import annotations

from tests.support.stand_in.answer import dumps, server_sent
from tests.support.stand_in.reply import Reply
from tests.support.stand_in.turn import Json, Said, Turn, read_turn

# Everything else in a conversation (its calls, its reasoning) is the model's too, except results, which no one says.
ROLES = {"assistant": "model", "user": "user", "developer": "developer", "system": "developer"}
USAGE = {"input_tokens": 10, "output_tokens": 10, "total_tokens": 20}


def read_request(body: Json) -> Turn:
    tools = [tool.get("name", tool["type"]) for tool in body.get("tools", [])]
    given = body["input"]
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    return read_turn([said for item in items if (said := read_item(item))], tools, is_side=not tools)


def read_item(item: Json) -> Said | None:
    if item.get("type", "message") == "message":
        content = item["content"]
        texts = [content] if isinstance(content, str) else [part["text"] for part in content if "text" in part]
        return Said(ROLES[item["role"]], texts)
    return None if item["type"].endswith("_output") else Said("model", ())


class ResponsesAnswer:
    def __init__(self, body: Json, turn: Turn, reply: Reply, number: int) -> None:
        self.model = body.get("model", "stand-in")
        self.tools = turn.tools
        self.reply = reply
        self.number = number

    def opening(self) -> bytes:
        started = {**self._message(), "content": [], "status": "in_progress"}
        return self._event("response.created", response=self._response("in_progress", [])) + self._event(
            "response.output_item.added", output_index=0, item=started
        )

    def piece(self, text: str) -> bytes:
        place = {"item_id": self._message()["id"], "output_index": 0, "content_index": 0}
        return self._event("response.output_text.delta", **place, delta=text)

    def closing(self) -> bytes:
        items = b"".join(
            self._event("response.output_item.done", output_index=index, item=item)
            for index, item in enumerate(self._items())
        )
        return items + self._event("response.completed", response=self.whole())

    def whole(self) -> Json:
        return self._response("completed", self._items())

    def _items(self) -> list[Json]:
        return [self._message(), *([self._call()] if self.reply.command is not None or self.reply.call else [])]

    def _response(self, status: str, items: list[Json]) -> Json:
        name = f"resp_{self.number}"
        return {
            "id": name,
            "object": "response",
            "status": status,
            "model": self.model,
            "output": items,
            "usage": USAGE,
        }

    def _message(self) -> Json:
        content = [{"type": "output_text", "text": self.reply.text, "annotations": []}]
        return {"type": "message", "id": f"msg_{self.number}", "role": "assistant", "content": content}

    def _call(self) -> Json:
        """A command goes outside the sandbox, because only that makes Codex ask."""
        name, arguments = self._named_call() if self.reply.call else self._shell_call()
        return {
            "type": "function_call",
            "id": f"fc_{self.number}",
            "call_id": f"call_{self.number}",
            "name": name,
            "arguments": dumps(arguments),
        }

    def _named_call(self) -> tuple[str, Json]:
        assert self.reply.call
        return self.reply.call.tool, self.reply.call.arguments

    def _shell_call(self) -> tuple[str, Json]:
        asked = {"sandbox_permissions": "require_escalated", "justification": "May I?"}
        if "exec_command" in self.tools:
            return "exec_command", {"cmd": self.reply.command, **asked}
        return "shell_command", {"command": self.reply.command, **asked}

    @staticmethod
    def _event(kind: str, **fields: object) -> bytes:
        return server_sent({"type": kind, **fields}, kind)
