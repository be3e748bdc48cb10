"""What real agents have answered: `frames/` was recorded from Codex 0.166 and OpenCode 1.18."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

FRAMES = Path(__file__).parent / "frames"


def codex_frames() -> list[str]:
    """In order: two messages, the second added while the first runs; then one that asks for permission, one behind it, and
    Escape."""
    return (FRAMES / "codex.jsonl").read_text(encoding="utf-8").splitlines()


def codex_results(key: str) -> list[dict[str, Any]]:
    results = [msgspec.json.decode(frame).get("result") or {} for frame in codex_frames()]
    return [result for result in results if key in result]


def opencode(moment: str) -> dict[str, Any]:
    """idle, streaming, done, asked, denied, interrupted: what was on record then."""
    found: dict[str, Any] = msgspec.json.decode((FRAMES / "opencode.json").read_bytes())[moment]
    return found
