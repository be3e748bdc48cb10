"""An MCP server with one tool, `make`, that makes a file in its working directory."""

from __future__ import annotations

import json
import sys
from pathlib import Path

TOOL = {"name": "make", "description": "Make it.", "inputSchema": {"type": "object", "properties": {}}}


def answer(method: str, parameters: dict[str, object]) -> dict[str, object]:
    if method == "initialize":
        version = parameters.get("protocolVersion", "2024-11-05")
        return {
            "protocolVersion": version,
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "tests", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        Path("made").touch()
        return {"content": [{"type": "text", "text": "made"}]}
    return {}


def main() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request:
            result = answer(request["method"], request.get("params", {}))
            print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)


if __name__ == "__main__":
    main()
