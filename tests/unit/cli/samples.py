"""Answers of the API, made from its own structs so that they cannot drift from it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from hark.api.shapes.messages import MessageInfo, PendingMessage, ReceiptInfo, Sent
from hark.api.shapes.sessions import SessionInfo
from hark.model.message import Mode, Status

START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def later(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def session(**changes: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "id": "5e551011",
        "name": "backend",
        "agent": "claude",
        "state": "running",
        "host": "here",
        "socket": "/tmp/tmux-0/hark",
        "pane_id": "%3",
        "pane_pid": 42,
        "command": ["claude", "--model", "big one"],
        "directory": "/src",
        "is_adopted": False,
        "created_at": START,
        "gone_at": None,
        "airlock": None,
        "do_not_disturb_since": None,
        "pending_count": 0,
        "hold_reason": None,
        "nudge_seq": 0,
        "last_signal_at": None,
    }
    return _plain(SessionInfo(**(fields | changes)))


def sent(**changes: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "id": "4f1c00000000",
        "session_id": "5e551011",
        "session_name": "backend",
        "status": Status.QUEUED,
        "queue_position": 2,
        "delivery_mode": Mode.SEQUENTIAL,
        "estimated_delivery": "waiting_for_draft",
    }
    return _plain(Sent(**(fields | changes)))


def message(**changes: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "id": "4f1c00000000",
        "session_id": "5e551011",
        "session_name": "backend",
        "sender_session_id": None,
        "sender": None,
        "text": "run the tests",
        "delivery_mode": Mode.SEQUENTIAL,
        "status": Status.QUEUED,
        "reason": None,
        "held_since": None,
        "attempts": 0,
        "channel": None,
        "authority": None,
        "as_user": False,
        "queued_at": START,
        "timeout_at": None,
        "delivered_at": None,
        "acknowledged_at": None,
        "completed_at": None,
        "ended_at": None,
        "in_reply_to": None,
        "thread_id": "4f1c00000000",
        "hops": 0,
        "answer": None,
        "receipts": [ReceiptInfo(status=Status.QUEUED, at=START, reason=None, detail="", channel=None)],
    }
    return _plain(MessageInfo(**(fields | changes)))


def pending(**changes: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "id": "4f1c00000000",
        "sender": None,
        "queued_at": START,
        "timeout_at": None,
        "status": Status.QUEUED,
        "reason": None,
        "held_since": None,
        "delivery_mode": Mode.SEQUENTIAL,
        "text": "run the tests",
        "is_inbox": False,
    }
    return _plain(PendingMessage(**(fields | changes)))


def _plain(struct: msgspec.Struct) -> dict[str, Any]:
    return dict(msgspec.json.decode(msgspec.json.encode(struct)))
