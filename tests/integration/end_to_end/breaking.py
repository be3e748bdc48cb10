"""The ordinary daemon, except that something in it breaks when it is asked to take a message with a certain text.

python breaking.py [ARGUMENT ...]       the arguments are those of `hark serve`
"""

from __future__ import annotations

import asyncio
import gc
import logging
import sys
import threading
from collections.abc import Callable, Coroutine
from typing import Any

from hark.cli.main import main
from hark.daemon.mailbox import Mailbox, NewMessage
from hark.delivery import wording
from hark.model.message import Message
from hark.model.session import Session
from hark.store.contract import Enqueued
from hark.store.sqlite.writer import Batch

STORE = "break the store"
WORDS = ("a library complains", "a task nobody awaits", "a thread nobody joins", "an exception in a finalizer")
SAY = "say everything"
PAYLOAD = "break the payload"


class DiskOnFire(BaseException):
    """Nothing that anybody expects of a database."""


def burning(run: Callable[[Batch], None]) -> Callable[[Batch], None]:
    def run_or_burn(batch: Batch) -> None:
        for hop in batch._hops:
            for cell in getattr(hop.body, "__closure__", None) or ():
                if any(isinstance(one, Message) and one.text == STORE for one in _parts(cell.cell_contents)):
                    raise DiskOnFire("the disk is on fire")
        run(batch)

    return run_or_burn


def _parts(content: object) -> tuple[object, ...]:
    return content if isinstance(content, tuple) else (content,)


class Finalized:
    def __del__(self) -> None:
        raise ValueError(WORDS[3])


async def fail(words: str) -> None:
    raise ValueError(words)


def fail_at_once(words: str) -> None:
    raise ValueError(words)


Send = Callable[[Mailbox, Session, NewMessage], Coroutine[Any, Any, Enqueued]]


def talkative(send: Send) -> Send:
    async def send_and_say(mailbox: Mailbox, session: Session, new: NewMessage) -> Enqueued:
        if new.text == SAY:
            for name in ("uvicorn.error", "mcp.server", "asyncio", "starlette"):
                logging.getLogger(name).warning("%s: %s\nin two lines", WORDS[0], name)
            lost = asyncio.get_running_loop().create_task(fail(WORDS[1]))
            await asyncio.sleep(0)
            del lost
            thread = threading.Thread(target=fail_at_once, args=(WORDS[2],), name="of-the-test")
            thread.start()
            thread.join()
            Finalized()
            gc.collect()
        return await send(mailbox, session, new)

    return send_and_say


def choking(payload: Callable[..., str]) -> Callable[..., str]:
    def payload_or_choke(message: Message, *more: Any) -> str:
        if message.text == PAYLOAD:
            raise ValueError(PAYLOAD)
        return payload(message, *more)

    return payload_or_choke


if __name__ == "__main__":
    wording.payload = choking(wording.payload)
    Batch.run = burning(Batch.run)  # type: ignore[method-assign, assignment]
    Mailbox.send = talkative(Mailbox.send)  # type: ignore[method-assign, assignment]
    sys.argv = ["hark", "serve", *sys.argv[1:]]
    sys.exit(main())
