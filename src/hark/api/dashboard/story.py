"""The story of a message as Markdown: what was sent, every receipt, and the answer. Texts stand in fences that they cannot close."""

import re
from collections.abc import Sequence

from hark.model.answer import Answer
from hark.model.message import Message, Receipt

_NOT_PLAIN = re.compile(r"([\\`*_{}\[\]()#+!|<>~-])")


def tell(message: Message, session_name: str, receipts: Sequence[Receipt], answer: Answer | None) -> str:
    sender = message.sender_name or message.sender_session_id or "somebody"
    lines = [
        f"# Message {message.id}",
        "",
        f"From {plain(sender)} to {plain(session_name)}, {message.mode}, {message.queued_at:%Y-%m-%d %H:%M:%S} UTC.",
        f"Status: **{message.status}**." + (f" Reply to {message.in_reply_to}." if message.in_reply_to else ""),
        "",
        fenced(message.text),
        "",
        "| time (UTC) | status | why | how |",
        "|---|---|---|---|",
        *(_row(receipt) for receipt in receipts),
    ]
    if answer and answer.text:
        lines += ["", f"## Answer ({answer.source})", "", fenced(answer.text)]
    elif answer:
        lines += ["", f"No answer: {plain(answer.reason)}"]
    return "\n".join(lines) + "\n"


def _row(receipt: Receipt) -> str:
    why = " ".join(part for part in (receipt.reason or "", receipt.detail) if part)
    how = " ".join(str(part) for part in (receipt.channel, receipt.carrier) if part)
    return f"| {receipt.at:%Y-%m-%d %H:%M:%S.%f} | {receipt.status} | {plain(why)} | {how} |"


def plain(text: str) -> str:
    """Return the text on one line, with everything escaped that Markdown or HTML would read as more than text."""
    words = " ".join("".join(one if one.isprintable() else " " for one in text).split())
    return _NOT_PLAIN.sub(r"\\\1", words)


def fenced(text: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"
