import signal
import subprocess
import sys
from pathlib import Path

from hark.store.sqlite.store import SqliteStore

ENQUEUE_FOR_EVER = """
import asyncio, itertools, sys
from hark.store.sqlite.store import SqliteStore
from tests.integration.contract.samples import ANA, add, make_message, make_session

async def send(store, numbers):
    for n in numbers:
        enqueued = await store.enqueue(make_message(f"m{n}"))
        print(enqueued.message.id, flush=True)

async def main():
    store = SqliteStore(sys.argv[1])
    await store.open()
    await add(store, make_session(ANA))
    numbers = itertools.count()
    await asyncio.gather(*(send(store, numbers) for _ in range(8)))

asyncio.run(main())
"""


def enqueue_until_killed(path: Path) -> set[str]:
    """The ids that the sender has printed, each after its enqueue had returned."""
    with subprocess.Popen(
        [sys.executable, "-c", ENQUEUE_FOR_EVER, str(path)], stdout=subprocess.PIPE, text=True, cwd=Path.cwd()
    ) as sender:
        assert sender.stdout is not None
        printed = [sender.stdout.readline().strip() for _ in range(300)]
        sender.send_signal(signal.SIGKILL)
        rest = sender.stdout.read().splitlines(keepends=True)
    assert sender.returncode == -signal.SIGKILL
    return {*printed, *(line.strip() for line in rest if line.endswith("\n"))}


async def test_whatever_returned_before_a_kill_is_there_after_it(path: Path) -> None:
    printed = enqueue_until_killed(path)

    store = SqliteStore(path)
    await store.open()

    stored = await store.pending()
    assert printed <= {message.id for message in stored}
    for message in stored:  # and nothing is there by halves
        assert [receipt.status for receipt in await store.receipts(message.id)] == [message.status]
    assert await store.last_event_seq() == 1 + len(stored)
    await store.close()
